// Converts stored messages to the parts that a live answer has, so that both are shown by the same components.

import type { components } from '../api/schema';
import type { AnswerPart, ToolPart } from './answer';

type Message = components['schemas']['ConversationMessage'];
type StoredPart = components['schemas']['Part'];
type StoredCall = components['schemas']['ToolCall'];

/** The parts of a stored message. Ids are derived from positions, so they do not change when the message is read again. */
export function partsOf(message: Partial<Pick<Message, 'parts' | 'tool_calls'>>): AnswerPart[] {
  const calls = new Map((message.tool_calls ?? []).map((call) => [call.call_id ?? '', call]));
  return (message.parts ?? []).map((part, at) => answerPart(part, at, calls));
}

/**
 * The parts of a stored message with the forms of the answer that wrote it, which messages do not contain. Each form follows
 * the part that it followed in the answer.
 */
export function withForms(stored: readonly AnswerPart[], answer: readonly AnswerPart[]): readonly AnswerPart[] {
  if (!answer.some((part) => part.kind === 'form')) return stored;
  const merged: AnswerPart[] = [];
  let taken = 0;
  const counts: Partial<Record<AnswerPart['kind'], number>> = {};
  for (const part of answer) {
    if (part.kind === 'form') {
      merged.push(part);
      continue;
    }
    const number = (counts[part.kind] = (counts[part.kind] ?? 0) + 1);
    const at = stored.findIndex((other, at) => other.kind === part.kind && stored.slice(0, at + 1).filter(({ kind }) => kind === part.kind).length === number);
    if (at >= taken) {
      merged.push(...stored.slice(taken, at + 1));
      taken = at + 1;
    }
  }
  return [...merged, ...stored.slice(taken)];
}

function answerPart(part: StoredPart, at: number, calls: ReadonlyMap<string, StoredCall>): AnswerPart {
  const id = `${part.type}-${at}`;
  const step = null;
  switch (part.type) {
    case 'text':
      return { kind: 'text', id, step, text: part.text, open: false };
    case 'reasoning':
      return { kind: 'reasoning', id, step, text: part.text, open: false, started_at: null, ended_at: null };
    case 'tool_call':
      return toolPart(part.call_id, calls.get(part.call_id));
    case 'source': {
      const { type: _, ...source } = part;
      return { kind: 'source', id, step, source, number: part.place?.number || null };
    }
    case 'file':
      return { kind: 'file', id, step, blob_id: part.blob_id, media_type: part.media_type, filename: part.filename ?? null };
  }
}

function toolPart(id: string, call: StoredCall | undefined): ToolPart {
  const error = call?.error ?? null;
  // The API writes `null` for an absent result, so a call without an error counts as answered.
  return {
    kind: 'tool',
    id,
    step: null,
    name: call?.name ?? '',
    state: error === null ? 'succeeded' : 'failed',
    client: false,
    input: '',
    arguments: call?.arguments,
    server: null,
    progress: null,
    output: call?.output ?? null,
    error,
  };
}
