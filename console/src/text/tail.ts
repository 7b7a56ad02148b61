// Tokens of a block that is still being written. They are made for display only: when the block has ended, it is parsed
// once as a whole. Until then, as little as possible is parsed again.
//
// A block consists of lines. When the content of a line begins, the lines before it are parsed together with a
// placeholder for the content, which tells what the line belongs to (a paragraph, a list item, a heading, code). The
// content is then parsed by itself, and what can no longer change is left out of the next parse. Plain words are added
// without parsing.

import type { Token, Tokens } from 'marked';
import remend from 'remend';
import { noLinks, parseBlocks, parseInline, textToken, type LinkDefinitions, type MathToken, type ParseCount } from './lexer';
import type { Fence } from './split';
import { joined, joinedInline, lastContainer, withLastContainer, withText } from './tokens';

/** What the tail may still parse, and where it is counted. */
export interface ParseBudget {
  readonly links: LinkDefinitions;
  readonly count: ParseCount;
  /** Whether this many characters may be parsed for display now. */
  allows(chars: number): boolean;
}

const PLACEHOLDER = 'x';
/** Markers of quotes, list items, tasks and headings at the beginning of a line. */
const PREFIX = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))[ \t]?)*[ \t]*(?:\[[ xX]\][ \t]+|#{1,6}[ \t]+)?/;
/** The beginning of a line that may still become a marker, a rule, a fence, an underline, a task or a table. */
const UNDECIDED = /^(?:[$\\]|[-*+_=#>]*|\d{1,9}[.)]?|\[[ xX]?\]?|`{1,2}|~{1,2}|(?:`{3}|~{3}).*|:?-[-:| \t]*|\|.*)$/;
const TOP_LEVEL_ITEM = /^(?:[-*+]|\d{1,9}[.)])[ \t]/;
/** Lines that change the construct before them, or begin one whose content is in the next line. */
const STRUCTURE = /^(?:={2,}|`{3}|~{3}|([-*_])(?:[ \t]*\1){1,})/;
const TABLE_LINE = /^(?:\||:?-{2,}:?[ \t]*\|)/;

const SPECIAL = /[*_`~[\]()<>$\\!|&]/;
/** More lines than these are not shown one after the other if they arrive together. */
const MANY_LINES = 3;
/** The end of a line that may close a block of mathematics. */
const CLOSED_MATH = /(?:\$\$|\\\])[ \t]*$/;
const OPEN_ADDRESS = /\]\([^()\s]*$/;
const UNRESOLVED = /[*_`~[<$\\]/;
/** What is unresolved after this many characters is shown as it is until the block ends. */
const MAX_INLINE_CHARS = 400;

/** Tokens for an open code block. */
export function openCode(source: string, fence: Fence): Tokens.Code[] {
  const newline = source.indexOf('\n');
  if (newline < 0) return [codeToken(source, fence, '')];
  // The beginning of the closing fence is not content.
  const lastLine = source.lastIndexOf('\n');
  const isFence = /^ {0,3}(?:`+|~+)$/.test(source.slice(lastLine + 1));
  const end = isFence || lastLine === source.length - 1 ? lastLine : source.length;
  return [codeToken(source, fence, source.slice(newline + 1, end))];
}

/** Tokens for a complete code block; the last line closes it, unless the text ended before. */
export function wholeCode(source: string, fence: Fence, isClosed: boolean): Tokens.Code[] {
  const lines = source.replace(/\n$/, '').split('\n');
  const content = lines.slice(1, isClosed ? -1 : undefined).join('\n');
  return [codeToken(source, fence, content.replace(/\n$/, isClosed ? '\n' : ''))];
}

function codeToken(raw: string, fence: Fence, text: string): Tokens.Code {
  const indent = fence.indent > 0 ? new RegExp(`^ {1,${fence.indent}}`, 'gm') : null;
  return { type: 'code', raw, lang: fence.info, text: indent ? text.replace(indent, '') : text };
}

const REMEND = {
  linkMode: 'text-only',
  htmlTags: false,
  comparisonOperators: false,
  setextHeadings: false,
  katex: false,
} as const;

export class Tail {
  /** Tokens of the lines before `region`, which are not parsed again. */
  private frozen: Token[] = [];
  /** Start of the lines that are parsed together. */
  private region = 0;
  /** The head of the table that was separated at `region`. */
  private head = '';
  /** Start of the current line. */
  private line = 0;
  /** Whether it is known what the current line belongs to. */
  private decided = false;
  /** All tokens, the last container without `settled` and `inline`. */
  private base: Token[] = [];
  private container: Token | null = null;
  /** Inline tokens of the container that are not parsed again. */
  private settled: Token[] = [];
  /** Start of the text after `settled`, and its tokens. */
  private inlineStart = 0;
  private inline: Token[] = [];
  /** Whether `inline` has constructs that are not closed in the text. */
  private isOpen = false;
  /** End of the text that the tokens include. */
  private shown = 0;
  private tokens: Token[] = [];

  constructor(private readonly budget: ParseBudget) {}

