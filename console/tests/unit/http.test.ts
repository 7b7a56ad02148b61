import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import type { Api } from '../../src/live/api';
import { NO_ANSWER, type Answer } from '../../src/live/answer';
import type { Problem, StreamEvent } from '../../src/live/event';
import { fold } from '../../src/live/fold';
import { AnswerFollower } from '../../src/live/follow';
import { HttpTransport } from '../../src/live/http';
import { LiveTransport } from '../../src/live/live';
import { EventStreamParser } from '../../src/live/sse';
import { LiveProblem, type StreamTarget } from '../../src/live/transport';
import { TestClock, until } from './clock';
import { journal, RUN } from './journal';
import { forSeeds, Random } from './seeded';

const TARGET: StreamTarget = { to: 'stream', conversation_id: 'c', stream_id: RUN };

type Handler = (request: IncomingMessage, response: ServerResponse) => void;
let handler: Handler = (_, response) => response.end();
const server = createServer((request, response) => handler(request, response));
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
after(() => {
  server.closeAllConnections();
  server.close();
});

const api: Api = {
  base: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
  fetch: (path, options) => fetch(new URL(path, api.base), options),
};

/** Delays between attempts pass at once; the watch over silent connections does not. */
class HastyClock extends TestClock {
  override after(delayMs: number, run: () => void): () => void {
    if (delayMs > 30_000) return super.after(delayMs, run);
    const timer = setImmediate(run);
    return () => clearImmediate(timer);
  }
}

