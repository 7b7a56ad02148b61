// The memories of the user, by their ids.

import { call } from './client';
import type { Memory } from './types';

/** The server finds at most this many at once. */
const MOST = 100;

/** The memories with these ids, in this order; those that do not exist any more are left out. */
export async function memoriesWith(ids: readonly string[]): Promise<Memory[]> {
  const found: Memory[] = [];
  for (let at = 0; at < ids.length; at += MOST) {
    const page = await call('memories.list_user_memories', { query: { ids: ids.slice(at, at + MOST) } });
    found.push(...page.items);
  }
  return found;
}

/** Adds a deleted memory again. It gets a new id, and is a memory of the user's own. */
export async function restoreMemory({ content, assistant_id, expires_at }: Pick<Memory, 'content' | 'assistant_id' | 'expires_at'>): Promise<Memory> {
  const body = { content: content ?? '', ...(assistant_id ? { assistant_id } : {}), ...(expires_at ? { expires_at } : {}) };
  return call('memories.create_memory', { body });
}
