// Markdown that is being written, as a list of blocks. A block that has ended is parsed once as a whole and never again;
// only the last one, which is still being written, is parsed several times, within a budget.

import type { Token } from 'marked';
import { noLinks, parseBlocks, type ParseCount } from './lexer';
import { Splitter, closes, openedFence, type Slice } from './split';
import { openCode, Tail, wholeCode } from './tail';

/** A part of the text. Blocks that have not changed are the same objects after an update. */
export interface Block {
  /** Unique in the text, and the same while the block is written. */
  readonly id: number;
  readonly source: string;
  readonly tokens: readonly Token[];
  /** Whether the block has ended. */
  readonly settled: boolean;
}

/** Characters that may be parsed for display in excess of the length of the text. */
const ALLOWANCE = 4_000;

export class Blocks {
  /** What was parsed so far. */
  readonly count: ParseCount = { chars: 0 };
  private text = '';
  private settled: Block[] = [];
  private splitter = new Splitter();
  private tail: { readonly start: number; readonly reader: Tail } | null = null;
  private links = noLinks();
  /** Characters that were parsed for display. */
  private interim = 0;
  private blocks: readonly Block[] = [];

  /**
   * The blocks of a text that is still being written. `text` is the whole text so far; if it does not begin with the
   * former one, everything is parsed again.
   */
  update(text: string): readonly Block[] {
    if (!text.startsWith(this.text)) this.restart();
    return text.length === this.text.length ? this.blocks : this.append(text.slice(this.text.length));
  }

  /** Adds text, and returns the blocks. */
  append(added: string): readonly Block[] {
    this.text += added;
    for (const slice of this.splitter.push(added)) this.settle(slice);
    this.blocks = this.withTail();
    return this.blocks;
  }

  /** The blocks of the text, which is complete. A text that continues after all is parsed from its beginning. */
  finish(): readonly Block[] {
    const { tail } = this.splitter;
    if (tail.source !== '') this.settle(tail);
    this.resolveLinks();
    const blocks = this.settled;
    this.restart();
    return blocks;
  }

  private restart(): void {
    this.text = '';
    this.settled = [];
    this.splitter = new Splitter();
    this.tail = null;
    this.links = noLinks();
    this.blocks = [];
  }

  private settle({ kind, start, source }: Slice): void {
    const tokens = kind === 'code' ? codeTokens(source) : parseBlocks(source, this.links, this.count);
    this.settled.push({ id: start, source, tokens, settled: true });
  }

  private withTail(): readonly Block[] {
    const { tail, tailFence } = this.splitter;
    const { start, source } = tail;
    if (source.trim() === '') return [...this.settled];
    const tokens = tailFence ? openCode(source, tailFence) : this.reader(start).update(source);
    return [...this.settled, { id: start, source, tokens, settled: false }];
  }

  private reader(start: number): Tail {
    if (this.tail?.start !== start) {
      const budget = {
        links: this.links,
        count: this.count,
        allows: (chars: number) => {
          const allowed = this.interim + chars <= this.text.length + ALLOWANCE;
          if (allowed) this.interim += chars;
          return allowed;
        },
      };
      this.tail = { start, reader: new Tail(budget) };
    }
    return this.tail.reader;
  }

  /** Links may be defined after they are used: the blocks that may use such definitions are parsed once more. */
  private resolveLinks(): void {
    const labels = Object.keys(this.links);
    if (labels.length === 0) return;
    this.settled = this.settled.map((block) => {
      if (!block.source.includes(']') || block.tokens[0]?.type === 'code') return block;
      const source = block.source.toLowerCase();
      const mayUse = labels.some((label) => source.includes(`[${label}]`));
      return mayUse ? { ...block, tokens: parseBlocks(block.source, this.links, this.count) } : block;
    });
  }
}

/** The blocks of a complete text, such as a stored message. */
export function blocksOf(text: string): readonly Block[] {
  const blocks = new Blocks();
  blocks.append(text);
  return blocks.finish();
}

function codeTokens(source: string): Token[] {
  const lines = source.replace(/\n$/, '').split('\n');
  const fence = openedFence(lines[0] ?? '');
  if (!fence) return [];
  return wholeCode(source, fence, lines.length > 1 && closes(fence, lines.at(-1) ?? ''));
}
