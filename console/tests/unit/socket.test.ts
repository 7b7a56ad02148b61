import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Api } from '../../src/live/api';
import { NO_ANSWER, type Answer } from '../../src/live/answer';
import type { Problem, StreamEvent } from '../../src/live/event';
import { fold } from '../../src/live/fold';
import { AnswerFollower } from '../../src/live/follow';
import { SocketTransport, type SocketLike } from '../../src/live/socket';
import type { Connection, StreamTarget } from '../../src/live/transport';
import { settled, TestClock } from './clock';
import { journal, merged, RUN } from './journal';
import { forSeeds, Random } from './seeded';

const TARGET: StreamTarget = { to: 'stream', conversation_id: 'c', stream_id: RUN };

/** One connection, as the server sees it. */
class FakeSocket implements SocketLike {
  readyState = 0 as SocketLike['readyState'];
  onopen: SocketLike['onopen'] = null;
  onmessage: SocketLike['onmessage'] = null;
  onclose: SocketLike['onclose'] = null;
  readonly commands: Record<string, unknown>[] = [];
  closed = false;

  constructor(readonly url: string) {}

  accept(): void {
    this.readyState = 1;
    this.onopen?.call(this as never, {} as Event);
  }

  cut(): void {
    this.readyState = 3;
    this.onclose?.call(this as never, {} as CloseEvent);
  }

  say(message: object): void {
    this.onmessage?.call(this as never, { data: JSON.stringify(message) } as MessageEvent);
  }

  send(text: string | unknown): void {
    this.commands.push(JSON.parse(String(text)) as Record<string, unknown>);
  }

  close(): void {
    this.closed = true;
    this.readyState = 3;
  }

  /** The last command to subscribe. */
  get subscribed(): Record<string, unknown> {
    const command = this.commands.findLast((command) => command['op'] === 'subscribe');
    assert.ok(command, 'nothing was subscribed to');
    return command;
  }
}

function setup(api: Partial<Api> = {}) {
  const clock = new TestClock();
  const sockets: FakeSocket[] = [];
  let unavailable = 0;
  const transport = new SocketTransport(
    { base: 'https://example.org/ai/', fetch: async () => new Response('{}'), ...api },
    { clock, open: (url) => (sockets.push(new FakeSocket(url)), sockets.at(-1)!), onUnavailable: () => (unavailable += 1) },
  );
  return { clock, transport, sockets, latest: () => sockets.at(-1)!, unavailable: () => unavailable };
}

function recorder() {
  const log = { events: [] as StreamEvent[], ended: 0, problems: [] as Problem[], connections: [] as Connection['state'][] };
  const subscriber = {
    deliver: (events: readonly StreamEvent[]) => void log.events.push(...events),
    ended: () => void (log.ended += 1),
    refused: (problem: Problem) => void log.problems.push(problem),
    connection: ({ state }: Connection) => void log.connections.push(state),
  };
  return { log, subscriber };
}

const say = (socket: FakeSocket, event: StreamEvent, id: unknown = socket.subscribed['id']) =>
  socket.say({ type: 'event', id, position: String(event.seq), event });

test('socket subscribes by the path of the operation, under the base path of the server', () => {
  const { transport, latest } = setup();
  transport.subscribe(TARGET, recorder().subscriber, { after: 4, fold: true });
  latest().accept();
  assert.equal(latest().url, 'wss://example.org/ai/api/live');
  assert.deepEqual(latest().commands, [{ op: 'subscribe', id: '1', to: `/api/conversations/c/streams/${RUN}?fold=true`, after: 4 }]);
});

test('socket carries all subscriptions on one connection', () => {
  const { transport, sockets, latest } = setup();
  const first = recorder();
  const second = recorder();
  transport.subscribe(TARGET, first.subscriber);
  latest().accept();
  transport.subscribe({ to: 'notifications' }, second.subscriber as never);
  const [a, b] = journal(new Random(1)) as [StreamEvent, StreamEvent];
  latest().say({ type: 'event', id: '2', position: '1', event: b });
  latest().say({ type: 'event', id: '1', position: '1', event: a });
  assert.equal(sockets.length, 1);
  assert.deepEqual([first.log.events, second.log.events], [[a], [b]]);
});

