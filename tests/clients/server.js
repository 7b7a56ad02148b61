// The real binary with its own folder, started and killed as the tests need it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export const email = 'admin@example.com';
export const password = 'a-password-for-client-tests';

export function binary() {
  if (!process.env.UNDERSTUDY_BIN) throw new Error('UNDERSTUDY_BIN must name the understudy binary');
  return path.resolve(process.env.UNDERSTUDY_BIN);
}

/** Time limit until a server is ready, in milliseconds, even on a slow machine. */
const patience = 60_000;

export class Server {
  /** Starts a server on an empty folder, with these settings, and logs in its administrator. */
  static async start({ settings = '' } = {}) {
    const server = new Server();
    server.folder = await mkdtemp(path.join(tmpdir(), 'understudy-clients-'));
    await writeFile(path.join(server.folder, 'settings.toml'), settings);
    // At the first start it selects a free port, and keeps this port from then on.
    server.port = 0;
    await server.run();
    const login = await server.call('POST', '/api/auth/login/', { email, password });
    server.headers = { authorization: `Bearer ${login.access_token}` };
    return server;
  }

  /** Starts the process, on the same port and folder as before if it ran before. */
  async run() {
    const data = path.join(this.folder, 'data');
    // This variable is for the tests and not for the server.
    const { UNDERSTUDY_BIN: _, ...environment } = process.env;
    const settings = path.join(this.folder, 'settings.toml');
    this.child = spawn(binary(), ['serve', '--data', data, '--listen', `127.0.0.1:${this.port}`, '--config', settings], {
      cwd: this.folder,
      env: { ...environment, UNDERSTUDY_ADMIN_EMAIL: email, UNDERSTUDY_ADMIN_PASSWORD: password, UNDERSTUDY_MODELS__PROBE_LOCAL: 'false' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let greeting = '';
    this.child.stdout.on('data', piece => (greeting += piece));
    let said = '';
    this.child.stderr.on('data', piece => (said = (said + piece).slice(-4000)));
    for (const late = Date.now() + patience; Date.now() < late; await sleep(20)) {
      if (this.child.exitCode !== null) throw new Error(`the server ended with ${this.child.exitCode}:\n${said}`);
      const [, port] = greeting.match(/ listens on http:\/\/127\.0\.0\.1:(\d+)\n/) ?? [];
      if (!port) continue;
      this.port = Number(port);
      this.url = `http://127.0.0.1:${port}`;
      const answer = await fetch(`${this.url}/readyz`).catch(() => null);
      if (answer?.ok) return;
    }
    throw new Error(`the server was not ready after ${patience / 1000} s:\n${said}`);
  }

  /** Sends SIGKILL: nothing is logged, nothing is flushed. */
  async kill() {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await gone;
  }

  async remove() {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Sends a JSON request. Throws unless the response is a success. */
  async call(method, where, body) {
    const answer = await fetch(this.url + where, {
      method,
      headers: { ...this.headers, ...(body && { 'content-type': 'application/json' }) },
      body: body && JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${where}: ${answer.status} ${text}`);
    return text ? JSON.parse(text) : null;
  }

  /** A new API token, which users enter in other programs as their API key. */
  async token(fields = {}) {
    const { token } = await this.call('POST', '/api/auth/api-tokens', { name: 'clients', ...fields });
    return token;
  }

  async conversation() {
    const { id } = await this.call('POST', '/api/conversations', {});
    return id;
  }

  async messages(conversation) {
    const { messages } = await this.call('GET', `/api/conversations/${conversation}`);
    return messages;
  }

  /** Sends the form of a completion. The caller reads the response. */
  complete(conversation, fields) {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) {
      form.set(name, typeof value === 'string' ? value : JSON.stringify(value));
    }
    const where = `${this.url}/api/conversations/${conversation}/completion`;
    return fetch(where, { method: 'POST', headers: this.headers, body: form });
  }

  /** Starts a completion, disconnects immediately, and returns the id of its stream. */
  async begin(conversation, fields) {
    const answer = await this.complete(conversation, fields);
    if (!answer.ok) throw new Error(`completion: ${answer.status} ${await answer.text()}`);
    const stream = answer.headers.get('x-stream-id');
    await answer.body.cancel();
    return stream;
  }
}

/** A TCP relay in front of the server that cuts connections, as an unreliable network does. */
export class Relay {
  static async before(server) {
    const relay = new Relay();
    relay.open = new Set();
    relay.served = 0;
    /**
     * For each connection in turn, the number of bytes from the server that it forwards before it is cut, or a function of
     * the text so far that returns this number. Connections after the last entry are not cut.
     */
    relay.cuts = [];
    relay.listener = net.createServer(client => relay.carry(client, server.port)).listen(0, '127.0.0.1');
    await once(relay.listener, 'listening');
    relay.url = `http://127.0.0.1:${relay.listener.address().port}`;
    return relay;
  }

  carry(client, port) {
    const server = net.connect(port, '127.0.0.1');
    const cut = this.cuts[this.served++] ?? Infinity;
    let carried = '';
    const drop = () => {
      client.destroy();
      server.destroy();
      this.open.delete(drop);
    };
    this.open.add(drop);
    for (const end of [client, server]) end.on('error', drop).on('close', drop);
    client.on('data', piece => server.write(piece));
    server.on('data', piece => {
      const before = carried.length;
      // One character per byte.
      carried += piece.toString('latin1');
      const end = typeof cut === 'function' ? cut(carried) : cut;
      if (end > before) client.write(piece.subarray(0, end - before));
      // Let the forwarded data arrive before the connection is closed.
      if (end <= carried.length) setTimeout(drop, 20);
    });
  }

  /** Cuts every connection now. */
  cut() {
    for (const drop of [...this.open]) drop();
  }

  close() {
    this.cut();
    this.listener.close();
  }
}

/** An HTTP proxy in front of the server that responds with 502 while the server is unreachable, as nginx does. */
export class Gateway {
  static async before(server) {
    const gateway = new Gateway();
    /** Requests that were answered with 502. */
    gateway.refused = 0;
    gateway.listener = http.createServer((request, response) => gateway.pass(request, response, server.port)).listen(0, '127.0.0.1');
    await once(gateway.listener, 'listening');
    gateway.url = `http://127.0.0.1:${gateway.listener.address().port}`;
    return gateway;
  }

  pass(request, response, port) {
    const { method, url, headers } = request;
    const onward = http.request({ host: '127.0.0.1', port, method, path: url, headers, agent: false });
    onward.on('response', answer => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.on('error', () => response.destroy()).pipe(response);
    });
    onward.on('error', () => {
      if (response.headersSent) return response.destroy();
      this.refused += 1;
      response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>502 Bad Gateway</h1>');
    });
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  }

  /** Cuts every connection now. */
  cut() {
    this.listener.closeAllConnections();
  }

  close() {
    this.cut();
    this.listener.close();
  }
}