  /** The tokens of the block, whose source has grown. */
  update(source: string): readonly Token[] {
    const added = source.slice(Math.max(this.line, this.shown)).split('\n').length - 1;
    if (added > MANY_LINES) this.skip(source, source.lastIndexOf('\n') + 1);
    let newline = source.indexOf('\n', Math.max(this.line, this.shown));
    while (newline >= 0) {
      this.content(source.slice(0, newline), true);
      this.line = newline + 1;
      this.decided = false;
      newline = source.indexOf('\n', this.line);
    }
    this.content(source, false);
    return this.tokens;
  }

  /** Shows many lines that arrived together, up to the line that begins at `line`. */
  private skip(source: string, line: number): void {
    const item = Math.max(lastItem(source, line), this.region);
    if (!this.budget.allows(this.head.length + line - this.region)) return;
    if (item > this.region) {
      this.frozen = joined(this.frozen, this.parse(this.head + source.slice(this.region, item)));
      this.head = '';
      this.region = item;
    }
    this.tokens = this.base = joined(this.frozen, this.parse(this.head + source.slice(this.region, line)));
    this.container = null;
    this.line = this.shown = line;
    this.decided = false;
    const table = this.base.at(-1);
    if (table?.type === 'table') this.separateTable(table as Tokens.Table, line);
  }

  private separateTable(table: Tokens.Table, line: number): void {
    this.frozen = this.base;
    this.head ||= headOf(table);
    this.region = line;
  }

  private content(source: string, isWhole: boolean): void {
    if (!this.decided) {
      const line = source.slice(this.line);
      const prefix = PREFIX.exec(line)![0];
      const rest = line.slice(prefix.length);
      if (isWhole && TABLE_LINE.test(rest)) return this.addTableLine(source);
      if (rest === '' || (!isWhole && UNDECIDED.test(rest)) || (isWhole && isStructure(rest))) return;
      this.decide(source, prefix);
    }
    this.extend(source);
  }

  /** Finds out what the current line belongs to. */
  private decide(source: string, prefix: string): void {
    this.decided = true;
    const start = this.line + prefix.length;
    const isContinued = prefix === '' && this.container !== null && this.container.type !== 'code' && this.continues(source);
    if (isContinued) return;
    if (this.base.at(-1)?.type === 'list' && TOP_LEVEL_ITEM.test(source.slice(this.line))) this.freeze(source);
    if (CLOSED_MATH.test(source.slice(this.line)) && this.showClosedMath(source)) return;
    const before = this.head + source.slice(this.region, start);
    if (!this.budget.allows(before.length)) return this.showPlain(start);
    const math = openMath(source.slice(this.region));
    if (math >= 0) return this.showOpenMath(source, this.region + math);
    const parsed = this.parse(before + PLACEHOLDER);
    const container = lastContainer(parsed);
    this.container = container;
    // The line belongs to a construct that is shown when it is complete.
    if (!container) return;
    this.base = joined(this.frozen, parsed);
    this.settled = withoutPlaceholder(container);
    this.inlineStart = this.shown = start;
    this.inline = [];
    this.isOpen = false;
    this.assemble();
  }

  /** Shows a line without knowing what it belongs to. */
  private showPlain(start: number): void {
    if (this.container) return;
    this.container = { type: 'paragraph', raw: '', text: '', tokens: [] };
    this.base = [...this.base, this.container];
    this.settled = this.inline = [];
    this.inlineStart = this.shown = start;
    this.isOpen = false;
  }

