import type { Message } from '../api/types';

export type Match = Pick<Message, 'id' | 'created_at'>;

/** Matches of both searches, the newest first, each once. */
export function merged(...lists: readonly (readonly Match[])[]): Match[] {
  const matches = new Map<string, Match>();
  for (const list of lists) for (const match of list) if (!matches.has(match.id)) matches.set(match.id, match);
  // The ids that the server makes are in the order of time.
  return [...matches.values()].sort((a, b) => compare(b.created_at, a.created_at) || compare(b.id, a.id));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
