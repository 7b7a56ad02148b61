// Live data by one HTTP response per subscription, for environments without WebSocket. The responses are event streams,
// because these have heartbeats: a connection that has died silently is noticed.

import { isTemporary, readProblem, retryAfter } from '../api/problem';
import type { Api } from './api';
import { cancelRun } from './api';
import { browserClock, type Clock } from './clock';
import { afterDelayOrWake, Backoff } from './retry';
import { EventStreamParser, type ServerSentEvent } from './sse';
import { pathOf } from './transport';
import type { EventsOf, Position, StreamTarget, SubscribeOptions, Subscriber, Subscription, Target, Transport } from './transport';

/** The server sends something every 15 s. */
const SILENCE_MS = 45_000;
/** Browsers open six connections to a host over HTTP/1.1; the others are for requests. */
const CONNECTIONS = 4;
/** A page that is hidden for this time gives its connections to other tabs, and continues when it is visible again. */
const HIDDEN_MS = 10_000;
/** The target whose subscription is connected first if there are too many. */
const PRIORITY = { stream: 0, conversation: 1, notifications: 2 } as const;

export class HttpTransport implements Transport {
  private readonly readers = new Set<Reader>();
  private paused = false;
  private cancelPause = () => {};
  private readonly cancelListeners: readonly (() => void)[];

  constructor(
    private readonly api: Api,
    private readonly clock: Clock = browserClock,
  ) {
    this.cancelListeners = [clock.onHidden(() => this.pauseLater()), clock.onWake(() => this.resume())];
    if (clock.hidden()) this.pauseLater();
  }

  subscribe<T extends Target>(
    target: T,
    subscriber: Subscriber<EventsOf[T['to']]>,
    options: SubscribeOptions = {},
  ): Subscription {
    const reader = new Reader(this.api, this.clock, target, subscriber as Subscriber<unknown>, options, () => {
      this.readers.delete(reader);
      this.admit();
    });
    this.readers.add(reader);
    this.admit();
    return reader;
  }

  /** Each subscription has a connection of its own. */
  prepare(): void {}

  cancel(target: StreamTarget): Promise<void> {
    return cancelRun(this.api, target);
  }

  close(): void {
    const readers = [...this.readers];
    this.readers.clear();
    for (const reader of readers) reader.close();
    this.cancelPause();
    for (const cancel of this.cancelListeners) cancel();
  }

  private pauseLater(): void {
    this.cancelPause();
    this.cancelPause = this.clock.after(HIDDEN_MS, () => {
      this.paused = true;
      for (const reader of this.readers) reader.pause();
    });
  }

  private resume(): void {
    if (this.clock.hidden()) return;
    this.cancelPause();
    this.paused = false;
    this.admit();
  }

  /** Starts waiting subscriptions while there are connections for them. */
  private admit(): void {
    if (this.paused) return;
    const readers = [...this.readers];
    let free = CONNECTIONS - readers.filter((reader) => reader.started).length;
    const waiting = readers.filter((reader) => !reader.started);
    waiting.sort((a, b) => PRIORITY[a.target.to] - PRIORITY[b.target.to]);
    for (const reader of waiting) {
      if (free-- <= 0) return;
      reader.start();
    }
  }
}

/** Reads one target, over as many connections as it takes. */
class Reader implements Subscription {
  started = false;
  private position: Position | undefined;
  private closed = false;
  private attempt: AbortController | null = null;
  private cancelWait = () => {};
  private readonly backoff: Backoff;

  constructor(
    private readonly api: Api,
    private readonly clock: Clock,
    readonly target: Target,
    private readonly subscriber: Subscriber<unknown>,
    private readonly options: SubscribeOptions,
    private readonly onClosed: () => void,
  ) {
    this.position = options.after;
    this.backoff = new Backoff(clock);
  }

  start(): void {
    this.started = true;
    void this.read();
  }

  /** Gives the connection back. `start` continues at the position. */
  pause(): void {
    this.started = false;
    this.stop();
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.stop();
    this.onClosed();
  }

  private stop(): void {
    this.cancelWait();
    this.attempt?.abort();
    this.attempt = null;
  }

  private async read(): Promise<void> {
    const attempt = new AbortController();
    this.attempt = attempt;
    const isCurrent = () => this.attempt === attempt;
    this.subscriber.connection?.({ state: 'connecting' });
    let leastDelayMs = 0;
    try {
      const response = await this.request(attempt.signal);
      if (!isCurrent()) return;
      if (response.status === 204) return this.end(() => this.subscriber.ended());
      if (!response.ok) {
        const problem = await readProblem(response);
        if (!isCurrent()) return;
        if (!isTemporary(response.status)) return this.end(() => this.subscriber.refused(problem));
        leastDelayMs = (retryAfter(response) ?? 0) * 1000;
      } else if (response.body) {
        this.subscriber.connection?.({ state: 'open' });
        await this.readBody(response.body, attempt);
      }
    } catch {
      // The connection failed, or the response is not an event stream: the next attempt continues at the position.
    }
    if (isCurrent()) this.wait(this.backoff.next(leastDelayMs));
  }

  private request(signal: AbortSignal): Promise<Response> {
    const headers: Record<string, string> = { accept: 'text/event-stream' };
    // With this header, the server responds with 204 if there are no further events.
    if (this.position !== undefined) headers['last-event-id'] = String(this.position);
    const query = this.options.fold && this.target.to === 'stream' ? '?fold=true' : '';
    return this.api.fetch(pathOf(this.target) + query, { headers, signal, cache: 'no-store' });
  }

  private async readBody(body: ReadableStream<Uint8Array>, attempt: AbortController): Promise<void> {
    const parser = new EventStreamParser();
    const reader = body.getReader();
    let cancelWatch = () => {};
    try {
      for (;;) {
        cancelWatch = this.clock.after(SILENCE_MS, () => attempt.abort());
        const { done, value } = await reader.read();
        cancelWatch();
        if (done || this.attempt !== attempt) return;
        if (this.deliver(parser.push(value))) return this.end(() => this.subscriber.ended());
      }
    } finally {
      cancelWatch();
      // The body may be abandoned before its end.
      reader.cancel().catch(() => {});
    }
  }

  /** Delivers events. Returns whether the last one is the end of the run. */
  private deliver(events: ServerSentEvent[]): boolean {
    if (events.length === 0) return false;
    const parsed = events.map((event) => JSON.parse(event.data) as { type?: string });
    const { id } = events[events.length - 1]!;
    if (id !== '') this.position = this.target.to === 'conversation' ? id : Number(id);
    this.backoff.reset();
    this.subscriber.deliver(parsed, this.position);
    return this.target.to === 'stream' && parsed[parsed.length - 1]!.type === 'run.ended';
  }

  private wait(delayMs: number): void {
    if (this.closed) return;
    this.attempt = null;
    const retry_at = this.clock.now() + delayMs;
    this.subscriber.connection?.({ state: 'waiting', attempt: this.backoff.attempt, retry_at });
    this.cancelWait = afterDelayOrWake(this.clock, this.backoff, delayMs, () => void this.read());
  }

  private end(report: () => void): void {
    if (this.closed) return;
    this.close();
    report();
  }
}
