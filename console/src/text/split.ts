// Splits a growing Markdown text into blocks that can be parsed separately. A block may contain several constructs; what
// matters is that no construct extends over its end. Decisions are made by complete lines only, so they do not depend on
// the pieces in which the text arrives.

import { MAX_BLOCK_CHARS } from './bounds';

export type BlockKind = 'markdown' | 'code';

/** A part of the text, which begins at `start`. */
export interface Slice {
  readonly kind: BlockKind;
  readonly start: number;
  readonly source: string;
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
  /** The text of the block that has not ended, and where it starts in the whole text. */
  private rest = '';
  private start = 0;
  /** Start in `rest` of the first line that has not been read. */
  private lineStart = 0;
  /** Up to here in `rest`, there is no line end after `lineStart`. */
  private scanned = 0;
  private fence: Fence | null = null;
  private afterBlank = false;
  /** Column at which the content of the current list's last item begins; 0 outside of lists. */
  private itemIndent = 0;

  /** The block that has not ended. */
  get tail(): Slice {
    return { kind: this.fence ? 'code' : 'markdown', start: this.start, source: this.rest };
  }

  /** The fence of the block that has not ended, if it is code. */
  get tailFence(): Fence | null {
    return this.fence;
  }

  /** Adds text, and returns the blocks that it ends. */
  push(added: string): Slice[] {
    const ended: Slice[] = [];
    this.rest += added;
    for (;;) {
      const newline = this.rest.indexOf('\n', Math.max(this.lineStart, this.scanned));
      const next = newline < 0 ? this.rest.length : newline + 1;
      if (!this.fence && next > MAX_BLOCK_CHARS) {
        this.cut(ended);
      } else if (newline < 0) {
        this.scanned = this.rest.length;
        return ended;
      } else {
        this.lineEnded(this.rest.slice(this.lineStart, newline), next, ended);
      }
    }
  }

  private lineEnded(line: string, next: number, ended: Slice[]): void {
    const { start } = this;
    this.readLine(line, next, ended);
    this.lineStart = next - (this.start - start);
    this.scanned = this.lineStart;
  }

  private readLine(line: string, next: number, ended: Slice[]): void {
    if (this.fence) {
      if (closes(this.fence, line)) this.endBlock(next, ended);
      return;
    }
    if (line.trim() === '') {
      this.afterBlank = true;
      return;
    }
    const fence = openedFence(line);
    // A fence that is indented as far as the content of a list item belongs to it.
    if (fence && (this.itemIndent === 0 || fence.indent < this.itemIndent)) {
      this.endBlock(this.lineStart, ended);
      this.fence = fence;
      return;
    }
    if (HEADING.test(line)) {
      const { start } = this;
      this.endBefore(ended);
      return this.endBlock(next - (this.start - start), ended);
    }
    const marker = MARKER.exec(line);
    const isIndented = /^[ \t]/.test(line);
    if (this.afterBlank && !isIndented && !(marker && this.itemIndent > 0)) this.endBefore(ended);
    this.afterBlank = false;
    // Markers that are indented as far as the content belong to a list in the item.
    if (marker && (this.itemIndent === 0 || marker[1]!.length < this.itemIndent)) this.itemIndent = marker[0].length;
  }

  /** Ends the block before the current line. Blank lines alone are no block, but belong to the next one. */
  private endBefore(ended: Slice[]): void {
    if (this.rest.slice(0, this.lineStart).trim() !== '') this.endBlock(this.lineStart, ended);
  }

  /** Ends the block at a position in `rest`. */
  private endBlock(end: number, ended: Slice[]): void {
    if (end > 0) ended.push({ ...this.tail, source: this.rest.slice(0, end) });
    this.rest = this.rest.slice(end);
    this.start += end;
    this.lineStart = Math.max(this.lineStart - end, 0);
    this.scanned = Math.max(this.scanned - end, 0);
    this.fence = null;
    this.afterBlank = false;
    this.itemIndent = 0;
  }

  /** Ends a block that is too long, at a place that depends only on the text before the limit. */
  private cut(ended: Slice[]): void {
    this.endBlock(cutAt(this.rest, MAX_BLOCK_CHARS), ended);
  }
}

/** After the last line, else the last word, else the last whole character before the limit. */
function cutAt(text: string, limit: number): number {
  const line = text.lastIndexOf('\n', limit - 1) + 1;
  if (line > limit / 2) return line;
  const word = text.lastIndexOf(' ', limit - 1) + 1;
  if (word > limit / 2) return word;
  return /[\uD800-\uDBFF]/.test(text[limit - 1] ?? '') ? limit - 1 : limit;
}
