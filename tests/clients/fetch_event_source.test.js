// The unmodified library @microsoft/fetch-event-source. It can also read a stream in response to a POST, and repeats a
// request whose connection broke, with the id of the last event. It delivers a message at every blank line, even an empty one.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { fetchEventSource } from '@microsoft/fetch-event-source';

import { Relay, Server } from './server.js';

// The parts of a browser that the library uses.
globalThis.window = globalThis;
globalThis.document = Object.assign(new EventTarget(), { hidden: false });

const message = 'Tell me of the sea, of ships, and of those who wait ashore.';
/** Lasts longer than the interval of heartbeats, which is 15 seconds. */
const slow = { length: 5, pace_ms: 5000 };
let server;
before(async () => (server = await Server.start()));
after(() => server.remove());

/**
 * Reads until the response ends, as a page would: parses the data of each message, and lets the library repeat the request
 * unless it was refused. `asked` is the `Last-Event-ID` of each request, `streams` the stream id of each response.
 */
async function read(url, { method = 'GET', headers = {}, body, signal, onanswer = () => {}, onmessage = () => {} } = {}) {
  const seen = { messages: [], asked: [], streams: [] };
  const late = AbortSignal.timeout(60_000);
  await fetchEventSource(url, {
    method,
    headers: { ...server.headers, ...(body && { 'content-type': 'application/json' }), ...headers },
    body: body && JSON.stringify(body),
    signal: signal ? AbortSignal.any([signal, late]) : late,
    fetch: async (where, init) => {
      seen.asked.push(init.headers['last-event-id'] ?? null);
      const answer = await fetch(where, init);
      seen.streams.push(answer.headers.get('x-stream-id'));
      onanswer(answer);
      return answer;
    },
    onopen: async answer => {
      if (!answer.ok) throw Object.assign(new Error(`${answer.status} ${await answer.text()}`), { isRefused: answer.status < 500 });
    },
    onmessage: event => {
      const { retry: _, ...shown } = event;
      seen.messages.push(shown);
      if (event.data !== '[DONE]') JSON.parse(event.data);
      onmessage(seen);
    },
    onerror: why => {
      if (why.isRefused || why instanceof SyntaxError) throw why;
    },
  });
  assert.ok(!late.aborted, `no end after ${seen.messages.length} messages`);
  return seen;
}

/** Checks that the messages are a complete stream from its first event to its last, each once. */
function assertWhole(messages) {
  const ids = messages.map(({ id }) => Number(id));
  const jumps = ids.map((id, at) => [ids[at - 1] ?? 0, id]).filter(([last, id]) => id !== last + 1);
  assert.deepEqual(jumps, [], 'no gap, nothing twice');
  for (const { id, event, data } of messages) {
    const { seq, type } = JSON.parse(data);
    assert.deepEqual([seq, type], [Number(id), event]);
  }
  assert.equal(messages.at(-1).event, 'run.ended');
}

/** A new conversation, and a question to send to it. */
async function question(fields) {
  const conversation = await server.conversation();
  const place = `/api/conversations/${conversation}`;
  return { conversation, place, post: { method: 'POST', body: { message, model: 'builtin/scribe', ...fields } } };
}

// These tests run concurrently, because each takes longer than a heartbeat.
describe('every message is an event, and neither the head nor a heartbeat is one', { concurrency: true }, () => {
  const heartbeat = /^: heartbeat\n/m;

  /** Like `read`, but also inspects the bytes. Disconnects from a feed, which does not end, after a heartbeat. */
  async function overheard(url, { endless = false, ...options } = {}) {
    const leave = new AbortController();
    let text = '';
    const overhear = async answer => {
      for await (const piece of answer.clone().body) {
        text += Buffer.from(piece).toString();
        if (endless && heartbeat.test(text)) leave.abort();
      }
    };
    const seen = await read(url, { ...options, signal: leave.signal, onanswer: answer => overhear(answer).catch(() => {}) });
    assert.match(text, heartbeat);
    assert.equal(seen.asked.length, 1, 'one request');
    assert.ok(seen.messages.length > 0);
    assert.deepEqual(seen.messages.filter(({ data }) => data === ''), [], 'no empty message');
    return seen.messages;
  }

  for (const wire of ['events', 'ui-message', 'openai', 'responses']) {
    test(`an answer on the wire ${wire}`, async () => {
      const { place, post } = await question({ parameters: slow, wire });
      const messages = await overheard(`${server.url}${place}/completion`, post);
      if (wire === 'events') assertWhole(messages);
    });
  }

  test('a stream that is attached to', async () => {
    const { conversation, place, post } = await question({ parameters: slow });
    const stream = await server.begin(conversation, post.body);
    assertWhole(await overheard(`${server.url}${place}/streams/${stream}`));
  });

  test('a chat completion', async () => {
    const body = { model: 'builtin/scribe', messages: [{ role: 'user', content: message }], stream: true, ...slow };
    await overheard(`${server.url}/api/chat/partner_compatible/v1/chat/completions`, { method: 'POST', body });
  });

  test("a conversation's feed", async () => {
    const { conversation, place, post } = await question({ parameters: { length: 5 } });
    // An answer that ended before the feed was opened is not reported by the feed.
    let reading;
    await new Promise((onmessage, refuse) => {
      reading = overheard(server.url + place, { endless: true, onmessage });
      reading.catch(refuse);
    });
    await server.begin(conversation, post.body);
    const messages = await reading;
    for (const { event, data } of messages) assert.equal(JSON.parse(data).type, event);
    assert.ok(messages.some(({ event }) => event === 'stream.ended'));
  });

  test('the feed of notifications', async () => {
    const messages = await overheard(`${server.url}/api/notifications`, { endless: true });
    assert.deepEqual(messages.map(({ event }) => event), ['unread_count']);
  });
});

