// Whether the server can be reached, as the subscriptions of this tab experience it.

import type { Connection } from './live/transport';

/** Milliseconds for which a connection may be lost before it is reported: proxies and servers close idle ones. */
const GRACE = 2000;

let reachable = $state(navigator.onLine);
let timer: ReturnType<typeof setTimeout> | undefined;

/** Subscriptions of which the connection is lost. */
const lost = new Set<object>();

function update(): void {
  clearTimeout(timer);
  if (lost.size === 0 && navigator.onLine) reachable = true;
  else timer = setTimeout(() => (reachable = false), navigator.onLine ? GRACE : 0);
}

export const connection = {
  get reachable(): boolean {
    return reachable;
  },
  report(subscription: object, { state }: Connection): void {
    if (state === 'waiting') lost.add(subscription);
    else if (state === 'open') lost.delete(subscription);
    update();
  },
  forget(subscription: object): void {
    lost.delete(subscription);
    update();
  },
};

addEventListener('offline', update);
addEventListener('online', update);
