// A clock that tests move.

import type { Clock } from '../../src/live/clock';

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

export class TestClock implements Clock {
  private time = 1_795_780_000_000;
  private readonly timers = new Set<Timer>();
  private readonly wakers = new Set<() => void>();
  private readonly hiders = new Set<() => void>();
  private isHidden = false;

  now(): number {
    return this.time;
  }

  random(): number {
    return 0.5;
  }

  after(delayMs: number, run: () => void): () => void {
    const timer = { at: this.time + delayMs, run };
    this.timers.add(timer);
    return () => this.timers.delete(timer);
  }

  frame(run: () => void): () => void {
    return this.after(16, run);
  }

  onWake(run: () => void): () => void {
    this.wakers.add(run);
    return () => this.wakers.delete(run);
  }

  hidden(): boolean {
    return this.isHidden;
  }

  onHidden(run: () => void): () => void {
    this.hiders.add(run);
    return () => this.hiders.delete(run);
  }

  /** The page is hidden. */
  hide(): void {
    this.isHidden = true;
    for (const hider of [...this.hiders]) hider();
  }

  /** Delay of the next timer in milliseconds, or `undefined` if there is none. */
  get next(): number | undefined {
    const times = [...this.timers].map((timer) => timer.at - this.time);
    return times.length > 0 ? Math.min(...times) : undefined;
  }

  /** Lets time pass, and calls what is due in order. */
  async advance(ms: number): Promise<void> {
    const end = this.time + ms;
    for (;;) {
      const due = [...this.timers].filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
      if (!due) break;
      this.timers.delete(due);
      this.time = Math.max(this.time, due.at);
      due.run();
      await settled();
    }
    this.time = end;
    await settled();
  }

  /** The computer sleeps: time passes, and what became due runs afterwards. */
  async sleep(ms: number): Promise<void> {
    this.time += ms;
    await this.advance(0);
  }

  /** The browser is online again, or the page visible. */
  async wake(): Promise<void> {
    this.isHidden = false;
    for (const waker of [...this.wakers]) waker();
    await settled();
  }
}

/** Resolves when everything that waits for promises only has run. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
}

/** Resolves when the condition holds. */
export async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('the condition did not become true within a minute');
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
