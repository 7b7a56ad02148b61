// Blocks of complete texts. A message that is scrolled out of the window and back is not parsed again.

import { blocksOf, type Block } from './blocks';

const MAX_CHARS = 4_000_000;

const cache = new Map<string, readonly Block[]>();
let chars = 0;

/** The blocks of a complete text. */
export function parsed(text: string): readonly Block[] {
  const known = cache.get(text);
  if (known) cache.delete(text);
  const blocks = known ?? blocksOf(text);
  // The map is ordered by time of use.
  cache.set(text, blocks);
  if (!known) shrink(text.length);
  return blocks;
}

/** Notes the blocks of a text that has just been completed. */
export function remember(text: string, blocks: readonly Block[]): void {
  if (cache.has(text)) return;
  cache.set(text, blocks);
  shrink(text.length);
}

function shrink(added: number): void {
  chars += added;
  for (const oldest of cache.keys()) {
    if (chars <= MAX_CHARS || cache.size === 1) return;
    cache.delete(oldest);
    chars -= oldest.length;
  }
}
