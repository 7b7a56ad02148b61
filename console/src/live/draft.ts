// A copy of an answer that is being changed by events.

import type { Answer, AnswerPart, FormPart, ReasoningPart, Step, TextPart, ToolPart } from './answer';
import { STEPS } from './answer';
import type { Source, StreamEvent } from './event';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type DataOf<T extends StreamEvent['type']> = Extract<StreamEvent, { type: T }>['data'];
type Kind = AnswerPart['kind'];
type PartOf<K extends Kind> = Extract<AnswerPart, { kind: K }>;

/** Changes an answer. Only the lists and parts that change are copied, each list at most once. */
export class Draft {
  private readonly next: Mutable<Answer>;
  private parts: AnswerPart[] | null = null;
  private steps: Step[] | null = null;

  constructor(former: Answer) {
    this.next = { ...former };
  }

  finish(): Answer {
    if (this.parts) this.next.parts = this.parts;
    if (this.steps) this.next.steps = this.steps;
    return this.next;
  }

  /** Whether the event is a delta of a part that has begun. */
  continues(event: StreamEvent): boolean {
    switch (event.type) {
      case 'text.delta':
        return this.find('text', event.data.part) !== undefined;
      case 'reasoning.delta':
        return this.find('reasoning', event.data.part) !== undefined;
      case 'tool.call.delta':
        return this.find('tool', event.data.call_id) !== undefined;
      default:
        return false;
    }
  }

  /** Adds the event that follows the last one. */
  apply(event: StreamEvent): void {
    const { next } = this;
    next.run_id ??= event.run_id;
    next.seq = event.seq;
    next.epoch = Math.max(next.epoch, event.epoch);
    if (isAboutStep(event)) return this.applyToStep(event);
    switch (event.type) {
      case 'text.start':
      case 'text.delta':
      case 'text.end':
        return this.applyToText(event);
      case 'reasoning.start':
      case 'reasoning.delta':
      case 'reasoning.end':
        return this.applyToReasoning(event);
      case 'tool.call.start':
      case 'tool.call.delta':
      case 'tool.call.ready':
      case 'tool.started':
      case 'tool.progress':
      case 'tool.result':
        return this.applyToTool(event);
      case 'form.required':
      case 'form.submitted':
      case 'form.expired':
        return this.applyToForm(event);
      case 'source':
        return this.addSource(event, event.data);
      case 'file': {
        const { blob_id, media_type } = event.data;
        return this.add({ kind: 'file', id: `file-${event.seq}`, step: stepOf(event), blob_id, media_type, filename: null });
      }
      default:
        return this.applyToRun(event);
    }
  }

  private applyToRun(event: StreamEvent): void {
    const { next } = this;
    switch (event.type) {
      case 'run.started':
        next.model = event.data.model;
        next.message_id = event.data.message_id ?? null;
        next.parent_id = event.data.parent_id ?? null;
        return this.enter('running');
      case 'run.waiting':
        next.waiting = event.data;
        return this.enter('waiting');
      case 'run.paused':
        next.paused = event.data;
        return this.enter('paused');
      case 'run.resumed':
        return this.enter('running');
      case 'run.recovered':
        next.recoveries = [...next.recoveries, { seq: event.seq, epoch: event.data.epoch, continued: true }];
        return this.enter('running');
      case 'run.reset':
        next.recoveries = [...next.recoveries, { seq: event.seq, epoch: event.epoch, continued: false }];
        this.parts = [];
        next.memory_ids = [];
        return this.enter('running');
      case 'run.cancelling':
        next.cancelled_by = event.data.by;
        return this.enter('cancelling');
      case 'run.ended':
        return this.end(event.data);
      case 'title':
        next.title = event.data.title;
        return;
      case 'model.answering':
        next.replaced_model ??= next.model;
        next.model = event.data.model;
        return;
      case 'usage':
        return this.addUsage(event.data);
      case 'knowledge.closed':
        next.closed_knowledge = event.data.count;
        return;
      case 'memories': {
        // An answer that continues after a crash may be given others.
        const given = event.data.memory_ids;
        next.memory_ids = [...next.memory_ids.filter(id => !given.includes(id)), ...given];
        return;
      }
      case 'tool.server': {
        const issue = event.data;
        const others = next.tool_servers.filter((other) => other.server !== issue.server || other.code !== issue.code);
        next.tool_servers = [...others, issue];
        return;
      }
    }
  }

