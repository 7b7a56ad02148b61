// The code in docs/conversations.md that reopens a closed EventSource, unmodified, in an environment like that of a page: an
// EventSource, cookies, and an HTTP proxy in front of the server.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { EventSource } from 'eventsource';

import { Gateway, Server, email, password } from './server.js';

const fields = {
  message: 'Tell me of the sea, of ships, and of those who wait ashore.',
  model: 'builtin/scribe',
  recovery: 'continue',
  parameters: { length: 200, pace_ms: 20 },
};
let server, gateway;
before(async () => (server = await Server.start()));
after(() => server.remove());
beforeEach(async () => (gateway = await Gateway.before(server)));
afterEach(() => gateway.close());

/** The only JavaScript block on a page of the documentation that defines this function. */
async function documented(page, name) {
  const text = await readFile(new URL(`../../docs/${page}`, import.meta.url), 'utf8');
  const blocks = [...text.matchAll(/^```js\n(.*?)^```/gms)].map(([, code]) => code);
  const [code, ...others] = blocks.filter(code => code.includes(`function ${name}(`));
  assert.ok(code && !others.length, `docs/${page} defines ${name} once`);
  return code;
}

/** A page of the gateway's origin: relative addresses, cookies, and the documented functions. */
class Page {
  static async open() {
    const page = new Page();
    page.cookies = new Map();
    /** Requests so far: `HEAD /api/...`. */
    page.asked = [];
    /** The EventSources that were opened, oldest first. */
    page.sources = [];
    const fetch = (where, init) => page.fetch(where, init);
    class PageEventSource extends EventSource {
      constructor(where) {
        super(new URL(where, gateway.url), { fetch });
        page.sources.push(this);
      }
    }
    // There is only one tab, so the lock is always free.
    const navigator = { locks: { request: (_, act) => act() } };
    const code = [await documented('people.md', 'ask'), await documented('conversations.md', 'follow'), 'return { follow, types };'];
    const define = new Function('EventSource', 'fetch', 'navigator', code.join('\n'));
    Object.assign(page, define(PageEventSource, fetch, navigator));
    const headers = { 'content-type': 'application/json' };
    const login = await page.fetch('/api/auth/login/', { method: 'POST', headers, body: JSON.stringify({ email, password }) });
    assert.equal(login.status, 200);
    return page;
  }

  async fetch(where, { method = 'GET', headers = {}, ...init } = {}) {
    const url = new URL(where, gateway.url);
    this.asked.push(`${method} ${url.pathname}`);
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, { method, headers: { ...headers, cookie, origin: gateway.url }, ...init });
    for (const line of answer.headers.getSetCookie()) {
      const [, name, value] = line.match(/^([^=]+)=([^;]*)/);
      this.cookies.set(name, value);
    }
    return answer;
  }

  /** Follows a stream until it ends or no longer exists; `atThird` is called at the third delta. */
  async read(where, atThird) {
    const shown = [];
    let late;
    try {
      await new Promise((resolve, reject) => {
        late = setTimeout(() => reject(new Error(`no end after ${shown.length} events`)), 60_000);
        let deltas = 0;
        this.follow(where, (type, event) => {
          shown.push({ type, event });
          if (type === 'text.delta' && ++deltas === 3) Promise.resolve(atThird()).catch(reject);
          if (['run.ended', 'stream.gone'].includes(type)) resolve();
        });
      });
    } finally {
      clearTimeout(late);
    }
    return shown;
  }
}

async function begin() {
  const conversation = await server.conversation();
  const stream = await server.begin(conversation, fields);
  return { conversation, stream: `/api/conversations/${conversation}/streams/${stream}` };
}

/** Checks that a page was shown all events of a stream, each once. */
async function assertShown({ types }, shown, stream) {
  const whole = await fetch(`${server.url}${stream}?wire=ndjson`, { headers: server.headers });
  const events = (await whole.text()).trim().split('\n').map(line => JSON.parse(line));
  const wanted = events.filter(({ type }) => types.includes(type));
  assert.deepEqual(shown.map(({ event }) => event.seq), wanted.map(({ seq }) => seq), 'no gap, nothing twice');
  assert.deepEqual(shown.map(({ event }) => event), wanted);
  assert.equal(shown.at(-1).type, 'run.ended');
}

test('follow shows every event once behind a proxy that answers 502 while the server restarts', async () => {
  const page = await Page.open();
  const { stream } = await begin();
  const shown = await page.read(stream, async () => {
    await server.kill();
    try {
      // A request of an EventSource and the HEAD request after it, twice.
      for (const late = Date.now() + 30_000; gateway.refused < 4; await sleep(20)) assert.ok(Date.now() < late, 'it tries again');
    } finally {
      await server.run();
    }
  });
  await assertShown(page, shown, stream);
  assert.ok(shown.some(({ type }) => type === 'run.recovered'));
  assert.ok(page.sources.length >= 3, `${page.sources.length} EventSources`);
  for (const source of page.sources) assert.equal(source.readyState, EventSource.CLOSED);
});

test('follow refreshes an expired login, and continues', async () => {
  const page = await Page.open();
  const { stream } = await begin();
  const shown = await page.read(stream, () => {
    // A browser drops the cookie when it expires.
    page.cookies.delete('understudy_access');
    gateway.cut();
  });
  await assertShown(page, shown, stream);
  assert.equal(page.asked.filter(line => line === 'POST /api/auth/refresh/').length, 1);
  assert.equal(page.sources.length, 2);
});

test('follow ends when the stream no longer exists', async () => {
  const page = await Page.open();
  const { conversation, stream } = await begin();
  const shown = await page.read(stream, () => {
    gateway.cut();
    return server.call('DELETE', `/api/conversations/${conversation}`);
  });
  assert.deepEqual(shown.at(-1), { type: 'stream.gone', event: { status: 404 } });
  const asked = page.asked.length;
  await sleep(2500);
  assert.equal(page.asked.length, asked, 'it is not asked for again');
});
