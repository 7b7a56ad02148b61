// Detects connections that ended without a signal: behind a proxy, after a change of the network, or while the computer
// was asleep.

import type { Clock } from './clock';

/** The time is looked at this often. */
const TICK_MS = 5_000;

export interface HeartbeatOptions {
  /** The other side is asked to send something after this much silence. */
  readonly silenceMs: number;
  /** It then has to send something within this time, */
  readonly answerMs: number;
  /** and within this time after the page woke up. */
  readonly wakeAnswerMs: number;
  /** Asks the other side to send something. */
  readonly ping: () => void;
  /** Nothing came back. Called at most once. */
  readonly dead: () => void;
}

export class Heartbeat {
  private heardAt: number;
  private tickAt: number;
  /** When the connection counts as dead; `Infinity` while no answer is due. */
  private deadline = Infinity;
  private cancelTick = () => {};
  private readonly cancelWake: () => void;

  constructor(
    private readonly clock: Clock,
    private readonly options: HeartbeatOptions,
  ) {
    this.heardAt = this.tickAt = clock.now();
    this.cancelWake = clock.onWake(() => this.wake());
    this.next();
  }

  /** Records that something has arrived. */
  heard(): void {
    this.heardAt = this.clock.now();
    this.deadline = Infinity;
  }

  stop(): void {
    this.cancelTick();
    this.cancelWake();
  }

  private wake(): void {
    this.expect(this.options.wakeAnswerMs);
    this.next();
  }

  private expect(answerMs: number): void {
    this.deadline = Math.min(this.deadline, this.clock.now() + answerMs);
    this.options.ping();
  }

  private tick(): void {
    const now = this.clock.now();
    // A timer that is this late means that the computer or the page was asleep, whatever was heard before.
    const wasAsleep = now - this.tickAt > 2 * TICK_MS;
    this.tickAt = now;
    if (wasAsleep) {
      this.deadline = Infinity;
      return this.wake();
    }
    if (now >= this.deadline) {
      this.stop();
      return this.options.dead();
    }
    if (this.deadline === Infinity && now - this.heardAt >= this.options.silenceMs) this.expect(this.options.answerMs);
    this.next();
  }

  private next(): void {
    this.cancelTick();
    const left = Math.max(0, this.deadline - this.clock.now());
    this.cancelTick = this.clock.after(Math.min(TICK_MS, left), () => this.tick());
  }
}
