// Time, chance and the state of the page, so that tests can replace them.

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** A number from 0 to below 1. */
  random(): number;
  /** Calls `run` once after the delay. Returns a function that prevents it. */
  after(delayMs: number, run: () => void): () => void;
  /** Calls `run` before the next frame is drawn, or soon if the page is hidden. Returns a function that prevents it. */
  frame(run: () => void): () => void;
  /** Calls `run` whenever the browser is online again, or the page becomes visible or is no longer frozen. Returns a function that ends it. */
  onWake(run: () => void): () => void;
  /** Whether the page is hidden. */
  hidden(): boolean;
  /** Calls `run` whenever the page is hidden. Returns a function that ends it. */
  onHidden(run: () => void): () => void;
}

/** Hidden pages draw no frames; their state is still updated this often. */
const HIDDEN_FRAME_MS = 250;

export const browserClock: Clock = {
  now: () => Date.now(),
  random: () => Math.random(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
  frame(run) {
    const once = () => {
      cancel();
      run();
    };
    const frame = requestAnimationFrame(once);
    const timer = setTimeout(once, HIDDEN_FRAME_MS);
    const cancel = () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
    return cancel;
  },
  onWake(run) {
    const visible = () => document.visibilityState === 'visible' && run();
    addEventListener('online', run);
    document.addEventListener('visibilitychange', visible);
    // Pages that were frozen to save energy, and pages that the back button shows again.
    document.addEventListener('resume', run);
    const restored = (event: PageTransitionEvent) => event.persisted && run();
    addEventListener('pageshow', restored);
    return () => {
      removeEventListener('online', run);
      document.removeEventListener('visibilitychange', visible);
      document.removeEventListener('resume', run);
      removeEventListener('pageshow', restored);
    };
  },
  hidden: () => document.visibilityState === 'hidden',
  onHidden(run) {
    const hidden = () => document.visibilityState === 'hidden' && run();
    document.addEventListener('visibilitychange', hidden);
    return () => document.removeEventListener('visibilitychange', hidden);
  },
};
