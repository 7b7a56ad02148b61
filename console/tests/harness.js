// Starts what a browser test needs: the server with real storage in a temporary folder, a provider that speaks OpenAI's
// protocol, and Chromium.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { chromium } from 'playwright-core';
import { startProvider } from './provider.js';

const BINARY = process.env.UNDERSTUDY_BIN ?? resolve(import.meta.dirname, '../../target/release/understudy');
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

/** One process of the server. `url` is where browsers find the console, `port` is that of the process. */
export class Server {
  /** `settings` are environment variables that change the configuration, such as `UNDERSTUDY_BRANDING__NAME`. */
  static async start(settings = {}) {
    const server = new Server();
    server.settings = settings;
    server.data = mkdtempSync(join(tmpdir(), 'understudy-console-'));
    server.provider = await startProvider();
    await server.run();
    return server;
  }

  /** Starts the process, on the port it had before if there was one. */
  async run() {
    const environment = {
      PATH: process.env.PATH,
      UNDERSTUDY_DATA: this.data,
      UNDERSTUDY_SERVER__LISTEN: `127.0.0.1:${this.port ?? 0}`,
      UNDERSTUDY_MODELS__PROBE_LOCAL: 'false',
      OPENAI_API_KEY: 'test',
      OPENAI_BASE_URL: `${this.provider.url}/v1`,
      ...(process.env.UNDERSTUDY_CONSOLE_DIST && { UNDERSTUDY_CONSOLE_DIST: process.env.UNDERSTUDY_CONSOLE_DIST }),
      ...this.settings,
    };
    this.process = spawn(BINARY, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const address = await new Promise((found, failed) => {
      const read = chunk => {
        output += chunk;
        this.password ??= /^\s*password\s+(\S+)/m.exec(output)?.[1];
        const listening = /listens on (http:\/\/\S+)/.exec(output)?.[1];
        // The password is printed after the address, at the first start only.
        if (listening && (this.password || /Data in/.test(output))) setImmediate(() => found(listening));
      };
      this.process.stdout.on('data', read);
      this.process.stderr.on('data', read);
      this.process.once('error', failed);
      this.process.once('exit', code => failed(new Error(`The server ended with ${code}:\n${output}`)));
    });
    this.api = this.url = address;
    this.port = new URL(address).port;
    await until(() => this.password, 'the password of the administrator');
    await until(async () => (await fetch(`${address}/readyz`).catch(() => undefined))?.ok, 'the server is ready');
  }

  /** Ends the process without a warning, as a power failure does. */
  async kill() {
    const ended = new Promise(done => this.process.once('exit', done));
    this.process.kill('SIGKILL');
    await ended;
  }

  async stop() {
    await this.kill();
    await this.provider.close();
    rmSync(this.data, { recursive: true, force: true });
  }

  /** A client of the API as the administrator. */
  async admin() {
    const json = { 'content-type': 'application/json' };
    const body = JSON.stringify({ email: 'admin@localhost', password: this.password });
    const login = await fetch(`${this.api}/api/auth/login/`, { method: 'POST', headers: json, body });
    const { access_token } = await login.json();
    return this.client(access_token);
  }

  /** A client of the API with a token. */
  client(token) {
    return async (method, path, content) => {
      const isForm = content instanceof FormData;
      const headers = { authorization: `Bearer ${token}`, ...(content && !isForm ? { 'content-type': 'application/json' } : {}) };
      const response = await fetch(this.api + path, { method, headers, body: isForm ? content : content && JSON.stringify(content) });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return text ? JSON.parse(text) : undefined;
    };
  }
}

export function launch(flags = []) {
  return chromium.launch({ executablePath: CHROMIUM, args: [...FLAGS, ...flags] });
}

/** A page that records what must not happen: reports of the content security policy, exceptions, requests to other hosts. */
export async function openPage(context, server) {
  const page = await context.newPage();
  // Longer than anything takes on a slow machine: a test fails by what it sees, not by the speed.
  page.setDefaultTimeout(60_000);
  page.faults = [];
  page.on('console', message => {
    if (/Content Security Policy|Trusted Type|TrustedHTML/i.test(message.text())) page.faults.push(message.text());
  });
  page.on('pageerror', error => page.faults.push(String(error)));
  page.on('request', request => {
    const { protocol, host } = new URL(request.url());
    if (protocol.startsWith('http') && host !== new URL(server.url).host) page.faults.push(`A request to ${request.url()}`);
  });
  return page;
}

/**
 * Another tab of the same browser, behind the page. A page that is behind another one draws rarely, and a click waits until the
 * element does not move, so that each would take a second.
 */
export async function openBehind(page, server, path = '/') {
  const other = await openPage(page.context(), server);
  await other.goto(server.url + path);
  await page.bringToFront();
  return other;
}

/** Signs in as the administrator, without the form, and opens a new conversation. */
export async function signIn(page, server) {
  const response = await page.context().request.post(`${server.url}/api/auth/login/`, { data: { email: 'admin@localhost', password: server.password } });
  if (!response.ok()) throw new Error(`The administrator could not sign in: ${response.status()}`);
  await page.goto(server.url);
  await page.getByLabel('Message', { exact: true }).waitFor();
}

/** Signs in as the administrator with the form, by the keyboard only. */
export async function signInByForm(page, server) {
  await page.goto(`${server.url}/login`);
  await page.getByLabel('E-mail address').fill('admin@localhost');
  await page.getByLabel('Password', { exact: true }).fill(server.password);
  await page.keyboard.press('Enter');
  await page.getByLabel('Message', { exact: true }).waitFor();
}

/** Waits for a condition, up to a minute. */
export async function until(condition, what) {
  const end = Date.now() + 60_000;
  for (;;) {
    const result = await condition();
    if (result) return result;
    if (Date.now() > end) throw new Error(`It did not happen within a minute: ${what}`);
    await new Promise(done => setTimeout(done, 25));
  }
}
