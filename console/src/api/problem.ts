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

/** The problem of a failed response, whatever its body is. */
export async function problemOf(operation: OperationId, response: Response, object?: string): Promise<ApiProblem> {
  const retry = Number(response.headers.get('retry-after')) || undefined;
  const body: unknown = await response.json().catch(() => undefined);
  const known = typeof body === 'object' && body !== null && 'code' in body && 'title' in body;
  const fallback = { status: response.status, code: 'unexpected', title: `The server answered ${response.status} ${response.statusText}`.trim() };
  return new ApiProblem(operation, known ? ({ ...body, status: response.status } as ProblemBody) : fallback, object, retry);
}

export function unreachable(operation: OperationId): ApiProblem {
  return new ApiProblem(operation, { status: 0, code: 'unreachable', title: 'The server cannot be reached' });
}
