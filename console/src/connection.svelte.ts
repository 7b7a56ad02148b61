// Whether the server can be reached, as the subscriptions of this tab experience it.

import type { Connection } from './live/transport';
import { update } from './update.svelte';

/** Milliseconds for which a connection may be lost before it is reported: proxies and servers close idle ones. */
const GRACE = 2000;

let reachable = $state(navigator.onLine);
let timer: ReturnType<typeof setTimeout> | undefined;

/** Subscriptions of which the connection is lost. */
const lost = new Set<object>();

function assess(): void {
  if (!navigator.onLine) reachable = false;
  else if (lost.size > 0) {
    // Not from the beginning at each attempt.
    timer ??= setTimeout(() => (reachable = false), GRACE);
    return;
  } else reachable = true;
  clearTimeout(timer);
  timer = undefined;
}

export const connection = {
  get reachable(): boolean {
    return reachable;
  },
  report(subscription: object, { state }: Connection): void {
    if (state === 'waiting') lost.add(subscription);
    // The server may have been updated in the meantime.
    else if (state === 'open' && lost.delete(subscription) && lost.size === 0) void update.check();
    assess();
  },
  forget(subscription: object): void {
    lost.delete(subscription);
    assess();
  },
};

addEventListener('offline', assess);
addEventListener('online', assess);
