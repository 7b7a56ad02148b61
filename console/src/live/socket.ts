// Live data by one WebSocket for all subscriptions of a tab.

import { isTemporary } from '../api/problem';
import type { Api } from './api';
import { cancelRun, checkLogin } from './api';
import { browserClock, type Clock } from './clock';
import type { Problem } from './event';
import { readMessage, type LiveCommand, type LiveMessage } from './frames';
import { Heartbeat } from './heartbeat';
import { afterDelayOrWake, Backoff } from './retry';
import { LiveProblem, pathOf } from './transport';
import type { EventsOf, Position, StreamTarget, SubscribeOptions, Subscriber, Subscription, Target, Transport } from './transport';

/** The part of a `WebSocket` that is used. */
export type SocketLike = Pick<WebSocket, 'send' | 'close' | 'readyState' | 'onopen' | 'onmessage' | 'onclose'>;

export interface SocketOptions {
  readonly clock?: Clock;
  /** Opens a connection; by default a `WebSocket`. */
  readonly open?: (url: string) => SocketLike;
  /**
   * Called if the server is reachable and the login valid, but no WebSocket can be opened: a proxy does not pass
   * upgrades on, or the server has no such address. The transport then makes no further attempts.
   */
  readonly onUnavailable?: () => void;
}

const PING_MS = 20_000;
/** After a ping, the server has to send something within this time. */
const ANSWER_MS = 15_000;
/** The same after the page woke up: while a computer sleeps, its connections are lost without notice. */
const WAKE_ANSWER_MS = 4_000;
/** Time for the handshake. */
const OPEN_MS = 15_000;
/** A socket without subscriptions is closed after this time. */
const IDLE_MS = 60_000;
/** Failed handshakes in a row, each with a reachable server, after which WebSockets count as unavailable. */
const HANDSHAKES = 2;

const OPEN = 1;

export class SocketTransport implements Transport {
  private readonly clock: Clock;
  private readonly backoff: Backoff;
  private readonly open: (url: string) => SocketLike;
  /** Subscriptions by the id that the server knows them by. */
  private readonly subscriptions = new Map<string, SocketSubscription>();
  private socket: SocketLike | null = null;
  private lastId = 0;
  private failedHandshakes = 0;
  private closed = false;
  private cancelOpen = () => {};
  private cancelWait: (() => void) | null = null;
  private cancelIdle = () => {};
  private heartbeat: Heartbeat | null = null;

  constructor(
    private readonly api: Api,
    private readonly options: SocketOptions = {},
  ) {
    this.clock = options.clock ?? browserClock;
    this.backoff = new Backoff(this.clock);
    this.open = options.open ?? ((url) => new WebSocket(url));
  }

  subscribe<T extends Target>(
    target: T,
    subscriber: Subscriber<EventsOf[T['to']]>,
    options: SubscribeOptions = {},
  ): Subscription {
    const subscription = new SocketSubscription(this, this.clock, target, subscriber as Subscriber<unknown>, options);
    this.add(subscription);
    return subscription;
  }

  prepare(): void {
    if (this.closed || this.socket || this.cancelWait) return;
    this.connect();
    this.closeIfIdle();
  }

  cancel(target: StreamTarget): Promise<void> {
    return cancelRun(this.api, target);
  }

  close(): void {
    this.closed = true;
    this.subscriptions.clear();
    this.disconnect();
    this.cancelWait?.();
    this.cancelIdle();
  }

  /** Closes the connection, and opens another if it is needed: a connection belongs to the session in which it was opened. */
  renew(): void {
    if (!this.socket) return;
    this.disconnect();
    if (this.subscriptions.size > 0) this.connect();
  }

  /** Registers a subscription under a new id, and subscribes if the socket is open. */
  add(subscription: SocketSubscription): void {
    if (this.closed) return;
    this.cancelIdle();
    subscription.id = String(++this.lastId);
    this.subscriptions.set(subscription.id, subscription);
    if (this.socket?.readyState === OPEN) this.request(subscription);
    else if (!this.socket && !this.cancelWait) this.connect();
  }

  remove(subscription: SocketSubscription): void {
    if (!this.subscriptions.delete(subscription.id)) return;
    if (this.socket?.readyState === OPEN) this.send({ op: 'unsubscribe', id: subscription.id });
    this.closeIfIdle();
  }

  private connect(): void {
    this.cancelWait = null;
    this.notify((subscription) => subscription.subscriber.connection?.({ state: 'connecting' }));
    const url = new URL('api/live', new URL(this.api.base, globalThis.location?.href));
    url.protocol = url.protocol.replace('http', 'ws');
    const socket = this.open(url.href);
    this.socket = socket;
    let wasOpen = false;
    const cancelOpen = this.clock.after(OPEN_MS, () => this.lost(socket, wasOpen));
    this.cancelOpen = cancelOpen;
    socket.onopen = () => {
      wasOpen = true;
      this.failedHandshakes = 0;
      cancelOpen();
      this.heartbeat = new Heartbeat(this.clock, {
        silenceMs: PING_MS,
        answerMs: ANSWER_MS,
        wakeAnswerMs: WAKE_ANSWER_MS,
        ping: () => this.send({ op: 'ping' }),
        dead: () => this.lost(socket, true),
      });
      for (const subscription of this.subscriptions.values()) this.request(subscription);
    };
    socket.onmessage = (message) => this.receive(socket, message.data);
    socket.onclose = () => this.lost(socket, wasOpen);
  }

