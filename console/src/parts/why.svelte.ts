// The question why an operation is refused. Every part of the console may ask it; one dialog shows the answer.

import type { OperationId } from '../api/operations';
import type { ApiProblem } from '../api/problem';

export interface Question {
  /** The id of an operation of the API, also one that the console does not use itself. */
  readonly operation: OperationId | (string & {});
  readonly object?: string | undefined;
}

let question = $state.raw<Question | undefined>();

export const why = {
  get question(): Question | undefined {
    return question;
  },
  ask(operation: Question['operation'], object?: string): void {
    question = { operation, object };
  },
  askAbout(problem: ApiProblem): void {
    why.ask(problem.operation, problem.object);
  },
  close(): void {
    question = undefined;
  },
};
