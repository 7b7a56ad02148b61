// Who is signed in. The tokens are in cookies that scripts cannot read; this module knows only when they expire.

import { look, type Theme } from '../look.svelte';
import { useLanguage } from '../words/index.svelte';
import { call, useRenewal } from './client';
import { ApiProblem, isTemporary } from './problem';
import type { CurrentUser, Login } from './types';

export type SessionState = 'starting' | 'signed-out' | 'signed-in' | 'unreachable';

/** Seconds before the end of the access token at which it is renewed. */
const AHEAD = 60;
/** Milliseconds until the next attempt if the server could not renew the token, or not be reached. */
const RETRY = 10_000;
/** The same for the account, which nothing can be shown without. */
const START_RETRY = 2_000;
/** When the access token ends, and when a tab has got it, in milliseconds since 1970. */
const EXPIRY = 'understudy.expires';
const RENEWED = 'understudy.renewed';
const LOCK = 'understudy.refresh';

let state = $state<SessionState>('starting');
let user = $state.raw<CurrentUser | undefined>();
let timer: ReturnType<typeof setTimeout> | undefined;

const tabs = new BroadcastChannel('understudy.session');

export const session = {
  get state(): SessionState {
    return state;
  },
  get user(): CurrentUser | undefined {
    return user;
  },
  /** Whether the tenant's administrator has switched a feature on for the user. */
  has(feature: string): boolean {
    return user?.features.includes(feature) ?? false;
  },
  may(scope: string): boolean {
    return user?.scopes.includes(scope) ?? false;
  },
};

function expiry(): number {
  return Number(localStorage.getItem(EXPIRY)) || 0;
}

/** Whether this browser was signed in when it was last used. Whether it still is, only the server knows. */
export function wasSignedIn(): boolean {
  return expiry() > 0;
}

/** Records for all tabs that the browser has new tokens. */
function recordRenewal(expiresIn: number): void {
  localStorage.setItem(RENEWED, String(Date.now()));
  remember(expiresIn);
}

function remember(expiresIn: number): void {
  localStorage.setItem(EXPIRY, String(Date.now() + expiresIn * 1000));
  schedule();
}

function schedule(): void {
  clearTimeout(timer);
  if (expiry() > 0) scheduleIn(Math.max(1000, expiry() - Date.now() - AHEAD * 1000));
}

function scheduleIn(delay: number): void {
  clearTimeout(timer);
  // Tabs wake up at different moments, so that usually only one of them renews the token.
  timer = setTimeout(() => {
    if (expiry() > Date.now() + AHEAD * 1000) schedule();
    else renewCredentials(Date.now()).catch(() => scheduleIn(RETRY));
  }, delay + Math.random() * 5000);
}

/**
 * Renews the access token for a request that was sent at `sentAt` and refused. Resolves with whether the request may be
 * repeated; rejects if the server cannot tell. One tab renews at a time: a refresh token that is used twice ends the session.
 */
export async function renewCredentials(sentAt: number): Promise<boolean> {
  const own = await navigator.locks.request(LOCK, { ifAvailable: true }, lock => (lock ? renew(sentAt) : undefined));
  if (own !== undefined) return own;
  // Another tab renews it. Not all browsers show its changes of the storage at once, so the request is just repeated.
  await navigator.locks.request(LOCK, () => {});
  return true;
}

async function renew(sentAt: number): Promise<boolean> {
  if ((Number(localStorage.getItem(RENEWED)) || 0) >= sentAt && expiry() > Date.now()) {
    schedule();
    return true;
  }
  try {
    const login = await call('auth.refresh');
    recordRenewal(login.expires_in);
    return true;
  } catch (error) {
    if (!(error instanceof ApiProblem && error.status === 401)) throw error;
    leave();
    return false;
  }
}

function leave(): void {
  clearTimeout(timer);
  localStorage.removeItem(EXPIRY);
  user = undefined;
  state = 'signed-out';
}

/** Reads the account again after something in it was changed here, and lets the other tabs do the same. */
export async function reloadUser(): Promise<void> {
  await readUser();
  tabs.postMessage('account');
}

async function readUser(): Promise<void> {
  user = await call('users.get_current_user');
  const theme = user.preferences.theme;
  if (theme === 'light' || theme === 'dark' || theme === 'system') look.theme = theme satisfies Theme;
  if (user.preferences.language) void useLanguage(user.preferences.language);
}

/** Finds out whether the browser is signed in. Tries again by itself while the server cannot tell. */
export async function startSession(): Promise<void> {
  clearTimeout(timer);
  if (state !== 'unreachable') state = 'starting';
  try {
    await readUser();
    state = 'signed-in';
    if (expiry() === 0) remember(AHEAD * 2);
    else schedule();
  } catch (error) {
    // A server that restarts behind a proxy must not look like the end of the session.
    if (!(error instanceof ApiProblem) || (!error.unreachable && !isTemporary(error.status))) return leave();
    state = 'unreachable';
    timer = setTimeout(() => void startSession(), START_RETRY);
  }
}

/** Begins a session with the response to a sign-in; the cookies are set already. */
export async function enter(login: Login): Promise<void> {
  recordRenewal(login.expires_in);
  await readUser();
  state = 'signed-in';
  tabs.postMessage('changed');
}

export async function signOut(everywhere = false): Promise<void> {
  await call('auth.logout', { body: { all: everywhere } });
  leave();
  tabs.postMessage('changed');
}

useRenewal(renewCredentials);
tabs.addEventListener('message', ({ data }) => void (data === 'account' ? readUser().catch(() => {}) : startSession()));