  private lost(socket: SocketLike, wasOpen: boolean): void {
    if (this.socket !== socket) return;
    this.disconnect();
    if (this.closed || this.subscriptions.size === 0) return;
    this.retryLater(wasOpen);
  }

  /** A handshake that fails does not tell why, so the login is checked before the next one. */
  private async reconnect(wasOpen: boolean): Promise<void> {
    try {
      await checkLogin(this.api);
    } catch (error) {
      if (this.closed) return;
      if (error instanceof LiveProblem) return this.refuseAll(error.problem);
      return this.retryLater(wasOpen);
    }
    if (this.closed) return;
    if (!wasOpen && ++this.failedHandshakes >= HANDSHAKES) return this.giveUp();
    this.connect();
  }

  private retryLater(wasOpen: boolean): void {
    const delayMs = this.backoff.next();
    const retry_at = this.clock.now() + delayMs;
    const { attempt } = this.backoff;
    this.notify(({ subscriber }) => subscriber.connection?.({ state: 'waiting', attempt, retry_at }));
    this.cancelWait = afterDelayOrWake(this.clock, this.backoff, delayMs, () => void this.reconnect(wasOpen));
  }

  private giveUp(): void {
    this.closed = true;
    this.options.onUnavailable?.();
  }

  private refuseAll(problem: Problem): void {
    const refused = [...this.subscriptions.values()];
    this.subscriptions.clear();
    this.cancelWait = null;
    for (const { subscriber } of refused) subscriber.refused(problem);
  }

  private disconnect(): void {
    this.cancelOpen();
    this.heartbeat?.stop();
    this.heartbeat = null;
    const { socket } = this;
    this.socket = null;
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }

  private closeIfIdle(): void {
    if (this.subscriptions.size > 0) return;
    this.cancelIdle();
    this.cancelIdle = this.clock.after(IDLE_MS, () => this.disconnect());
  }

  private receive(socket: SocketLike, text: unknown): void {
    if (this.socket !== socket) return;
    this.heartbeat?.heard();
    const message = readMessage(text);
    if (message.type === 'other') return;
    const subscription = this.subscriptions.get(message.id);
    // The subscription may have been closed while the message was on its way.
    if (subscription) this.dispatch(subscription, message);
  }

  private dispatch(subscription: SocketSubscription, message: Exclude<LiveMessage, { type: 'other' }>): void {
    const { subscriber } = subscription;
    switch (message.type) {
      case 'subscribed':
        return subscriber.connection?.({ state: 'open' });
      case 'event':
        this.backoff.reset();
        return subscription.deliver(message.event, message.position);
      case 'ended':
        this.forget(subscription);
        return message.problem ? this.refused(subscription, message.problem) : subscriber.ended();
      case 'problem':
        if (message.op !== 'subscribe') return;
        this.forget(subscription);
        return this.refused(subscription, message.problem);
    }
  }

  /** A subscription that the server cannot serve now is repeated later. */
  private refused(subscription: SocketSubscription, problem: Problem): void {
    if (isTemporary(problem.status)) subscription.retry();
    else subscription.subscriber.refused(problem);
  }

  private forget(subscription: SocketSubscription): void {
    this.subscriptions.delete(subscription.id);
    this.closeIfIdle();
  }

  private request({ id, path, position }: SocketSubscription): void {
    this.send({ op: 'subscribe', id, to: path, ...(position === undefined ? {} : { after: position }) });
  }

  private send(command: LiveCommand): void {
    this.socket?.send(JSON.stringify(command));
  }

  private notify(report: (subscription: SocketSubscription) => void): void {
    for (const subscription of [...this.subscriptions.values()]) report(subscription);
  }
}

class SocketSubscription implements Subscription {
  id = '';
  position: Position | undefined;
  readonly path: string;
  private readonly backoff: Backoff;
  private cancelRetry = () => {};

  constructor(
    private readonly transport: SocketTransport,
    private readonly clock: Clock,
    target: Target,
    readonly subscriber: Subscriber<unknown>,
    options: SubscribeOptions,
  ) {
    this.backoff = new Backoff(clock);
    this.position = options.after;
    this.path = `/${pathOf(target)}${options.fold && target.to === 'stream' ? '?fold=true' : ''}`;
  }

  deliver(event: object, position: Position | undefined): void {
    this.backoff.reset();
    this.position = position ?? this.position;
    this.subscriber.deliver([event], this.position);
  }

  /** Subscribes again after a delay. */
  retry(): void {
    const delayMs = this.backoff.next();
    this.subscriber.connection?.({ state: 'waiting', attempt: this.backoff.attempt, retry_at: this.clock.now() + delayMs });
    this.cancelRetry = this.clock.after(delayMs, () => this.transport.add(this));
  }

  close(): void {
    this.cancelRetry();
    this.transport.remove(this);
  }
}
