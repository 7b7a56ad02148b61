// The transport of this tab.

import { renewCredentials } from '../api/session.svelte';
import { href } from '../base';
import type { Api } from './api';
import { LiveTransport } from './live';

/** Remembers that WebSockets are not available, so that a reload does not have to find out again. */
const UNAVAILABLE_UNTIL = 'understudy.no-websocket-until';
const UNAVAILABLE_MS = 10 * 60_000;

const api: Api = {
  base: new URL(href('/'), location.href).href,
  async fetch(path, options) {
    const send = () => fetch(new URL(path, this.base), { credentials: 'same-origin', ...options });
    const sentAt = Date.now();
    const response = await send();
    return response.status === 401 && (await renewCredentials(sentAt)) ? send() : response;
  },
};

const isUnavailable = Number(sessionStorage.getItem(UNAVAILABLE_UNTIL)) > Date.now();

export const live = new LiveTransport(api, {
  ...(isUnavailable ? { open: null } : {}),
  onUnavailable: () => sessionStorage.setItem(UNAVAILABLE_UNTIL, String(Date.now() + UNAVAILABLE_MS)),
});
