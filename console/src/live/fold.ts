// Folds events of a run into the state of its answer. Events that are already included are ignored, so a stream may be
// read again from any earlier position.

import type { Answer } from './answer';
import { Draft } from './draft';
import type { StreamEvent } from './event';

export interface FoldOptions {
  /**
   * Whether the server merges adjacent deltas of past events. A merged delta has the sequence number of the last one,
   * so sequence numbers may jump at deltas of a part that has begun, and missing deltas are not detected.
   */
  folded?: boolean;
}

export interface Folding {
  readonly answer: Answer;
  /**
   * Whether events are missing. The answer then includes the events before the gap, and the stream has to be read again
   * after `answer.seq`.
   */
  readonly gap: boolean;
}

/**
 * Returns the answer with the events added; the same object if none of them is new. Events of other runs, and events of
 * types that this version does not know, change nothing but the sequence number.
 */
export function fold(answer: Answer, events: readonly StreamEvent[], options: FoldOptions = {}): Folding {
  let draft: Draft | null = null;
  let { seq, run_id } = answer;
  for (const event of events) {
    run_id ??= event.run_id;
    if (event.seq <= seq || event.run_id !== run_id) continue;
    const current: Draft = draft ?? new Draft(answer);
    const isMerged = options.folded === true && current.continues(event);
    if (event.seq !== seq + 1 && !isMerged) return { answer: draft?.finish() ?? answer, gap: true };
    draft = current;
    draft.apply(event);
    seq = event.seq;
  }
  return { answer: draft?.finish() ?? answer, gap: false };
}