  /** Whether the line before the current one is text that this line continues. */
  private continues(source: string): boolean {
    const former = source.slice(source.lastIndexOf('\n', this.line - 2) + 1, this.line);
    if (openMath(source.slice(this.region)) >= 0) return false;
    return former.trim() !== '' && !/^[ \t]*(?:\||#{1,6}[ \t]|={2,}|-{2,})/.test(former);
  }

  /** Separates the complete items of a list from the item that begins. */
  private freeze(source: string): void {
    const before = this.head + source.slice(this.region, this.line);
    if (this.line === this.region || !this.budget.allows(before.length)) return;
    this.frozen = joined(this.frozen, this.parse(before));
    this.head = '';
    this.region = this.line;
  }

  /** Shows a table with a further line. Lines before the one that makes them a table are not shown. */
  private addTableLine(source: string): void {
    const lines = `${this.head + source.slice(this.region)}\n`;
    if (!this.budget.allows(lines.length)) return;
    const tokens = joined(this.frozen, this.parse(lines));
    const table = tokens.at(-1);
    if (table?.type !== 'table') return;
    this.container = null;
    this.tokens = this.base = tokens;
    this.shown = source.length + 1;
    this.separateTable(table as Tokens.Table, this.shown);
  }

  private showOpenMath(source: string, start: number): void {
    const tokens = this.parse(this.head + source.slice(this.region, start));
    const tex = source.slice(start).replace(/^\s*(?:\$\$|\\\[)\s*/, '');
    const open: MathToken = { type: 'math', raw: '', tex, display: true, open: true };
    this.base = joined(this.frozen, [...tokens, open]);
    this.container = null;
    this.tokens = this.base;
    this.shown = source.length;
  }

  /** Shows a formula whose last line is complete. Returns whether the text ends with one. */
  private showClosedMath(source: string): boolean {
    const text = this.head + source.slice(this.region);
    if (!this.budget.allows(text.length)) return false;
    const tokens = joined(this.frozen, this.parse(text));
    if (tokens.at(-1)?.type !== 'math') return false;
    this.container = null;
    this.tokens = this.base = tokens;
    this.shown = source.length;
    // What follows in the line may make it another construct.
    this.decided = false;
    return true;
  }

  /** Adds the text after `shown`. */
  private extend(source: string): void {
    const added = source.slice(this.shown);
    if (added === '' || !this.container) return;
    this.shown = source.length;
    const { container } = this;
    if (container.type === 'code') {
      this.container = { ...container, text: (container as Tokens.Code).text + added } as Token;
      return this.assemble();
    }
    const text = source.slice(this.inlineStart);
    // An address that is being written is not shown.
    if (OPEN_ADDRESS.test(text)) return;
    // The character before may have become the beginning of a construct.
    const fresh = text.slice(-added.length - 1);
    if (SPECIAL.test(fresh) && this.budget.allows(text.length)) this.parseLine(text);
    else this.addWords(added);
    this.settle(source, text);
    this.assemble();
  }

  private parseLine(text: string): void {
    // Half-open constructs are closed. Blanks at the end would be removed.
    const words = text.trimEnd();
    const closed = remend(words, REMEND);
    this.isOpen = closed !== words;
    this.inline = parseInline(closed, this.budget.links, this.budget.count);
    if (words !== text) this.addWords(text.slice(words.length));
  }

  private addWords(words: string): void {
    this.inline = this.isOpen ? withText(this.inline, words) : joinedInline(this.inline, [textToken(words)]);
  }

  /** Leaves the text out of the next parse if nothing in it can change any more. */
  private settle(source: string, text: string): void {
    if (!/\s$/.test(text)) return;
    const isResolved = !this.isOpen && !this.inline.some((token) => token.type === 'text' && UNRESOLVED.test(token.raw));
    if (!isResolved && text.length <= MAX_INLINE_CHARS) return;
    this.settled = joinedInline(this.settled, this.inline);
    this.inline = [];
    this.isOpen = false;
    this.inlineStart = source.length;
  }

  /** Definitions of links that are not complete must not have an effect on other blocks. */
  private parse(source: string): Token[] {
    return parseBlocks(source, Object.assign(noLinks(), this.budget.links), this.budget.count);
  }

  private assemble(): void {
    const { container } = this;
    if (!container) {
      this.tokens = this.base;
      return;
    }
    const tokens = joinedInline(this.settled, this.inline);
    const filled = container.type === 'code' ? container : { ...container, tokens };
    this.tokens = withLastContainer(this.base, filled as Token);
  }
}

/** The tokens of a container up to the placeholder. */
function withoutPlaceholder(container: Token): Token[] {
  if (container.type === 'code') {
    const code = container as Tokens.Code;
    code.text = code.text.slice(0, -PLACEHOLDER.length);
    return [];
  }
  const tokens = [...((container as Tokens.Paragraph).tokens ?? [])];
  const last = tokens.pop();
  if (last?.type !== 'text') return last ? [...tokens, last] : tokens;
  const text = (last as Tokens.Text).text.slice(0, -PLACEHOLDER.length);
  return text === '' ? tokens : [...tokens, { ...last, text } as Token];
}

function isStructure(rest: string): boolean {
  return STRUCTURE.test(rest) && !/[^-=*_`~\s]/.test(rest.replace(/^(?:`{3,}|~{3,}).*$/, ''));
}

/** Where a block of mathematics begins that is not closed; -1 if there is none. */
function openMath(text: string): number {
  const opener = /(?:^|\n) {0,3}(?:\$\$|\\\[)/g;
  for (let match = opener.exec(text); match; match = opener.exec(text)) {
    const rest = text.slice(opener.lastIndex);
    const close = rest.search(match[0].endsWith('$$') ? /\$\$/ : /\\\]/);
    const blank = rest.search(/\n[ \t]*\n/);
    if (close < 0 && blank < 0) return match.index;
    // TeX has no blank lines, so this is not mathematics.
    opener.lastIndex += close >= 0 && (blank < 0 || close < blank) ? close + 2 : blank;
  }
  return -1;
}

/** The start of the last line before `end` that begins an item of a list; -1 if there is none. */
function lastItem(source: string, end: number): number {
  // A position before 0 would count as 0.
  for (let at = source.lastIndexOf('\n', end - 2); at > 0; at = source.lastIndexOf('\n', at - 1)) {
    if (TOP_LEVEL_ITEM.test(source.slice(at + 1, at + 13))) return at + 1;
  }
  return -1;
}

function headOf(table: Tokens.Table): string {
  const [names = '', rule = ''] = table.raw.split('\n');
  return `${names}\n${rule}\n`;
}
