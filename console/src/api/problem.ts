import type { OperationId } from './operations';

/** One faulty member of a request. */
export interface Fault {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/** A problem document (RFC 9457), with the extension members of its code. */
export interface ProblemBody {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail?: string | null;
  readonly request_id?: string;
  readonly errors?: readonly Fault[];
  readonly [member: string]: unknown;
}

/** A request that the server refused, or that did not reach it (`code` is then `unreachable`, and `status` 0). */
export class ApiProblem extends Error {
  constructor(
    readonly operation: OperationId,
    readonly body: ProblemBody,
    /** The id of the object in the path, for the explanation of a refusal. */
    readonly object?: string,
    /** Seconds after which the request may succeed. */
    readonly retryAfter?: number,
  ) {
    super(messageOf(body));
    this.name = 'ApiProblem';
  }

  get status(): number {
    return this.body.status;
  }

  get code(): string {
    return this.body.code;
  }

  get unreachable(): boolean {
    return this.body.status === 0;
  }

  /** Whether the server can explain which rule refused the request. */
  get explainable(): boolean {
    return this.status === 403 || this.status === 404;
  }

  /** The fault of a member of the body, such as `password`. */
  fault(member: string): string | undefined {
    return this.body.errors?.find(fault => fault.loc.at(-1) === member)?.msg;
  }
}

function messageOf(body: ProblemBody): string {
  const faults = (body.errors ?? []).map(({ loc, msg }) => `${loc.slice(1).join('.')} ${msg}`.trim());
  return faults.length > 0 ? faults.join('; ') : (body.detail ?? body.title);
}

/** Completes what should be a problem document. Without a code, as a proxy answers, the code is `http_` and the status. */
export function asProblem(value: unknown, fallback: { status: number; title: string }): ProblemBody {
  const given = typeof value === 'object' && value !== null ? (value as Partial<ProblemBody>) : {};
  return { code: `http_${fallback.status}`, ...fallback, ...given };
}

/** The problem document of a failed response, or one made from its status if something else than the server responded. */
export async function readProblem(response: Response): Promise<ProblemBody> {
  const { status, statusText } = response;
  const fallback = { status, title: `The server responded with ${status} ${statusText}`.trim() };
  const body: unknown = await response.json().catch(() => undefined);
  const isProblem = typeof body === 'object' && body !== null && 'code' in body && 'title' in body;
  return isProblem ? { ...asProblem(body, fallback), status } : asProblem(undefined, fallback);
}

/** The problem of a failed request. */
export async function problemOf(operation: OperationId, response: Response, object?: string): Promise<ApiProblem> {
  const body = await readProblem(response);
  return new ApiProblem(operation, body, object, retryAfter(response));
}

/** Whether the same request may succeed later: the server is overloaded, restarting or unreachable behind a proxy. */
export function isTemporary(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}

/** Seconds that a response demands before a retry, at most five minutes; `undefined` if it demands none. */
export function retryAfter(response: Response): number | undefined {
  const seconds = Number(response.headers.get('retry-after'));
  return seconds > 0 ? Math.min(seconds, 300) : undefined;
}

export function unreachable(operation: OperationId): ApiProblem {
  return new ApiProblem(operation, { status: 0, code: 'unreachable', title: 'The server cannot be reached' });
}