function encoded(events: readonly StreamEvent[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\nid: ${event.seq}\n\n`).join(': heartbeat\n');
}

/** Serves a journal, and breaks connections at random places. */
function serve(events: readonly StreamEvent[], random: Random): Handler {
  return (request, response) => {
    const position = Number(request.headers['last-event-id'] ?? 0);
    if (position >= events.length) return void response.writeHead(204).end();
    const fate = random.below(8);
    if (fate === 0) return void request.socket.destroy();
    if (fate === 1) return void response.writeHead(502).end('<html>');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const body = `retry: 1000\n${encoded(events.slice(position))}`;
    if (fate === 2) return void response.end(body);
    const cut = random.below(body.length);
    response.write(body.slice(0, cut), () => (random.below(2) === 0 ? response.destroy() : response.end()));
  };
}

test('HttpTransport delivers the whole stream over any number of cuts', async () => {
  for (let stream = 0; stream < 60; stream += 1) {
    const random = new Random(stream);
    const events = journal(random);
    handler = serve(events, random);
    const received: StreamEvent[] = [];
    let ended = 0;
    new HttpTransport(api, new HastyClock()).subscribe(TARGET, {
      deliver: (batch) => received.push(...batch),
      ended: () => (ended += 1),
      refused: (problem) => assert.fail(JSON.stringify(problem)),
    });
    await until(() => ended > 0);
    assert.deepEqual(received, events, `case ${stream}`);
  }
});

test('AnswerFollower over HTTP shows the answer of the journal', async () => {
  for (let stream = 0; stream < 20; stream += 1) {
    const random = new Random(stream);
    const events = journal(random);
    handler = serve(events, random);
    let answer: Answer = NO_ANSWER;
    const clock = new HastyClock();
    new AnswerFollower(new HttpTransport(api, clock), TARGET, { clock, onAnswer: (now) => (answer = now), onRefused: () => assert.fail() });
    await until(() => answer.terminal !== null);
    assert.deepEqual(answer, fold(NO_ANSWER, events).answer);
  }
});

for (const status of [400, 401, 403, 404, 410, 422]) {
  test(`HttpTransport does not repeat a subscription that is refused with ${status}`, async () => {
    let requests = 0;
    handler = (_, response) => {
      requests += 1;
      response.writeHead(status, { 'content-type': 'application/problem+json' }).end(JSON.stringify({ status, code: 'some_code', title: 'No' }));
    };
    const problems: Problem[] = [];
    new HttpTransport(api, new HastyClock()).subscribe(TARGET, { deliver: () => {}, ended: () => {}, refused: (problem) => problems.push(problem) });
    await until(() => problems.length > 0);
    assert.deepEqual([problems[0]?.code, problems[0]?.status, requests], ['some_code', status, 1]);
  });
}

test('HttpTransport waits as long as the server demands', async () => {
  handler = (_, response) => void response.writeHead(429, { 'retry-after': '7' }).end();
  const clock = new TestClock();
  let retryAt = 0;
  new HttpTransport(api, clock).subscribe(TARGET, {
    deliver: () => {},
    ended: () => {},
    refused: () => assert.fail(),
    connection: (connection) => (retryAt = connection.state === 'waiting' ? connection.retry_at : retryAt),
  });
  await until(() => retryAt > 0);
  assert.equal(retryAt - clock.now(), 7000);
});

test('HttpTransport replaces a connection that has died silently', async () => {
  let requests = 0;
  handler = (_, response) => {
    requests += 1;
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': heartbeat\n');
  };
  const clock = new HastyClock();
  let isOpen = false;
  const transport = new HttpTransport(api, clock);
  transport.subscribe(TARGET, { deliver: () => {}, ended: () => {}, refused: () => {}, connection: ({ state }) => (isOpen = state === 'open') });
  await until(() => isOpen && clock.next !== undefined);
  await clock.advance(46_000);
  await until(() => requests === 2);
  transport.close();
});

test('HttpTransport leaves connections for requests, and serves answers first', async () => {
  const open: string[] = [];
  const responses = new Map<string, ServerResponse>();
  handler = (request, response) => {
    const path = request.url ?? '';
    open.push(path);
    responses.set(path, response);
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('retry: 1\n');
  };
  const transport = new HttpTransport(api, new HastyClock());
  const ignore = { deliver: () => {}, ended: () => {}, refused: () => {} };
  const feeds = [1, 2, 3, 4, 5].map((at) => transport.subscribe({ to: 'conversation', conversation_id: `f${at}` }, ignore));
  transport.subscribe(TARGET, ignore);
  await until(() => open.length === 4);
  feeds[0]!.close();
  await until(() => open.length === 5);
  assert.ok(open[4]?.includes('/streams/'), open[4]);
  transport.close();
});

test('HttpTransport of a hidden page leaves its connections to other tabs, and continues where it was', async () => {
  const positions: (string | undefined)[] = [];
  const responses: ServerResponse[] = [];
  const events = journal(new Random(5));
  handler = (request, response) => {
    positions.push(request.headers['last-event-id'] as string | undefined);
    responses.push(response);
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(encoded(events.slice(0, 2)));
  };
  const clock = new TestClock();
  const transport = new HttpTransport(api, clock);
  let delivered = 0;
  transport.subscribe(TARGET, { deliver: (added) => void (delivered += added.length), ended: () => {}, refused: () => {} });
  await until(() => delivered === 2);
  clock.hide();
  await clock.advance(9_000);
  assert.equal(responses[0]!.destroyed, false);
  await clock.advance(2_000);
  await until(() => responses[0]!.destroyed);
  await clock.advance(60_000);
  assert.equal(positions.length, 1);
  await clock.wake();
  await until(() => positions.length === 2);
  assert.equal(positions[1], String(events[1]!.seq));
  transport.close();
});

test('HttpTransport stops reading when a subscription is closed', async () => {
  let closed = false;
  handler = (request, response) => {
    request.on('close', () => (closed = true));
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('retry: 1\n');
  };
  let isOpen = false;
  const subscription = new HttpTransport(api, new HastyClock()).subscribe(TARGET, {
    deliver: () => assert.fail(),
    ended: () => assert.fail(),
    refused: () => assert.fail(),
    connection: ({ state }) => (isOpen ||= state === 'open'),
  });
  await until(() => isOpen);
  subscription.close();
  await until(() => closed);
});

test('cancel reports why the server refuses it', async () => {
  handler = (request, response) => {
    assert.equal(request.method, 'DELETE');
    response.writeHead(403, { 'content-type': 'application/problem+json' }).end('{"status":403,"code":"scope_missing","title":"No"}');
  };
  await assert.rejects(new HttpTransport(api, new TestClock()).cancel(TARGET), (error: unknown) => error instanceof LiveProblem && error.problem.code === 'scope_missing');
});

test('LiveTransport moves subscriptions to HTTP at their position if no WebSocket can be opened', async () => {
  const events = journal(new Random(4));
  const positions: (string | undefined)[] = [];
  handler = (request, response) => {
    if (request.url === '/api/users/me') return void response.end('{}');
    positions.push(request.headers['last-event-id'] as string | undefined);
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(encoded(events.slice(2)));
  };
  const received: StreamEvent[] = [];
  let unavailable = 0;
  let ended = false;
  const refusing = () => {
    const socket = { readyState: 0, send() {}, close() {}, onopen: null, onmessage: null, onclose: null as (() => void) | null };
    setImmediate(() => socket.onclose?.());
    return socket as never;
  };
  const transport = new LiveTransport(api, { clock: new HastyClock(), open: refusing, onUnavailable: () => (unavailable += 1) });
  transport.subscribe(TARGET, { deliver: (batch) => received.push(...batch), ended: () => (ended = true), refused: () => assert.fail() }, { after: 2 });
  await until(() => ended);
  assert.deepEqual([received, positions, unavailable], [events.slice(2), ['2'], 1]);
});

test('EventStreamParser finds the same events in every division of a stream', () => {
  const encoder = new TextEncoder();
  forSeeds(200, (random) => {
    const lines = ['data: {"a":"ä🌊"}', 'data:x', 'data', 'id: 7', 'id', ': comment', 'event: e', 'retry: 10', '', '', 'unknown: y'];
    const bytes = encoder.encode(Array.from({ length: 30 }, () => random.pick(lines) + random.pick(['\n', '\r\n'])).join('') + '\n');
    const whole = new EventStreamParser().push(bytes);
    const parser = new EventStreamParser();
    const parts = [];
    for (let at = 0; at < bytes.length; ) {
      const end = at + 1 + random.below(9);
      parts.push(...parser.push(bytes.subarray(at, end)));
      at = end;
    }
    assert.deepEqual(parts, whole);
  });
});

test('EventStreamParser refuses an event without an end', () => {
  const parser = new EventStreamParser();
  const chunk = new Uint8Array(8 * 1024 * 1024).fill(97);
  assert.throws(() => Array.from({ length: 8 }, () => parser.push(chunk)), /too long/);
});
