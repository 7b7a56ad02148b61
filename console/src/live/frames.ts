// The messages of the WebSocket at `/api/live`.

import type { Problem } from './event';
import type { Position, Target } from './transport';

/** A message to the server. `id` is the client's name of a subscription. */
export type ClientFrame =
  | ({ readonly op: 'subscribe'; readonly id: string; readonly after?: Position } & Target)
  | { readonly op: 'unsubscribe'; readonly id: string }
  | { readonly op: 'ping' };

/** A message from the server. */
export type ServerFrame =
  | { readonly kind: 'subscribed'; readonly id: string }
  | { readonly kind: 'event'; readonly id: string; readonly event: Record<string, unknown>; readonly position: Position | undefined }
  | { readonly kind: 'ended'; readonly id: string }
  | { readonly kind: 'problem'; readonly id: string | null; readonly problem: Partial<Problem> }
  | { readonly kind: 'pong' };

/** Reads a message; `null` if it is none that this version knows. */
export function readFrame(text: unknown): ServerFrame | null {
  if (typeof text !== 'string') return null;
  let frame: unknown;
  try {
    frame = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isObject(frame)) return null;
  if (frame['pong'] === true) return { kind: 'pong' };
  const id = typeof frame['id'] === 'string' ? frame['id'] : null;
  if (isObject(frame['problem'])) return { kind: 'problem', id, problem: frame['problem'] };
  if (id === null) return null;
  if (isObject(frame['event'])) return { kind: 'event', id, event: frame['event'], position: positionIn(frame) };
  if (frame['ended'] === true) return { kind: 'ended', id };
  return 'subscribed' in frame ? { kind: 'subscribed', id } : null;
}

/** The position after the event: beside it, or its own sequence number. */
function positionIn(frame: Record<string, unknown>): Position | undefined {
  const event = frame['event'] as Record<string, unknown>;
  const position = frame['position'] ?? event['seq'];
  return typeof position === 'string' || typeof position === 'number' ? position : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
