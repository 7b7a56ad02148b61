// The transport of a tab: one WebSocket, or HTTP responses where WebSockets are not available.

import type { Api } from './api';
import { browserClock, type Clock } from './clock';
import { HttpTransport } from './http';
import { SocketTransport, type SocketLike } from './socket';
import type { EventsOf, Position, StreamTarget, SubscribeOptions, Subscriber, Subscription, Target, Transport } from './transport';

export interface LiveOptions {
  readonly clock?: Clock;
  /** Opens a WebSocket; `null` uses HTTP from the start. */
  readonly open?: ((url: string) => SocketLike) | null;
  /** Called when the transport begins to use HTTP because no WebSocket can be opened. */
  readonly onUnavailable?: () => void;
}

/** Uses a WebSocket, and moves all subscriptions to HTTP responses once if none can be opened. */
export class LiveTransport implements Transport {
  private current: Transport;
  private readonly subscriptions = new Set<MovableSubscription>();

  constructor(
    api: Api,
    options: LiveOptions = {},
  ) {
    const clock = options.clock ?? browserClock;
    const http = () => new HttpTransport(api, clock);
    if (options.open === null) {
      this.current = http();
      return;
    }
    this.current = new SocketTransport(api, {
      clock,
      ...(options.open ? { open: options.open } : {}),
      onUnavailable: () => {
        options.onUnavailable?.();
        this.move(http());
      },
    });
  }

  subscribe<T extends Target>(
    target: T,
    subscriber: Subscriber<EventsOf[T['to']]>,
    options: SubscribeOptions = {},
  ): Subscription {
    const movable = new MovableSubscription(target, subscriber as Subscriber<unknown>, options, () =>
      this.subscriptions.delete(movable),
    );
    this.subscriptions.add(movable);
    movable.subscribeTo(this.current);
    return movable;
  }

  prepare(): void {
    this.current.prepare();
  }

  cancel(target: StreamTarget): Promise<void> {
    return this.current.cancel(target);
  }

  /** Uses the credentials of the present session, after another one has ended. */
  renew(): void {
    if (this.current instanceof SocketTransport) this.current.renew();
  }

  close(): void {
    this.subscriptions.clear();
    this.current.close();
  }

  private move(next: Transport): void {
    this.current.close();
    this.current = next;
    for (const subscription of [...this.subscriptions]) subscription.subscribeTo(next);
  }
}

/** A subscription that remembers its position, so that another transport can continue it. */
class MovableSubscription implements Subscription {
  private inner: Subscription | null = null;
  private after: Position | undefined;

  constructor(
    private readonly target: Target,
    private readonly subscriber: Subscriber<unknown>,
    private readonly options: SubscribeOptions,
    private readonly onClosed: () => void,
  ) {
    this.after = options.after;
  }

  subscribeTo(transport: Transport): void {
    const { subscriber } = this;
    const options = { ...this.options, ...(this.after === undefined ? {} : { after: this.after }) };
    const tracking: Subscriber<unknown> = {
      deliver: (events, position) => {
        this.after = position ?? this.after;
        subscriber.deliver(events, position);
      },
      ended: () => {
        this.onClosed();
        subscriber.ended();
      },
      refused: (problem) => {
        this.onClosed();
        subscriber.refused(problem);
      },
      connection: (connection) => subscriber.connection?.(connection),
    };
    this.inner = transport.subscribe(this.target, tracking, options);
  }

  close(): void {
    this.onClosed();
    this.inner?.close();
  }
}
