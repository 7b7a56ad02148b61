// The notifications of the user: how many are unread, and what changes. The navigation shows the number, their screen the list.

import { connection } from '../connection.svelte';
import type { NotificationEvent } from '../live/event';
import type { Position, Subscription, Transport } from '../live/transport';

type Listener = (event: NotificationEvent) => void;

let unread = $state(0);
let available = $state(true);
const listeners = new Set<Listener>();
/** The name of the subscription where the state of the connection is reported. */
const KEY = {};

export const notifications = {
  get unread(): number {
    return unread;
  },
  /** Whether the user may read notifications, which a session on behalf of another user may not. */
  get available(): boolean {
    return available;
  },
  /** Calls a function with every change; returns how to stop that. */
  listen(listener: Listener): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

/**
 * Follows the notifications while the page is visible: where WebSockets do not work, a subscription takes one of the few
 * connections that a browser opens to a server. Returns how to stop that.
 */
export function followNotifications(transport: Transport): () => void {
  let subscription: Subscription | undefined;
  let position: Position | undefined;

  function deliver(events: readonly NotificationEvent[], after: Position | undefined) {
    position = after ?? position;
    for (const event of events) {
      if (event.type === 'unread_count') unread = event.data.count;
      for (const listener of listeners) listener(event);
    }
  }

  function close() {
    connection.forget(KEY);
    subscription?.close();
    subscription = undefined;
  }

  function update() {
    if (document.visibilityState === 'hidden') return close();
    if (subscription || !available) return;
    subscription = transport.subscribe({ to: 'notifications' }, {
      deliver,
      ended: close,
      refused: () => {
        available = false;
        close();
      },
      connection: state => connection.report(KEY, state),
    }, position === undefined ? {} : { after: position });
  }

  available = true;
  unread = 0;
  update();
  document.addEventListener('visibilitychange', update);
  return () => {
    document.removeEventListener('visibilitychange', update);
    close();
  };
}