  /** A run that is being cancelled stays so until it ends, whatever its nodes still report. */
  private enter(state: Answer['state']): void {
    const { next } = this;
    if (state !== 'waiting') next.waiting = null;
    if (state !== 'paused') next.paused = null;
    next.state = next.state === 'cancelling' ? 'cancelling' : state;
  }

  private end({ terminal }: DataOf<'run.ended'>): void {
    const { next } = this;
    next.waiting = next.paused = null;
    next.terminal = terminal;
    next.state = terminal.status;
    next.usage = terminal.usage;
    next.cost_nanos = terminal.cost_nanos;
    next.cancelled_by = terminal.cancelled_by ?? null;
    for (const part of this.parts ?? next.parts) {
      if ((part.kind === 'text' || part.kind === 'reasoning') && part.open) this.replace(part, { ...part, open: false });
    }
  }

  private addUsage(data: DataOf<'usage'>): void {
    const { next } = this;
    const sum = (name: 'input_tokens' | 'output_tokens' | 'cached_tokens' | 'reasoning_tokens') =>
      (next.usage[name] ?? 0) + (data[name] ?? 0);
    next.usage = {
      input_tokens: sum('input_tokens'),
      output_tokens: sum('output_tokens'),
      cached_tokens: sum('cached_tokens'),
      reasoning_tokens: sum('reasoning_tokens'),
    };
    next.cost_nanos += data.cost_nanos;
    next.estimated ||= data.estimated === true;
  }

  private applyToText(event: Extract<StreamEvent, { type: 'text.start' | 'text.delta' | 'text.end' }>): void {
    const id = event.data.part;
    if (event.type === 'text.start') return this.add({ kind: 'text', id, step: stepOf(event), text: '', open: true });
    const part = this.find('text', id);
    if (event.type === 'text.end') return part && this.replace(part, { ...part, open: false });
    // A part whose start is missing is shown, rather than losing its text.
    const known: TextPart = part ?? this.added({ kind: 'text', id, step: stepOf(event), text: '', open: true });
    this.replace(known, { ...known, text: known.text + event.data.text });
  }

  private applyToReasoning(
    event: Extract<StreamEvent, { type: 'reasoning.start' | 'reasoning.delta' | 'reasoning.end' }>,
  ): void {
    const id = event.data.part;
    if (event.type === 'reasoning.start') return this.add(reasoning(id, event));
    const part = this.find('reasoning', id);
    if (event.type === 'reasoning.end') {
      return part && this.replace(part, { ...part, open: false, ended_at: event.ts });
    }
    const known = part ?? this.added(reasoning(id, event));
    // The outline of a workflow run has no reasoning, so the text may be absent.
    this.replace(known, { ...known, text: known.text + (event.data.text ?? '') });
  }

  private applyToTool(event: ToolEvent): void {
    const id = event.data.call_id;
    const part = this.find('tool', id) ?? this.added(toolPart(event));
    const changed: Mutable<ToolPart> = { ...part };
    switch (event.type) {
      case 'tool.call.start':
        return;
      case 'tool.call.delta':
        changed.input += event.data.arguments;
        break;
      case 'tool.call.ready':
        changed.name = event.data.name;
        changed.arguments = event.data.arguments;
        changed.state = 'ready';
        break;
      case 'tool.started':
        changed.server = { name: event.data.server, tool: event.data.tool };
        changed.state = 'running';
        break;
      case 'tool.progress': {
        const { progress, total, message } = event.data;
        changed.progress = { done: progress, total: total ?? null, message: message ?? null };
        changed.state = 'running';
        break;
      }
      case 'tool.result':
        changed.output = event.data.output ?? null;
        changed.error = event.data.error ?? null;
        changed.state = changed.error === null ? 'succeeded' : 'failed';
        break;
    }
    this.replace(part, changed);
  }

