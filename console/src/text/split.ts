// Splits a growing Markdown text into blocks that can be parsed separately. A block may contain several constructs; what
// matters is that no construct extends over its end. Decisions are made by complete lines only, so they do not depend on
// the pieces in which the text arrives.

import { MAX_BLOCK_CHARS } from './bounds';

export type BlockKind = 'markdown' | 'code';

/** A part of the text, from `start` to before `end`. */
export interface Slice {
  readonly kind: BlockKind;
  readonly start: number;
  readonly end: number;
}

/** The beginning of a code block. */
export interface Fence {
  readonly indent: number;
  readonly marker: string;
  readonly info: string;
}

const FENCE = /^( {0,3})(`{3,}|~{3,})([^\n]*?)[ \t]*$/;
const HEADING = /^#{1,6}(?:[ \t]|$)/;
const MARKER = /^( {0,3})(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;

/** The fence that a line opens, or `null`. */
export function openedFence(line: string): Fence | null {
  const match = FENCE.exec(line);
  if (!match) return null;
  const [, indent = '', marker = '', info = ''] = match;
  // `` ```code``` `` in one line is inline code.
  if (marker[0] === '`' && info.includes('`')) return null;
  return { indent: indent.length, marker, info: info.trim() };
}

/** Whether a line closes the fence. */
export function closes(fence: Fence, line: string): boolean {
  const trimmed = line.trim();
  if (/^ {4}/.test(line) || trimmed.length < fence.marker.length) return false;
  return [...trimmed].every((character) => character === fence.marker[0]);
}

export class Splitter {
  /** Start of the current block. */
  private blockStart = 0;
  /** Start of the first line that has not been read. */
  private lineStart = 0;
  /** Up to here, there is no line end after `lineStart`. */
  private scanned = 0;
  private fence: Fence | null = null;
  private afterBlank = false;
  /** Column at which the content of the current list's last item begins; 0 outside of lists. */
  private itemIndent = 0;

  /** The start of the block that has not ended. */
  get tailStart(): number {
    return this.blockStart;
  }

  /** The fence of the block that has not ended, if it is code. */
  get tailFence(): Fence | null {
    return this.fence;
  }

  /** Reads what has been added to `text` since the last call, and returns the blocks that have ended. */
  read(text: string): Slice[] {
    const ended: Slice[] = [];
    for (;;) {
      const newline = text.indexOf('\n', Math.max(this.lineStart, this.scanned));
      const next = newline < 0 ? text.length : newline + 1;
      const limit = this.fence ? Infinity : this.blockStart + MAX_BLOCK_CHARS;
      if (next > limit) {
        this.cut(text, limit, ended);
      } else if (newline < 0) {
        this.scanned = text.length;
        return ended;
      } else {
        this.line(text.slice(this.lineStart, newline), next, ended);
        this.lineStart = next;
      }
    }
  }

  private line(line: string, next: number, ended: Slice[]): void {
    if (this.fence) {
      if (closes(this.fence, line)) {
        this.endBlock(next, ended);
        this.fence = null;
      }
      return;
    }
    if (line.trim() === '') {
      this.afterBlank = true;
      return;
    }
    const fence = openedFence(line);
    // A fence that is indented as far as the content of a list item belongs to it.
    if (fence && (this.itemIndent === 0 || fence.indent < this.itemIndent)) return this.begin(fence, ended);
    if (HEADING.test(line)) {
      this.endBlock(this.lineStart, ended);
      return this.endBlock(next, ended);
    }
    const marker = MARKER.exec(line);
    const isIndented = /^[ \t]/.test(line);
    if (this.afterBlank && !isIndented && !(marker && this.itemIndent > 0)) this.endBlock(this.lineStart, ended);
    this.afterBlank = false;
    // Markers that are indented as far as the content belong to a list in the item.
    if (marker && (this.itemIndent === 0 || marker[1]!.length < this.itemIndent)) this.itemIndent = marker[0].length;
  }

  private begin(fence: Fence, ended: Slice[]): void {
    this.endBlock(this.lineStart, ended);
    this.fence = fence;
  }

  private endBlock(end: number, ended: Slice[]): void {
    if (end > this.blockStart) {
      ended.push({ kind: this.fence ? 'code' : 'markdown', start: this.blockStart, end });
    }
    this.blockStart = end;
    this.afterBlank = false;
    this.itemIndent = 0;
  }

  /** Ends a block that is too long, at a place that depends only on the text before the limit. */
  private cut(text: string, limit: number, ended: Slice[]): void {
    const at = cutAt(text, this.blockStart, limit);
    this.endBlock(at, ended);
    this.lineStart = Math.max(this.lineStart, at);
  }
}

/** After the last line, else the last word, else the last whole character before the limit. */
function cutAt(text: string, start: number, limit: number): number {
  const least = start + MAX_BLOCK_CHARS / 2;
  const line = text.lastIndexOf('\n', limit - 1) + 1;
  if (line > least) return line;
  const word = text.lastIndexOf(' ', limit - 1) + 1;
  if (word > least) return word;
  return /[\uD800-\uDBFF]/.test(text[limit - 1] ?? '') ? limit - 1 : limit;
}
