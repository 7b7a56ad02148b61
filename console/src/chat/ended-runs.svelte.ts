// What the runs of a conversation tell about themselves after their end: forms and times, which messages do not contain. The
// server keeps the journals of runs for a while only.

import type { Answer } from '../live/answer';
import { AnswerFollower } from '../live/follow';
import { live } from '../live/tab';

/** Journals that are read at the same time. */
const AT_ONCE = 4;

export class EndedRuns {
  /** By the id of the run. */
  private answers = $state.raw<ReadonlyMap<string, Answer>>(new Map());
  /** The runs that are complete here, are being read, or are not kept by the server any more. */
  private readonly known = new Set<string>();
  private readonly waiting: string[] = [];
  private readonly followers = new Set<AnswerFollower>();

  constructor(private readonly conversation: string) {}

  of(run: string | null): Answer | undefined {
    return run ? this.answers.get(run) : undefined;
  }

  /** Keeps an answer that was followed, so that it does not have to be read. */
  keep(answer: Answer): void {
    if (!answer.run_id) return;
    this.answers = new Map(this.answers).set(answer.run_id, answer);
    if (answer.terminal) this.known.add(answer.run_id);
  }

  /** Reads the journal of a run, unless it is known. */
  read(run: string): void {
    if (this.known.has(run)) return;
    this.known.add(run);
    this.waiting.push(run);
    this.readNext();
  }

  private readNext(): void {
    const run = this.followers.size < AT_ONCE ? this.waiting.shift() : undefined;
    if (run === undefined) return;
    const done = () => {
      this.followers.delete(follower);
      this.readNext();
    };
    const follower = new AnswerFollower(live, { to: 'stream', conversation_id: this.conversation, stream_id: run }, {
      onAnswer: answer => {
        if (!answer.terminal) return;
        this.keep(answer);
        done();
      },
      onRefused: done,
    });
    this.followers.add(follower);
  }

  close(): void {
    this.waiting.length = 0;
    for (const follower of this.followers) follower.close();
  }
}
