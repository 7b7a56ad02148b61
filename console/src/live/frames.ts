// The messages of the WebSocket at `/api/live`.

import { asProblem } from '../api/problem';
import type { Problem } from './event';
import type { Position } from './transport';

/** A command to the server. `id` is the client's name of a subscription. */
export type LiveCommand =
  | { readonly op: 'subscribe'; readonly id: string; readonly to: string; readonly after?: Position }
  | { readonly op: 'unsubscribe'; readonly id: string }
  | { readonly op: 'ping' };

/** A message from the server, as far as this client needs it. */
export type LiveMessage =
  | { readonly type: 'subscribed'; readonly id: string }
  /** Some events of feeds have no position: they are complete only with those that follow. */
  | { readonly type: 'event'; readonly id: string; readonly position: Position | undefined; readonly event: object }
  | { readonly type: 'ended'; readonly id: string; readonly problem: Problem | null }
  /** A command was refused. */
  | { readonly type: 'problem'; readonly op: string; readonly id: string; readonly problem: Problem }
  | { readonly type: 'other' };

/** Reads a message. Those that this version does not know are `other`. */
export function readMessage(text: unknown): LiveMessage {
  const fields = parsed(text);
  const { type, id } = fields;
  if (typeof id !== 'string') return { type: 'other' };
  switch (type) {
    case 'subscribed':
      return { type, id };
    case 'event': {
      const { event, position } = fields;
      if (typeof event !== 'object' || event === null) return { type: 'other' };
      return { type, id, event, position: isPosition(position) ? position : undefined };
    }
    case 'ended':
      return { type, id, problem: 'problem' in fields ? problemIn(fields) : null };
    case 'problem':
      return { type, id, op: String(fields['op']), problem: problemIn(fields) };
    default:
      return { type: 'other' };
  }
}

function problemIn(fields: Record<string, unknown>): Problem {
  return asProblem(fields['problem'], { status: 500, title: 'The subscription was refused' });
}

function isPosition(value: unknown): value is Position {
  return typeof value === 'string' || typeof value === 'number';
}

function parsed(text: unknown): Record<string, unknown> {
  if (typeof text !== 'string') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
