// What the live transports need of the API client.

import { isTemporary, readProblem } from '../api/problem';
import { LiveProblem, pathOf, type StreamTarget } from './transport';

export interface Api {
  /** The address that paths of the API are relative to. Ends with a slash. */
  readonly base: string;
  /** Like `fetch`, with the credentials of the user. Renews an expired login once. */
  fetch(path: string, options?: RequestInit): Promise<Response>;
}

/** Requests that a run stops. The response arrives after the model call is closed, or after some seconds. */
export async function cancelRun(api: Api, target: StreamTarget): Promise<void> {
  const response = await api.fetch(pathOf(target), { method: 'DELETE' });
  if (!response.ok) throw new LiveProblem(await readProblem(response));
  await response.body?.cancel();
}

/**
 * Checks whether the server is reachable and the login valid, which a WebSocket does not tell when its handshake fails.
 * Rejects with a `LiveProblem` if the login has ended, and with another error if the server is not available.
 */
export async function checkLogin(api: Api): Promise<void> {
  const response = await api.fetch('api/users/me');
  if (response.ok) return response.body?.cancel();
  const problem = await readProblem(response);
  throw isTemporary(response.status) ? new Error(problem.title) : new LiveProblem(problem);
}
