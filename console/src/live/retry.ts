// Delays between attempts to connect.

import type { Clock } from './clock';

const FIRST_MS = 500;
const MAX_MS = 30_000;

/**
 * Exponential back-off with jitter: the n-th delay is between half and all of 500 ms * 2^n, at most 30 s. The jitter
 * keeps the clients of a restarted server from returning at the same moment.
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
    const ceiling = Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(this.failures, 16));
    this.failures += 1;
    return Math.max(leastMs, ceiling / 2 + (this.clock.random() * ceiling) / 2);
  }

  /** Notes that the connection made progress. */
  reset(): void {
    this.failures = 0;
  }
}

/** Waits for the delay, or until the page wakes up. Returns a function that ends the wait without a call. */
export function afterDelayOrWake(clock: Clock, delayMs: number, run: () => void): () => void {
  const once = () => {
    cancel();
    run();
  };
  const cancelTimer = clock.after(delayMs, once);
  const cancelWake = clock.onWake(once);
  const cancel = () => {
    cancelTimer();
    cancelWake();
  };
  return cancel;
}
