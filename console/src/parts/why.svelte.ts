// The question why an operation is refused. Every part of the console may ask it; one dialog shows the answer.

import type { OperationId } from '../api/operations';
import { ApiProblem } from '../api/problem';
import { session } from '../api/session.svelte';
import { t } from '../words/index.svelte';
import { toasts } from './toasts.svelte';

export interface Question {
  /** The id of an operation of the API, also one that the console does not use itself. */
  readonly operation: OperationId | (string & {});
  readonly object?: string | undefined;
  /** What is known already: the rules do not contain every reason. */
  readonly reason?: string | undefined;
}

/** Why an action is not available: the rules of an operation, or a sentence if no rule is the reason. */
export type Refusal = Question | string;

let question = $state.raw<Question | undefined>();

export const why = {
  get question(): Question | undefined {
    return question;
  },
  ask(operation: Question['operation'], object?: string, reason?: string): void {
    question = { operation, object, reason };
  },
  explain(refusal: Refusal): void {
    if (typeof refusal !== 'string') question = refusal;
    else if (!toasts.list.some(({ text }) => text === refusal)) toasts.show(refusal);
  },
  /** The problem, if the server can explain it: it does so only to users who are signed in. */
  explainable(problem: unknown): ApiProblem | undefined {
    return problem instanceof ApiProblem && problem.explainable && session.state === 'signed-in' ? problem : undefined;
  },
  askAbout(problem: ApiProblem): void {
    why.ask(problem.operation, problem.object, problem.message);
  },
  /** Shows at the edge of the page that an action has failed. */
  report(problem: unknown): void {
    const refusal = why.explainable(problem);
    const action = refusal && { label: t.common.why, run: () => why.askAbout(refusal) };
    toasts.show(problem instanceof Error ? problem.message : String(problem), { tone: 'problem', ...(action ? { action } : {}) });
  },
  close(): void {
    question = undefined;
  },
};
