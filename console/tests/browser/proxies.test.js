// The console behind nginx, configured as docs/examples/nginx.conf shows it, with the changes that each test names.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { launch, openPage, Server, signInByForm, until } from '../harness.js';
import { EXAMPLE, freePort, replaced, startNginx, withoutTls } from '../nginx.js';

let browser;
before(async () => (browser = await launch()));
after(() => browser?.close());

/** Starts a server with a public address behind nginx, and opens a page that is not signed in. */
async function behind(context, { path = '', scheme = 'http', configure }) {
  const port = await freePort();
  const url = `${scheme}://127.0.0.1:${port}${path}`;
  const server = await Server.start({ UNDERSTUDY_SERVER__PUBLIC_URL: url, UNDERSTUDY_SERVER__TRUST_FORWARDED: 'true' });
  context.after(() => server.stop());
  const nginx = await startNginx(configure(port, server.port), port);
  context.after(() => nginx.stop());
  server.url = url;
  const browserContext = await browser.newContext({ ignoreHTTPSErrors: true });
  context.after(() => browserContext.close());
  const page = await openPage(browserContext, server);
  page.sockets = 0;
  page.on('websocket', socket => socket.on('framereceived', () => page.sockets++));
  return { server, nginx, page };
}

/** nginx buffers responses unless it is told not to. */
const withDefaultBuffering = text => replaced(text, '        proxy_buffering off;\n', '');

const response = page => page.getByRole('article', { name: 'Response' }).last();
const field = page => page.getByLabel('Message', { exact: true });

/** Asks a question whose answer the test writes. */
async function ask(page, server, question) {
  await field(page).fill(`manual: ${question}`);
  const taken = server.provider.next();
  await page.keyboard.press('Enter');
  return taken;
}

/** Writes an answer in pieces, each of which has to be on the page before the next one is written. */
async function writePieces(page, answer, name, text = '') {
  for (const number of [1, 2, 3, 4, 5]) {
    text += `${name}${number} `;
    answer.write(`${name}${number} `);
    await until(async () => (await response(page).locator('.prose').innerText().catch(() => '')).trim() === text.trim(), `the page shows ${text}`);
  }
}

/** What people do in a chat, from the sign-in to the sign-out. */
async function useChat({ page, server }, path) {
  const paths = [];
  page.on('request', request => paths.push(new URL(request.url()).pathname));
  await signInByForm(page, server);
  assert.equal(new URL(page.url()).pathname, `${path}/`);

  const answer = await ask(page, server, 'pieces');
  await writePieces(page, answer, 'first');
  assert.match(new URL(page.url()).pathname, new RegExp(`^${path}/conversations/[0-9a-f-]{36}$`));
  await page.reload();
  await response(page).getByText('first5').waitFor();
  await writePieces(page, answer, 'second', 'first1 first2 first3 first4 first5 ');
  answer.end();
  await page.getByRole('button', { name: 'Write the response again' }).waitFor();

  const stopped = await ask(page, server, 'stop');
  stopped.write('Once upon a time');
  await response(page).getByText('Once upon a time').waitFor();
  await page.getByRole('button', { name: 'Stop the response' }).click();
  await response(page).getByText('Stopped').waitFor();
  await stopped.closed;

  // More than nginx keeps in memory.
  const content = Buffer.from('High tide at noon.\n'.repeat(20_000));
  await page.locator('input[type=file]').setInputFiles({ name: 'tide.txt', mimeType: 'text/plain', buffer: content });
  await page.getByText('tide.txt').waitFor();
  const withFile = await ask(page, server, 'file');
  withFile.write('Noted.');
  withFile.end();
  const link = page.getByRole('article', { name: 'You' }).getByRole('link', { name: /tide\.txt/ });
  await link.waitFor();
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
  assert.deepEqual(readFileSync(await download.path()), content);

  await page.getByRole('navigation').getByRole('link', { name: 'New conversation' }).click();
  await page.getByRole('heading', { name: /Administrator/ }).waitFor();
  assert.equal(new URL(page.url()).pathname, `${path}/`);
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.waitForURL(`**${path}/login`);
  assert.deepEqual(await page.context().cookies(), []);
  assert.deepEqual(paths.filter(requested => !requested.startsWith(`${path}/`)), []);
  assert.deepEqual(page.faults, []);
}

test('nginx: the configuration is the one that the documentation shows', () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../../docs/operations.md'), 'utf8');
  assert.ok(page.includes(`\`\`\`nginx\n${EXAMPLE}\`\`\``));
});

test('nginx: the chat works over TLS and HTTP/2', async context => {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-certificate-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', certificate], { stdio: 'ignore' });
  const configure = (port, target) => {
    const changes = [['listen 443 ', `listen 127.0.0.1:${port} `], ['/etc/nginx/fullchain.pem', certificate], ['/etc/nginx/privkey.pem', key], ['127.0.0.1:8080', `127.0.0.1:${target}`]];
    return changes.reduce((text, [part, by]) => replaced(text, part, by), EXAMPLE);
  };
  const stage = await behind(context, { scheme: 'https', configure });
  await useChat(stage, '');
  assert.equal(await stage.page.evaluate(() => performance.getEntriesByType('navigation')[0].nextHopProtocol), 'h2');
  assert.ok(stage.page.sockets > 0, 'the page has a WebSocket');
});

test('nginx: the chat works below a path that is passed on, with buffering', async context => {
  const configure = (port, target) => withDefaultBuffering(replaced(withoutTls(port, target), 'location / {', 'location /ai/ {'));
  const stage = await behind(context, { path: '/ai', configure });
  await useChat(stage, '/ai');
  assert.ok(stage.page.sockets > 0, 'the page has a WebSocket');
});

test('nginx: the chat works below a path that is stripped, with buffering', async context => {
  const configure = (port, target) => {
    const below = replaced(withoutTls(port, target), 'location / {', 'location /ai/ {');
    return withDefaultBuffering(replaced(below, `127.0.0.1:${target};`, `127.0.0.1:${target}/;`));
  };
  const stage = await behind(context, { path: '/ai', configure });
  await useChat(stage, '/ai');
  assert.ok(stage.page.sockets > 0, 'the page has a WebSocket');
});

test('nginx: without WebSockets and with buffering, the page reads event streams', async context => {
  const configure = (port, target) => {
    const text = withDefaultBuffering(withoutTls(port, target));
    return text.replace(/^ *proxy_set_header (Upgrade|Connection) .*\n/gm, '').replace(/^map \$http_upgrade[^}]*}\n/m, '');
  };
  const stage = await behind(context, { configure });
  await useChat(stage, '');
  assert.equal(stage.page.sockets, 0);
});
