// Subscriptions to live data, independent of the connection that carries them.

import type { FeedEvent, NotificationEvent, Problem, StreamEvent } from './event';

/** What can be subscribed to. Each target corresponds to one streaming operation of the API. */
export type Target =
  | { readonly to: 'stream'; readonly conversation_id: string; readonly stream_id: string }
  | { readonly to: 'conversation'; readonly conversation_id: string }
  | { readonly to: 'notifications' };

/** The stream of a run. */
export type StreamTarget = Extract<Target, { to: 'stream' }>;

/** The events of each target. */
export interface EventsOf {
  stream: StreamEvent;
  conversation: FeedEvent;
  notifications: NotificationEvent;
}

/**
 * The position of an event: the sequence number in a stream and in the notifications, an opaque string in the feed of
 * a conversation (`X-Feed-Id`).
 */
export type Position = number | string;

/** The state of the connection that carries a subscription. */
export type Connection =
  | { readonly state: 'connecting' }
  | { readonly state: 'open' }
  /** The connection was lost. The next attempt is made at `retry_at` (milliseconds since 1970), or when the browser is online again. */
  | { readonly state: 'waiting'; readonly attempt: number; readonly retry_at: number };

/** Receives what a subscription delivers. After `ended` or `refused` it receives nothing. */
export interface Subscriber<E> {
  /**
   * Events in order, at least one, and the position after them; `undefined` if there is none yet. Events that arrive
   * together are delivered together.
   */
  deliver(events: readonly E[], position: Position | undefined): void;
  /** The end was reached: there are no further events. Feeds end only with `refused`. */
  ended(): void;
  /** The server refuses the subscription, or has withdrawn it. It is not attempted again. */
  refused(problem: Problem): void;
  /** The state of the connection changed. */
  connection?(connection: Connection): void;
}

export interface SubscribeOptions {
  /** Delivers only what follows this position. */
  after?: Position;
  /**
   * Lets the server merge adjacent deltas of past events, so that a long answer is read quickly. Sequence numbers then
   * jump at deltas. Transports that cannot do this deliver every event.
   */
  fold?: boolean;
}

export interface Subscription {
  /** Stops the delivery. The run continues. */
  close(): void;
}

/** A connection, or a way to make connections, to the server's live data. */
export interface Transport {
  /** Opens the connection that subscriptions will use, if they share one. */
  prepare(): void;
  subscribe<T extends Target>(
    target: T,
    subscriber: Subscriber<EventsOf[T['to']]>,
    options?: SubscribeOptions,
  ): Subscription;
  /** Requests that the run of a stream stops. Rejects with a `LiveProblem` if the server refuses. */
  cancel(target: StreamTarget): Promise<void>;
  /** Closes all subscriptions and connections. */
  close(): void;
}

/** A request that the server refused. */
export class LiveProblem extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail ?? problem.title);
    this.name = 'LiveProblem';
  }
}

/** The path of the operation that streams a target, relative to the server's root. */
export function pathOf(target: Target): string {
  switch (target.to) {
    case 'stream':
      return `api/conversations/${encodeURIComponent(target.conversation_id)}/streams/${encodeURIComponent(target.stream_id)}`;
    case 'conversation':
      return `api/conversations/${encodeURIComponent(target.conversation_id)}`;
    case 'notifications':
      return 'api/notifications';
  }
}
