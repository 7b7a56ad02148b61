// Random journals of answers, as the server writes them.

import type { StreamEvent } from '../../src/live/event';
import type { Random } from './seeded';

export const RUN = '01a21cd8-a205-7432-a9fc-be971895abf6';

type Draft = { type: string; data: Record<string, unknown>; node_id?: string; exec_id?: string };

/** Gives events their positions. */
export function numbered(drafts: readonly Draft[], epoch = 1): StreamEvent[] {
  return drafts.map((draft, at) => {
    if (draft.type === 'run.recovered') epoch = draft.data['epoch'] as number;
    const ts = new Date(1_795_780_289_000 + at * 40).toISOString();
    return { seq: at + 1, ts, run_id: RUN, epoch, ...draft } as unknown as StreamEvent;
  });
}

const USAGE = { input_tokens: 7, output_tokens: 20, cached_tokens: 1, reasoning_tokens: 3 };

function part(random: Random, kind: 'text' | 'reasoning', name: string): Draft[] {
  const deltas = Array.from({ length: random.below(6) }, (): Draft => ({ type: `${kind}.delta`, data: { part: name, text: `w${random.below(100)} ` } }));
  return [{ type: `${kind}.start`, data: { part: name } }, ...deltas, { type: `${kind}.end`, data: { part: name } }];
}

function call(random: Random, call_id: string): Draft[] {
  const remote = random.below(2) === 0;
  const drafts: Draft[] = [
    { type: 'tool.call.start', data: { call_id, name: 'search' } },
    { type: 'tool.call.delta', data: { call_id, arguments: '{"q":' } },
    { type: 'tool.call.delta', data: { call_id, arguments: '"tide"}' } },
    { type: 'tool.call.ready', data: { call_id, name: 'search', arguments: { q: 'tide' } } },
  ];
  if (remote) {
    drafts.push({ type: 'tool.started', data: { call_id, server: 'web', tool: 'find', repeatable: true } });
    drafts.push({ type: 'tool.progress', data: { call_id, progress: 1, total: 2 } });
  }
  const result = random.below(3) === 0 ? { error: 'no such page' } : { output: { pages: [1, 2] } };
  return [...drafts, { type: 'tool.result', data: { call_id, ...result } }];
}

function form(random: Random, form_id: string): Draft[] {
  const node = { node_id: 'approve', exec_id: 'approve' };
  const end: Draft[] = random.below(2) === 0
    ? [{ type: 'form.submitted', data: { form_id, action: 'yes', fields: {}, by: RUN }, ...node }, { type: 'run.resumed', data: { by: RUN, action: 'yes' } }]
    : [{ type: 'form.expired', data: { form_id }, ...node }];
  return [
    { type: 'node.started', data: { inputs: {}, attempt: 1 }, ...node },
    { type: 'form.required', data: { form_id, title: 'Approve', message: 'May it go?', fields: [], actions: [{ name: 'yes', label: 'Yes' }], expires_at: null }, ...node },
    { type: 'node.waiting', data: { on: 'human', form_id }, ...node },
    { type: 'run.waiting', data: { on: 'human' } },
    ...end,
    { type: 'node.finished', data: { status: 'succeeded', outputs: {}, elapsed_ms: 3, from: 'run' }, ...node },
  ];
}

/** The events of an answer, from its start to its end. */
export function journal(random: Random): StreamEvent[] {
  const drafts: Draft[] = [{ type: 'run.started', data: { model: 'a/b', message_id: 'm', parent_id: 'q', input_estimate: 6 } }];
  let epoch = 1;
  for (let at = 0; at < 2 + random.below(8); at += 1) {
    const make = random.pick<() => Draft[]>([
      () => part(random, 'text', `t${at}`),
      () => part(random, 'text', `t${at}`),
      () => part(random, 'reasoning', `r${at}`),
      () => call(random, `c${at}`),
      () => form(random, `f${at}`),
      () => [{ type: 'source', data: { document_id: 'd', title: 'Tides', snippet: 'High', place: { number: at + 1, knowledge_base_id: 'k', start: 0, end: 4 } } }],
      () => [{ type: 'source', data: { url: 'https://example.org/' } }],
      () => [{ type: 'file', data: { blob_id: `blob${at}`, media_type: 'image/png' } }],
      () => [{ type: 'usage', data: { ...USAGE, cost_nanos: 5, estimated: random.below(2) === 0 } }],
      () => [{ type: 'title', data: { title: `Title ${at}` } }],
      () => [{ type: 'model.answering', data: { model: 'c/d' } }],
      () => [{ type: 'tool.server', data: { server: 'web', code: 'timeout', message: 'late' } }, { type: 'knowledge.closed', data: { count: 2 } }],
      () => [{ type: 'run.recovered', data: { epoch: (epoch += 1), kept_chars: 10 } }],
      () => [{ type: 'run.reset', data: {} }],
      () => [{ type: 'an.event.of.a.later.version', data: { anything: true } }],
    ]);
    drafts.push(...make());
  }
  const cancelled = random.below(4) === 0;
  if (cancelled) drafts.push({ type: 'run.cancelling', data: { by: RUN } });
  const terminal = { status: cancelled ? 'cancelled' : 'succeeded', cancelled_by: cancelled ? RUN : null, usage: USAGE, cost_nanos: 5, last_seq: drafts.length + 1, finished_at: '2026-11-27T11:51:29.030Z', partial: false };
  return numbered([...drafts, { type: 'run.ended', data: { terminal } }]);
}

/** Merges adjacent deltas of the same part up to a position, as the server does with `fold=true`. */
export function merged(events: readonly StreamEvent[], until: number): StreamEvent[] {
  const result: StreamEvent[] = [];
  for (const event of events) {
    const last = result.at(-1);
    const data = event.data as Record<string, unknown>;
    const former = last?.data as Record<string, unknown> | undefined;
    const name = event.type === 'tool.call.delta' ? 'call_id' : 'part';
    const text = event.type === 'tool.call.delta' ? 'arguments' : 'text';
    const joins = event.type.endsWith('.delta') && event.seq <= until && last?.type === event.type && former?.[name] === data[name];
    if (joins) result[result.length - 1] = { ...event, data: { ...data, [text]: String(former?.[text]) + String(data[text]) } } as StreamEvent;
    else result.push(event);
  }
  return result;
}
