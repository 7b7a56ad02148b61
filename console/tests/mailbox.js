// A mail server that keeps what it receives.

import { createServer } from 'node:net';
import { until } from './harness.js';

const decoded = text => text.replace(/=\r?\n/g, '').replace(/=([0-9A-F]{2})/g, (_, code) => String.fromCharCode(parseInt(code, 16)));

/** Starts a mail server. `settings` lets a server use it; `linkTo` waits for the last link that was sent to an address. */
export async function startMailbox() {
  const messages = [];
  const server = createServer(socket => {
    let buffer = '';
    let recipient = '';
    let isData = false;
    const answer = line => socket.write(`${line}\r\n`);
    socket.setEncoding('utf8');
    socket.on('error', () => {});
    socket.on('data', chunk => {
      buffer += chunk;
      for (;;) {
        const end = isData ? buffer.indexOf('\r\n.\r\n') : buffer.indexOf('\r\n');
        if (end < 0) return;
        const text = buffer.slice(0, end);
        buffer = buffer.slice(end + (isData ? 5 : 2));
        if (isData) {
          messages.push({ recipient, text: decoded(text) });
          isData = false;
          answer('250 accepted');
        } else if (/^DATA/i.test(text)) {
          isData = true;
          answer('354 go on');
        } else if (/^QUIT/i.test(text)) {
          answer('221 bye');
          socket.end();
        } else {
          recipient = /^RCPT TO:<([^>]+)>/i.exec(text)?.[1] ?? recipient;
          answer('250 fine');
        }
      }
    });
    answer('220 mailbox');
  });
  await new Promise(done => server.listen(0, '127.0.0.1', done));
  return {
    settings: {
      UNDERSTUDY_MAIL__URL: `smtp://127.0.0.1:${server.address().port}?tls=none`,
      UNDERSTUDY_MAIL__FROM: 'understudy@example.org',
      UNDERSTUDY_MAIL__JOIN_URL: 'http://localhost/join',
    },
    /** The fragment of a link such as `#password=…`. */
    linkTo: (address, name) => until(() => {
      const message = messages.findLast(({ recipient, text }) => recipient === address && text.includes(`#${name}=`));
      return message && new RegExp(`#${name}=[\\w.-]+`).exec(message.text)?.[0];
    }, `a mail for ${address} with a link #${name}`),
    forget: () => messages.splice(0),
    close: () => new Promise(done => server.close(done)),
  };
}
