// Whether the server can be reached, as the subscriptions of this tab experience it.

import type { Connection } from './live/transport';

let reachable = $state(navigator.onLine);

/** Subscriptions of which the connection is lost. */
const lost = new Set<object>();

function update(): void {
  reachable = lost.size === 0 && navigator.onLine;
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
