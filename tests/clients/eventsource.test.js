// EventSource, as in browsers: it reconnects automatically, and sends its position as Last-Event-ID.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { EventSource } from 'eventsource';

import { Relay, Server } from './server.js';

const fields = {
  message: 'Tell me of the sea, of ships, and of those who wait ashore.',
  model: 'builtin/scribe',
  wire: 'events',
};
const types = [
  'run.queued', 'run.started', 'text.start', 'text.delta', 'text.end', 'reasoning.start', 'reasoning.delta',
  'reasoning.end', 'source', 'file', 'title', 'usage', 'run.recovered', 'run.reset', 'run.cancelling', 'run.ended',
];
let server;
before(async () => (server = await Server.start()));
after(() => server.remove());

/** An EventSource with a credential in place of a browser's cookie, and the Last-Event-IDs of its requests. */
function source(url) {
  const asked = [];
  const es = new EventSource(url, {
    fetch: (where, init) => {
      asked.push(init.headers['Last-Event-ID'] ?? init.headers['last-event-id'] ?? null);
      return fetch(where, { ...init, headers: { ...init.headers, ...server.headers } });
    },
  });
  return { es, asked };
}

/** Reads until the run's end and returns all events in the order in which they arrived. */
function readOut({ es }) {
  return new Promise((resolve, reject) => {
    const events = [];
    const patience = setTimeout(() => (es.close(), reject(new Error(`no end after ${events.length} events`))), 60_000);
    for (const type of types) {
      es.addEventListener(type, event => {
        events.push({ id: Number(event.lastEventId), data: event.data });
        if (type !== 'run.ended') return;
        clearTimeout(patience);
        es.close();
        resolve(events);
      });
    }
  });
}

function assertWhole(events) {
  assert.deepEqual(events.map(event => event.id), events.map((_, place) => place + 1), 'no gap, nothing twice');
  for (const { id, data } of events) assert.equal(JSON.parse(data).seq, id);
}

test('misses nothing through dropped connections', async () => {
  const conversation = await server.conversation();
  const stream = await server.begin(conversation, { ...fields, parameters: { length: 600, pace_ms: 10 } });
  const relay = await Relay.before(server);
  // In total less than the text of the answer, so that every cut occurs. Many words may arrive at once.
  relay.cuts = [700, 1000, 1500];
  const where = `/api/conversations/${conversation}/streams/${stream}`;
  const broken = source(relay.url + where);
  const events = await readOut(broken);
  assertWhole(events);
  assert.equal(broken.asked.length, 4, 'it was cut three times');
  assert.deepEqual(broken.asked.map(id => Number(id)), broken.asked.map(id => Number(id)).sort((a, b) => a - b));
  assert.ok(Number(broken.asked.at(-1)) > 0);
  const whole = await readOut(source(server.url + where));
  assert.deepEqual(events, whole, 'what came in pieces is what comes at once');
  relay.close();
});

test('misses nothing through a killed server', async () => {
  const conversation = await server.conversation();
  const long = { ...fields, parameters: { length: 300, pace_ms: 15 }, recovery: 'continue' };
  const stream = await server.begin(conversation, long);
  const where = `${server.url}/api/conversations/${conversation}/streams/${stream}`;
  const reader = source(where);
  const reading = readOut(reader);
  await new Promise(resolve => {
    let deltas = 0;
    reader.es.addEventListener('text.delta', () => ++deltas === 3 && resolve());
  });
  await server.kill();
  await server.run();
  const events = await reading;
  assertWhole(events);
  assert.ok(reader.asked.length > 1);
  assert.ok(events.some(({ data }) => JSON.parse(data).type === 'run.recovered'));
  assert.deepEqual(events, await readOut(source(where)));
});

test("the conversation's feed reports changes of the conversation", async () => {
  const conversation = await server.conversation();
  const { es } = source(`${server.url}/api/conversations/${conversation}`);
  const seen = [];
  const ended = new Promise(resolve => {
    for (const type of ['stream.started', 'stream.ended', 'message.created', 'message.updated', 'title.updated']) {
      es.addEventListener(type, event => {
        seen.push({ type, data: JSON.parse(event.data) });
        if (type === 'stream.ended') resolve();
      });
    }
  });
  await new Promise(resolve => es.addEventListener('feed.opened', resolve));
  const stream = await server.begin(conversation, { ...fields, parameters: { length: 5 } });
  await ended;
  es.close();
  const started = seen.find(({ type }) => type === 'stream.started');
  assert.ok(JSON.stringify(started.data).includes(stream));
  assert.ok(seen.some(({ type }) => type === 'message.created'));
});
