// The state of an answer: what the events of a run add up to.

import type { FormRequired, FormSubmitted, RunPaused, RunState, RunWaiting, Source, Terminal, ToolServerIssue, Usage } from './event';

/** Fields of every part. `id` is unique within the answer and never changes. */
interface PartBase {
  readonly id: string;
  /** The execution of a workflow node that the part belongs to; `null` if it belongs to the answer itself. */
  readonly step: string | null;
}

export interface TextPart extends PartBase {
  readonly kind: 'text';
  /** Markdown. */
  readonly text: string;
  /** Whether more text may follow. */
  readonly open: boolean;
}

export interface ReasoningPart extends PartBase {
  readonly kind: 'reasoning';
  readonly text: string;
  readonly open: boolean;
  /** Timestamps of the part's first and last event; `null` in stored messages. */
  readonly started_at: string | null;
  readonly ended_at: string | null;
}

export interface ToolPart extends PartBase {
  readonly kind: 'tool';
  readonly name: string;
  /**
   * `writing`: the model writes the arguments; `ready`: they are complete; `running`: a tool server has been called;
   * `succeeded` and `failed`: there is a result.
   */
  readonly state: 'writing' | 'ready' | 'running' | 'succeeded' | 'failed';
  /** Whether the client has to execute the tool. */
  readonly client: boolean;
  /** The arguments as far as they are written, as JSON text. */
  readonly input: string;
  /** The complete arguments; `undefined` until then. A string if the model did not write valid JSON. */
  readonly arguments: unknown;
  /** The tool server and the tool's name on it, if it is not a built-in tool. */
  readonly server: { readonly name: string; readonly tool: string } | null;
  readonly progress: { readonly done: number; readonly total: number | null; readonly message: string | null } | null;
  readonly output: unknown;
  readonly error: string | null;
}

export interface SourcePart extends PartBase {
  readonly kind: 'source';
  readonly source: Source;
  /** The number by which the text cites the source, such as `[1]`; `null` for pages that a provider cites. */
  readonly number: number | null;
}

export interface FilePart extends PartBase {
  readonly kind: 'file';
  readonly blob_id: string;
  readonly media_type: string;
  readonly filename: string | null;
}

export interface FormPart extends PartBase {
  readonly kind: 'form';
  readonly form: FormRequired;
  readonly state: 'open' | 'submitted' | 'expired';
  readonly submission: FormSubmitted | null;
  /** When it was submitted. */
  readonly submitted_at: string | null;
}

export type AnswerPart = TextPart | ReasoningPart | ToolPart | SourcePart | FilePart | FormPart;

/** One execution of a workflow node. */
export interface Step {
  readonly id: string;
  readonly node: string;
  readonly state: 'ready' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'error_handled' | 'cancelled' | 'skipped';
  readonly attempt: number;
  readonly started_at: string | null;
  readonly ended_at: string | null;
}

/** A continuation of the answer after a crash of the server. */
export interface Recovery {
  readonly seq: number;
  readonly epoch: number;
  /** `false` if the answer was started over. */
  readonly continued: boolean;
}

/**
 * An answer. The value is never changed: folding an event returns a new one, which shares all unchanged parts with the
 * former one.
 */
export interface Answer {
  readonly run_id: string | null;
  /** Sequence number of the last event that is included; 0 if there is none. */
  readonly seq: number;
  readonly epoch: number;
  readonly state: RunState;
  /** Full ID of the model that answers. */
  readonly model: string | null;
  /** The model that was replaced because it failed. */
  readonly replaced_model: string | null;
  readonly message_id: string | null;
  readonly parent_id: string | null;
  /** The parts in the order in which they began. */
  readonly parts: readonly AnswerPart[];
  readonly title: string | null;
  readonly usage: Usage;
  readonly cost_nanos: number;
  /** Whether a provider did not report its usage, so that it was estimated. */
  readonly estimated: boolean;
  /** What a waiting run waits for. */
  readonly waiting: RunWaiting | null;
  /** Why a paused run was paused. */
  readonly paused: RunPaused | null;
  /** The user who requested a cancel. */
  readonly cancelled_by: string | null;
  readonly recoveries: readonly Recovery[];
  /** The latest executions of workflow nodes, at most `STEPS`. */
  readonly steps: readonly Step[];
  /** The memories of the user that the model was given. */
  readonly memory_ids: readonly string[];
  /** Number of knowledge bases of the assistant that the user may not read. */
  readonly closed_knowledge: number;
  /** Tool servers with a problem, one entry per server and problem. */
  readonly tool_servers: readonly ToolServerIssue[];
  /** The end of the run; `null` while it is live. */
  readonly terminal: Terminal | null;
}

/** Older executions of workflow nodes are dropped from `Answer.steps`. */
export const STEPS = 500;

/** The state before the first event: the run is queued. */
export const NO_ANSWER: Answer = {
  run_id: null,
  seq: 0,
  epoch: 0,
  state: 'queued',
  model: null,
  replaced_model: null,
  message_id: null,
  parent_id: null,
  parts: [],
  title: null,
  usage: { input_tokens: 0, output_tokens: 0, cached_tokens: 0, reasoning_tokens: 0 },
  cost_nanos: 0,
  estimated: false,
  waiting: null,
  paused: null,
  cancelled_by: null,
  recoveries: [],
  steps: [],
  memory_ids: [],
  closed_knowledge: 0,
  tool_servers: [],
  terminal: null,
};

/** The text of the answer, without reasoning. */
export function textOf(answer: Answer): string {
  const texts = answer.parts.filter((part): part is TextPart => part.kind === 'text');
  return texts.map((part) => part.text).join('');
}

/** The sources that the answer cites by number. */
export function sourcesByNumber(parts: readonly AnswerPart[]): ReadonlyMap<number, SourcePart> {
  const numbered = new Map<number, SourcePart>();
  for (const part of parts) {
    if (part.kind === 'source' && part.number !== null) numbered.set(part.number, part);
  }
  return numbered;
}
