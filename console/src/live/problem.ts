// Error responses of the server.

import type { Problem } from './event';

/** The problem that a response describes, or one made from its status if a proxy answered. */
export async function problemOf(response: Response): Promise<Problem> {
  const fallback = { status: response.status, title: response.statusText || `The server responded with ${response.status}` };
  try {
    return asProblem(await response.json(), fallback);
  } catch {
    return asProblem(null, fallback);
  }
}

/** Completes what should be a problem. */
export function asProblem(value: unknown, fallback: { status: number; title: string }): Problem {
  const given = typeof value === 'object' && value !== null ? (value as Partial<Problem>) : {};
  const { status, title } = fallback;
  return { type: 'about:blank', title, status, detail: '', code: `http_${status}`, request_id: '', ...given };
}

/** Whether the same request may succeed later: the server is overloaded, restarting or unreachable behind a proxy. */
export function isTemporary(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}

/** The delay that a response demands before a retry, in milliseconds. */
export function retryAfterMs(response: Response): number {
  const seconds = Number(response.headers.get('retry-after'));
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, 300) * 1000 : 0;
}
