// Folds events of a run into the state of its answer. Events that are already included are ignored, so a stream may be
// read again from any earlier position.

import type { Answer, AnswerPart, Step } from './answer';
import { STEPS } from './answer';
import type { Source, StreamEvent } from './event';

export interface FoldOptions {
  /**
   * Whether the server merges adjacent deltas of past events. A merged delta has the sequence number of the last one,
   * so sequence numbers may jump at deltas.
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

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type EventOf<T extends StreamEvent['type']> = Extract<StreamEvent, { type: T }>;
type Part<K extends AnswerPart['kind']> = Extract<AnswerPart, { kind: K }>;

/** Returns the answer with the events added. The same object if none of them is new. */
export function fold(answer: Answer, events: readonly StreamEvent[], options: FoldOptions = {}): Folding {
  let draft: Draft | null = null;
  let seq = answer.seq;
  for (const event of events) {
    if (event.seq <= seq || (answer.run_id !== null && event.run_id !== answer.run_id)) continue;
    const isMerged = options.folded === true && isDelta(event);
    if (event.seq !== seq + 1 && !isMerged) return { answer: draft?.finish(seq) ?? answer, gap: true };
    draft ??= new Draft(answer);
    draft.apply(event);
    seq = event.seq;
  }
  return { answer: draft?.finish(seq) ?? answer, gap: false };
}

function isDelta(event: StreamEvent): boolean {
  return event.type === 'text.delta' || event.type === 'reasoning.delta' || event.type === 'tool.call.delta';
}

/** A copy of an answer that is being changed. Lists are copied before their first change. */
class Draft {
  private readonly next: Mutable<Answer>;
  private parts: AnswerPart[] | null = null;
  private steps: Step[] | null = null;
  /** Answers that parts and calls which have not begun yet belong to, see `choice`. */
  private choice = 0;

  constructor(private readonly former: Answer) {
    this.next = { ...former };
  }

  finish(seq: number): Answer {
    this.next.seq = seq;
    return this.next;
  }

  apply(event: StreamEvent): void {
    this.next.run_id ??= event.run_id;
    this.next.epoch = Math.max(this.next.epoch, event.epoch);
  }
}
