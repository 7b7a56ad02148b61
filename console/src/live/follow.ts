// Follows the answer of a run: folds what a subscription delivers, once per frame, and re-reads what is missing.

import { asProblem } from '../api/problem';
import { NO_ANSWER, type Answer } from './answer';
import { browserClock, type Clock } from './clock';
import type { Problem, StreamEvent } from './event';
import { fold } from './fold';
import type { Connection, StreamTarget, Subscription, Transport } from './transport';

export interface FollowOptions {
  /** The state to continue from. */
  readonly answer?: Answer;
  readonly clock?: Clock;
  /** The answer changed. Called at most once per frame. */
  readonly onAnswer: (answer: Answer) => void;
  /** The stream was refused or withdrawn, for example because it has expired. */
  readonly onRefused: (problem: Problem) => void;
  readonly onConnection?: (connection: Connection) => void;
}

/** Attempts to read missing events before the stream is given up. */
const GAP_ATTEMPTS = 3;

/** Follows a stream until it ends, is refused or `close` is called. */
export class AnswerFollower {
  private answer: Answer;
  private pending: StreamEvent[] = [];
  private cancelFrame: (() => void) | null = null;
  private gaps = 0;
  private closed = false;
  private readonly clock: Clock;
  private subscription: Subscription | null = null;

  constructor(
    private readonly transport: Transport,
    private readonly target: StreamTarget,
    private readonly options: FollowOptions,
  ) {
    this.answer = options.answer ?? NO_ANSWER;
    this.clock = options.clock ?? browserClock;
    this.subscribe();
  }

  /** Stops following. The run continues. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.cancelFrame?.();
    this.subscription?.close();
  }

  private subscribe(): void {
    const { options } = this;
    this.subscription = this.transport.subscribe(
      this.target,
      {
        deliver: (events) => this.buffer(events),
        ended: () => this.finish(),
        refused: (problem) => this.refuse(problem),
        connection: (connection) => options.onConnection?.(connection),
      },
      { after: this.answer.seq, fold: true },
    );
  }

  private buffer(events: readonly StreamEvent[]): void {
    for (const event of events) this.pending.push(event);
    this.cancelFrame ??= this.clock.frame(() => this.flush());
  }

  /** Folds what was delivered. Returns whether the stream is read again because events are missing. */
  private flush(): boolean {
    this.cancelFrame?.();
    this.cancelFrame = null;
    const { pending, answer: former } = this;
    this.pending = [];
    const { answer, gap } = fold(former, pending, { folded: true });
    this.answer = answer;
    if (answer !== former) {
      this.gaps = 0;
      this.options.onAnswer(answer);
    }
    if (!gap || this.closed) return false;
    this.subscription?.close();
    if (++this.gaps > GAP_ATTEMPTS) this.refuse(missingEvent(answer.seq + 1));
    else this.subscribe();
    return true;
  }

  private finish(): void {
    if (this.closed) return;
    if (!this.flush()) this.close();
  }

  private refuse(problem: Problem): void {
    if (this.closed) return;
    this.closed = true;
    this.flush();
    this.subscription?.close();
    this.options.onRefused(problem);
  }
}

function missingEvent(seq: number): Problem {
  return asProblem(
    { code: 'stream_gap', detail: `Event ${seq} of the stream is missing.` },
    { status: 500, title: 'A part of the answer could not be read' },
  );
}