  private applyToForm(event: Extract<StreamEvent, { type: 'form.required' | 'form.submitted' | 'form.expired' }>): void {
    const { form_id: id = '' } = event.data;
    if (event.type === 'form.required') {
      return this.add({ kind: 'form', id, step: stepOf(event), form: event.data, state: 'open', submission: null, submitted_at: null });
    }
    const form = this.find('form', id);
    if (!form) return;
    const closed: FormPart =
      event.type === 'form.submitted'
        ? { ...form, state: 'submitted', submission: event.data, submitted_at: event.ts }
        : { ...form, state: 'expired' };
    this.replace(form, closed);
  }

  private addSource(event: StreamEvent, source: Source): void {
    const number = source.place?.number || null;
    this.add({ kind: 'source', id: `source-${event.seq}`, step: stepOf(event), source, number });
  }

  private applyToStep(event: StepEvent): void {
    const id = event.exec_id ?? '';
    const steps = (this.steps ??= [...this.next.steps]);
    const at = steps.findLastIndex((step) => step.id === id);
    const former = steps[at] ?? { id, node: event.node_id ?? id, state: 'ready', attempt: 0, started_at: null, ended_at: null };
    const step = changedStep(former, event);
    if (at >= 0) steps[at] = step;
    else steps.push(step);
    if (steps.length > STEPS) steps.shift();
  }

  private find<K extends Kind>(kind: K, id: string): PartOf<K> | undefined {
    const list = this.parts ?? this.next.parts;
    return list.findLast((part): part is PartOf<K> => part.kind === kind && part.id === id);
  }

  private add(part: AnswerPart): void {
    (this.parts ??= [...this.next.parts]).push(part);
  }

  private added<P extends AnswerPart>(part: P): P {
    this.add(part);
    return part;
  }

  private replace(former: AnswerPart, changed: AnswerPart): void {
    const parts = (this.parts ??= [...this.next.parts]);
    parts[parts.lastIndexOf(former)] = changed;
  }
}

type ToolEvent = Extract<
  StreamEvent,
  { type: 'tool.call.start' | 'tool.call.delta' | 'tool.call.ready' | 'tool.started' | 'tool.progress' | 'tool.result' }
>;
type StepEvent = Extract<
  StreamEvent,
  { type: 'node.ready' | 'node.started' | 'node.retry' | 'node.waiting' | 'node.finished' | 'node.skipped' }
>;

function isAboutStep(event: StreamEvent): event is StepEvent {
  return /^node\.(ready|started|retry|waiting|finished|skipped)$/.test(event.type);
}

function stepOf(event: StreamEvent): string | null {
  return event.exec_id ?? null;
}

function reasoning(id: string, event: StreamEvent): ReasoningPart {
  return { kind: 'reasoning', id, step: stepOf(event), text: '', open: true, started_at: event.ts, ended_at: null };
}

function toolPart(event: ToolEvent): ToolPart {
  const { data } = event;
  return {
    kind: 'tool',
    id: data.call_id,
    step: stepOf(event),
    name: 'name' in data ? data.name : '',
    state: 'writing',
    client: 'client' in data && data.client === true,
    input: '',
    arguments: undefined,
    server: null,
    progress: null,
    output: undefined,
    error: null,
  };
}

function changedStep(step: Step, event: StepEvent): Step {
  switch (event.type) {
    case 'node.ready':
      return { ...step, state: 'ready' };
    case 'node.started':
      return { ...step, state: 'running', attempt: event.data.attempt ?? 1, started_at: step.started_at ?? event.ts };
    case 'node.retry':
      return { ...step, state: 'waiting' };
    case 'node.waiting':
      return { ...step, state: 'waiting' };
    case 'node.finished':
      return { ...step, state: event.data.status ?? 'succeeded', ended_at: event.ts };
    case 'node.skipped':
      return { ...step, state: 'skipped', ended_at: event.ts };
  }
}
