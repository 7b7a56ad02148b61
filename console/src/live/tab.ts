// The transport of this tab.

import { authenticated } from '../api/client';
import { href } from '../base';
import type { Api } from './api';
import { LiveTransport } from './live';

/** Remembers that WebSockets are not available, so that a reload does not have to find out again. */
const UNAVAILABLE_UNTIL = 'understudy.no-websocket-until';
const UNAVAILABLE_MS = 10 * 60_000;

const api: Api = {
  base: new URL(href('/'), location.href).href,
  fetch(path, options) {
    return authenticated(() => fetch(new URL(path, this.base), { credentials: 'same-origin', ...options }));
  },
};

const isUnavailable = Number(sessionStorage.getItem(UNAVAILABLE_UNTIL)) > Date.now();

export const live = new LiveTransport(api, {
  ...(isUnavailable ? { open: null } : {}),
  onUnavailable: () => sessionStorage.setItem(UNAVAILABLE_UNTIL, String(Date.now() + UNAVAILABLE_MS)),
});
