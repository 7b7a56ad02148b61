// Delays between attempts to connect.

import type { Clock } from './clock';

const FIRST_MS = 500;
/** Most interruptions are short: a server that restarts, a network that changes. */
const SHORT_MS = 1_000;
const SHORT_ATTEMPTS = 15;
const MAX_MS = 30_000;

/**
 * Back-off with jitter. The delay is between half and all of 500 ms at first, of 1 s during the next 15 attempts, and then
 * twice as long after each failure, at most 30 s. The jitter keeps the clients of a restarted server from returning at the
 * same moment.
 */
export class Backoff {
  private failures = 0;

  constructor(private readonly clock: Clock) {}

  /** Number of failures since the last success. */
  get attempt(): number {
    return this.failures;
  }

  /** The delay before the next attempt, in milliseconds; at least `leastMs`, which a server may demand. */
  next(leastMs = 0): number {
    const doublings = Math.max(0, this.failures - SHORT_ATTEMPTS);
    const ceiling = this.failures === 0 ? FIRST_MS : Math.min(MAX_MS, SHORT_MS * 2 ** Math.min(doublings, 16));
    this.failures += 1;
    return Math.max(leastMs, ceiling / 2 + (this.clock.random() * ceiling) / 2);
  }

  /** Notes that the connection made progress, or that the page woke up. */
  reset(): void {
    this.failures = 0;
  }
}

/**
 * Waits for the delay, or until the page wakes up, after which short delays are tried again. Returns a function that ends
 * the wait without a call.
 */
export function afterDelayOrWake(clock: Clock, backoff: Backoff, delayMs: number, run: () => void): () => void {
  const once = () => {
    cancel();
    run();
  };
  const cancelTimer = clock.after(delayMs, once);
  const cancelWake = clock.onWake(() => {
    backoff.reset();
    once();
  });
  const cancel = () => {
    cancelTimer();
    cancelWake();
  };
  return cancel;
}