test('socket resumes every subscription after a cut, at every position', async () => {
  const events = journal(new Random(2));
  for (let cut = 0; cut < events.length; cut += 1) {
    const { clock, transport, sockets, latest } = setup();
    const { log, subscriber } = recorder();
    transport.subscribe(TARGET, subscriber);
    latest().accept();
    events.slice(0, cut).forEach((event) => say(latest(), event));
    latest().cut();
    await clock.advance(1000);
    assert.equal(sockets.length, 2);
    latest().accept();
    assert.equal(latest().subscribed['after'], cut === 0 ? undefined : String(cut));
    events.slice(cut).forEach((event) => say(latest(), event));
    latest().say({ type: 'ended', id: latest().subscribed['id'] });
    assert.deepEqual(log.events, events);
    assert.equal(log.ended, 1);
  }
});

test('socket waits longer after each failure, and not at all when the browser is online again', async () => {
  const { clock, transport, sockets, latest } = setup({ fetch: async () => Promise.reject(new TypeError('offline')) });
  const { log, subscriber } = recorder();
  transport.subscribe(TARGET, subscriber);
  latest().accept();
  latest().cut();
  const delays: number[] = [];
  for (let attempt = 0; attempt < 24; attempt += 1) {
    delays.push(clock.next!);
    await clock.advance(clock.next!);
  }
  assert.deepEqual(delays.slice(0, 4), [375, 750, 750, 750]);
  assert.equal(delays.at(-1), 22_500);
  assert.ok(delays.every((delay) => delay <= 30_000));
  assert.equal(sockets.length, 1, 'no socket is opened while the server cannot be reached');
  assert.equal(log.connections.at(-1), 'waiting');
  await clock.wake();
  assert.equal(log.problems.length, 0);
});

test('socket that has died silently is replaced', async () => {
  const { clock, transport, sockets, latest } = setup();
  transport.subscribe(TARGET, recorder().subscriber);
  latest().accept();
  await clock.advance(20_000);
  assert.deepEqual(latest().commands.at(-1), { op: 'ping' });
  latest().say({ type: 'pong' });
  await clock.advance(34_000);
  assert.equal(sockets.length, 1, 'the answer to the ping counts');
  await clock.advance(2_000);
  assert.equal(sockets.length, 2);
  assert.equal(sockets[0]!.closed, true);
});

test('socket that has died while the computer was asleep is replaced after some seconds', async () => {
  const { clock, transport, sockets, latest } = setup();
  transport.subscribe(TARGET, recorder().subscriber);
  latest().accept();
  await clock.sleep(600_000);
  assert.deepEqual(latest().commands.at(-1), { op: 'ping' });
  await clock.advance(5_000);
  assert.equal(sockets.length, 2);
  latest().accept();
  await clock.sleep(600_000);
  latest().say({ type: 'pong' });
  await clock.advance(15_000);
  assert.equal(sockets.length, 2, 'a socket that has survived stays');
});

test('socket is checked at once when the page becomes visible or the browser is online again', async () => {
  const { clock, transport, sockets, latest } = setup();
  transport.subscribe(TARGET, recorder().subscriber);
  latest().accept();
  await clock.wake();
  assert.deepEqual(latest().commands.at(-1), { op: 'ping' });
  await clock.advance(5_000);
  assert.equal(sockets.length, 2);
});

test('socket ends all subscriptions when the login has ended', async () => {
  const problem = { type: 'x', title: 'Sign in', status: 401, code: 'unauthorized', request_id: 'r' };
  const { clock, transport, latest } = setup({ fetch: async () => Response.json(problem, { status: 401 }) });
  const { log, subscriber } = recorder();
  transport.subscribe(TARGET, subscriber);
  latest().accept();
  latest().cut();
  await clock.advance(1000);
  assert.deepEqual(log.problems.map(({ code }) => code), ['unauthorized']);
});

test('socket is unavailable if no handshake succeeds although the server answers', async () => {
  const { clock, transport, sockets, latest, unavailable } = setup();
  transport.subscribe(TARGET, recorder().subscriber);
  latest().cut();
  await clock.advance(1000);
  assert.equal(unavailable(), 0);
  latest().cut();
  await clock.advance(2000);
  assert.equal(unavailable(), 1);
  await clock.advance(600_000);
  assert.equal(sockets.length, 2);
});