/** The position after the nth occurrence of a text. */
const behind = (what, nth) => carried => {
  let at = 0;
  for (let count = 0; count < nth; count++) {
    at = carried.indexOf(what, at) + what.length;
    if (at < what.length) return Infinity;
  }
  return at;
};

for (const [where, what] of [
  ['between two events', '\n\n'],
  // The library stores an id when it reads the line, so the id has to be the last line of an event.
  ['within an event', '\ndata: {'],
]) {
  test(`attaching again after connections were cut ${where} misses nothing and repeats nothing`, async () => {
    const { conversation, place, post } = await question({ parameters: { length: 200, pace_ms: 10 } });
    const stream = await server.begin(conversation, post.body);
    const relay = await Relay.before(server);
    relay.cuts = [behind(what, 4), behind(what, 2), behind(what, 6)];
    const { messages, asked } = await read(`${relay.url}${place}/streams/${stream}`);
    relay.close();
    assertWhole(messages);
    assertResumed(asked);
    assert.deepEqual(messages, (await read(`${server.url}${place}/streams/${stream}`)).messages, 'what came in pieces is what comes at once');
  });

  test(`a POST that is repeated with its Idempotency-Key after connections were cut ${where} continues its answer`, async () => {
    const { conversation, place, post } = await question({ parameters: { length: 200, pace_ms: 10 } });
    const relay = await Relay.before(server);
    relay.cuts = [behind(what, 4), behind(what, 2), behind(what, 6)];
    const headers = { 'Idempotency-Key': randomUUID() };
    const { messages, asked, streams } = await read(`${relay.url}${place}/completion`, { ...post, headers });
    relay.close();
    assertWhole(messages);
    assertResumed(asked);
    await assertAskedOnce(conversation, streams);
  });
}

/** Checks that three connections were cut, and that each later request continued after the position of the previous one. */
function assertResumed([first, ...later]) {
  assert.equal(first, null);
  const places = later.map(Number);
  assert.equal(places.length, 3, `it was cut three times: ${places}`);
  places.forEach((place, at) => assert.ok(place > (places[at - 1] ?? 0), `it went on: ${places}`));
}

async function assertAskedOnce(conversation, streams) {
  assert.equal(new Set(streams).size, 1, 'one stream');
  const messages = await server.messages(conversation);
  assert.deepEqual(messages.map(({ role, status }) => [role, status]), [['user', 'complete'], ['assistant', 'complete']]);
}

test('a POST that is repeated with its Idempotency-Key after the server was killed continues its answer', async () => {
  const { conversation, place, post } = await question({ parameters: { length: 200, pace_ms: 15 }, recovery: 'continue' });
  const headers = { 'Idempotency-Key': randomUUID() };
  let restarted;
  const onmessage = ({ messages }) => {
    if (messages.length === 6) restarted = server.kill().then(() => sleep(200)).then(() => server.run());
  };
  const { messages, asked, streams } = await read(`${server.url}${place}/completion`, { ...post, headers, onmessage });
  await restarted;
  assertWhole(messages);
  assert.ok(messages.some(({ event }) => event === 'run.recovered'));
  assert.equal(asked[0], null);
  assert.ok(Number(asked.at(-1)) >= 6, 'the last request went on from what was read');
  await assertAskedOnce(conversation, streams);
});
