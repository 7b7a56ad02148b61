// Requests to the API. Every request names its operation, so that a refusal can be explained.

import { href } from '../base';
import { OPERATIONS, type OperationId } from './operations';
import { ApiProblem, problemOf, unreachable } from './problem';
import type { operations } from './schema';

type ParametersOf<Id extends OperationId, In extends string> = operations[Id] extends { parameters: infer P } ? (In extends keyof P ? P[In] : never) : never;

type JsonOf<Content> = Content extends { content: { 'application/json': infer Json } } ? Json : never;

type BodyOf<Id extends OperationId> = operations[Id] extends { requestBody?: infer Body } ? JsonOf<NonNullable<Body>> : never;

type Success<Responses> = { [Status in keyof Responses]: Status extends 200 | 201 | 202 ? JsonOf<Responses[Status]> : never }[keyof Responses];

/** What an operation responds with; undefined for those without a body. */
export type ResultOf<Id extends OperationId> = operations[Id] extends { responses: infer R } ? ([Success<R>] extends [never] ? undefined : Success<R>) : undefined;

export interface RequestOptions<Id extends OperationId> {
  path?: ParametersOf<Id, 'path'>;
  query?: ParametersOf<Id, 'query'>;
  body?: BodyOf<Id>;
  form?: FormData;
  /** Refuses the change if the object has another version by now. */
  version?: number;
  idempotencyKey?: string;
  accept?: string;
  signal?: AbortSignal;
}

/** Renews the credentials after a 401 to a request of the given time, and tells whether the request may be repeated. */
type Renew = (sentAt: number) => Promise<boolean>;
let renew: Renew = async () => false;

export function useRenewal(renewal: Renew): void {
  renew = renewal;
}

export function addressOf<Id extends OperationId>(id: Id, options: Pick<RequestOptions<Id>, 'path' | 'query'> = {}): string {
  const parameters: Record<string, unknown> = { ...(options.path as object | undefined) };
  const path = OPERATIONS[id][1].replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(parameters[name])));
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries((options.query as Record<string, unknown> | undefined) ?? {})) {
    for (const item of Array.isArray(value) ? value : [value]) if (item !== undefined && item !== null) query.append(name, String(item));
  }
  const text = query.toString();
  return href(path) + (text ? `?${text}` : '');
}

/** The first parameter of the path: the object to which the rules of the operation refer. */
function objectOf(path: object | undefined): string | undefined {
  const value = Object.values(path ?? {})[0];
  return value === undefined ? undefined : String(value);
}

async function send(id: OperationId, url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw unreachable(id);
  }
}

/** Sends a request, and repeats it after a renewal of the credentials if they have expired. */
export async function authenticated(send: () => Promise<Response>): Promise<Response> {
  for (let renewals = 0; ; renewals++) {
    const sentAt = Date.now();
    const response = await send();
    // The first renewal may be that of another tab, which may have failed.
    if (response.status !== 401 || renewals === 2 || !(await renew(sentAt))) return response;
  }
}

/** Sends a request, and resolves with the response whatever its body is; throws `ApiProblem` if it was refused. */
export async function request<Id extends OperationId>(id: Id, options: RequestOptions<Id> = {}): Promise<Response> {
  const headers = new Headers({ accept: options.accept ?? 'application/json' });
  if (options.body !== undefined) headers.set('content-type', 'application/json');
  if (options.version !== undefined) headers.set('if-match', `"${options.version}"`);
  if (options.idempotencyKey) headers.set('idempotency-key', options.idempotencyKey);
  const init: RequestInit = { method: OPERATIONS[id][0].toUpperCase(), headers, credentials: 'same-origin' };
  init.body = options.form ?? (options.body === undefined ? null : JSON.stringify(options.body));
  if (options.signal) init.signal = options.signal;
  const url = addressOf(id, options);
  const response = await (id.startsWith('auth.') ? send(id, url, init) : authenticated(() => send(id, url, init)));
  if (!response.ok) throw await problemOf(id, response, objectOf(options.path as object | undefined));
  return response;
}

/** Sends a request, and resolves with the body of the response. */
export async function call<Id extends OperationId>(id: Id, options: RequestOptions<Id> = {}): Promise<ResultOf<Id>> {
  const response = await request(id, options);
  const text = await response.text();
  try {
    return (text === '' ? undefined : JSON.parse(text)) as ResultOf<Id>;
  } catch {
    throw new ApiProblem(id, { status: response.status, code: 'unexpected', title: 'The response is not JSON. Is there a proxy in between?' });
  }
}

/** All pages of a list, up to a limit that protects the browser. */
export async function everyPage<T>(read: (cursor: string | undefined) => Promise<{ items: T[]; next_cursor?: string | null }>, most = 1000): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    items.push(...page.items);
    cursor = page.next_cursor ?? undefined;
  } while (cursor && items.length < most);
  return items;
}