test('socket reports a refused subscription, and repeats one that the server cannot serve now', async () => {
  const { clock, transport, latest } = setup();
  const { log, subscriber } = recorder();
  transport.subscribe(TARGET, subscriber);
  latest().accept();
  latest().say({ type: 'ended', id: '1', problem: { status: 429, code: 'rate_limited', title: 'Too many' } });
  await clock.advance(1000);
  assert.equal(latest().subscribed['id'], '2');
  latest().say({ type: 'ended', id: '2', problem: { status: 410, code: 'stream_expired', title: 'Expired' } });
  assert.deepEqual(log.problems.map(({ code }) => code), ['stream_expired']);
});

test('socket ignores messages of closed subscriptions and such that are none', () => {
  const { transport, latest } = setup();
  const { log, subscriber } = recorder();
  const subscription = transport.subscribe(TARGET, subscriber);
  latest().accept();
  const [event] = journal(new Random(1)) as [StreamEvent];
  for (const junk of ['', '{', '[]', 'null', '{"type":"event"}', '{"type":"event","id":"1"}', '{"type":"event","id":"1","event":7}']) {
    latest().onmessage?.call(latest() as never, { data: junk } as MessageEvent);
  }
  subscription.close();
  say(latest(), event);
  assert.deepEqual(latest().commands.at(-1), { op: 'unsubscribe', id: '1' });
  assert.deepEqual(log.events, []);
});

test('socket without subscriptions is closed after a while', async () => {
  const { clock, transport, sockets, latest } = setup();
  const subscription = transport.subscribe(TARGET, recorder().subscriber);
  latest().accept();
  subscription.close();
  await clock.advance(120_000);
  assert.equal(sockets[0]!.closed, true);
  transport.subscribe(TARGET, recorder().subscriber);
  assert.equal(sockets.length, 2);
});

test('AnswerFollower shows the whole answer whatever is cut, repeated, merged or lost', async () => {
  const cases: Random[] = [];
  forSeeds(80, (random) => cases.push(random));
  for (const random of cases) {
    const events = journal(random);
    const { clock, transport, latest } = setup();
    let answer: Answer = NO_ANSWER;
    const problems: Problem[] = [];
    new AnswerFollower(transport, TARGET, { clock, onAnswer: (now) => (answer = now), onRefused: (problem) => problems.push(problem) });
    latest().accept();
    for (let step = 0; answer.terminal === null; step += 1) {
      assert.ok(step < 5000);
      const { id, after = 0 } = latest().subscribed;
      const at = Math.max(Number(after), answer.seq);
      const rest = merged(events.slice(at), at + random.below(4));
      const sent = rest.slice(0, 1 + random.below(6));
      const lost = random.below(sent.length);
      // The loss of a delta before another one cannot be told from a merge.
      if (random.below(4) === 0 && !sent[lost + 1]?.type.endsWith('.delta')) sent.splice(lost, 1);
      if (random.below(4) === 0 && at > 0) sent.unshift(events[random.below(at)]!);
      sent.forEach((event) => say(latest(), event, id));
      await clock.advance(20);
      if (random.below(5) === 0 && answer.terminal === null) {
        latest().cut();
        await clock.advance(1000);
        latest().accept();
      }
    }
    assert.deepEqual(answer, fold(NO_ANSWER, events).answer);
    assert.deepEqual(problems, []);
  }
});

test('AnswerFollower gives up a stream that always misses the same event', async () => {
  const events = journal(new Random(3));
  const { clock, transport, latest } = setup();
  const problems: Problem[] = [];
  new AnswerFollower(transport, TARGET, { clock, onAnswer: () => {}, onRefused: (problem) => problems.push(problem) });
  latest().accept();
  for (let attempt = 0; attempt < 10 && problems.length === 0; attempt += 1) {
    say(latest(), events.at(-1)!);
    await clock.advance(20);
  }
  assert.deepEqual(problems.map(({ code }) => code), ['stream_gap']);
  await settled();
});
