// Parses Markdown into marked's tokens, with two additions: mathematics and citations. HTML is not a construct of this
// dialect, so it is text.

import { Marked, type Token, type TokenizerExtension, type Tokens } from 'marked';
import { isPathological } from './bounds';

/** A formula: `$…$`, `$$…$$`, `\(…\)` or `\[…\]`. */
export interface MathToken extends Tokens.Generic {
  type: 'math';
  tex: string;
  /** Whether the formula stands in a line of its own. */
  display: boolean;
  /** The formula is still being written. */
  open?: boolean;
}

/** A reference to sources by their numbers: `[1]` or `[1, 2]`. */
export interface CitationToken extends Tokens.Generic {
  type: 'citation';
  numbers: number[];
}

/** A reference to a footnote: `[^label]`. */
export interface FootnoteReferenceToken extends Tokens.Generic {
  type: 'footnoteReference';
  label: string;
}

/** A footnote: `[^label]: text`. It is shown where it stands in the text. */
export interface FootnoteToken extends Tokens.Generic {
  type: 'footnote';
  label: string;
  tokens: Token[];
}

/** Definitions of links by their labels, such as `[label]: https://example.org`. */
export type LinkDefinitions = Record<string, Pick<Tokens.Link | Tokens.Image, 'href' | 'title'>>;

export function noLinks(): LinkDefinitions {
  // Without a prototype, because labels are arbitrary.
  return Object.create(null) as LinkDefinitions;
}

/** Inner ends of `$…$` are not blank, and no digit follows, so that prices are not formulas. */
const DOLLARS = /^\$(?![\s$])((?:\\[^\n]|[^\\$\n]|\n(?!\s*\n)){0,1000}?[^\s\\$]|\\[^\n])\$(?![\d$])/;
const INLINE_MATH = [
  /^\$\$((?:\\[^\n]|[^\\$\n]|\n(?!\s*\n)){1,4000}?)\$\$/,
  DOLLARS,
  /^\\\(((?:[^\\\n]|\\(?!\))|\n(?!\s*\n)){1,4000}?)\\\)/,
  /^\\\[((?:[^\\\n]|\\(?!\])|\n(?!\s*\n)){1,4000}?)\\\]/,
];
/** A block of mathematics has no blank lines, which TeX does not allow either. */
const BLOCK_MATH = [
  /^ {0,3}\$\$((?:\\[^\n]|[^\\$\n]|\n(?![^\S\n]*\n)){1,16000}?)\$\$[^\S\n]*(?:\n|$)/,
  /^ {0,3}\\\[((?:[^\\\n]|\\(?!\])|\n(?![^\S\n]*\n)){1,16000}?)\\\][^\S\n]*(?:\n|$)/,
];

const inlineMath: TokenizerExtension = {
  name: 'math',
  level: 'inline',
  start: (src) => firstIndex(src, /\$|\\[([]/),
  tokenizer(src) {
    for (const rule of INLINE_MATH) {
      const match = rule.exec(src);
      if (match?.[1]?.trim()) return mathToken(match[0], match[1], false);
    }
    return undefined;
  },
};

const blockMath: TokenizerExtension = {
  name: 'mathBlock',
  level: 'block',
  start: (src) => firstIndex(src, /(?:^|\n) {0,3}(?:\$\$|\\\[)/),
  tokenizer(src) {
    for (const rule of BLOCK_MATH) {
      const match = rule.exec(src);
      if (match?.[1]?.trim()) return mathToken(match[0], match[1], true);
    }
    return undefined;
  },
};

const citation: TokenizerExtension = {
  name: 'citation',
  level: 'inline',
  start: (src) => firstIndex(src, /\[\d/),
  tokenizer(src) {
    const match = /^\[(\d{1,4}(?:, ?\d{1,4}){0,15})\](?!\()/.exec(src);
    // A label that is defined in the text is a link.
    if (!match?.[1] || this.lexer.tokens.links[match[1]]) return undefined;
    return { type: 'citation', raw: match[0], numbers: match[1].split(',').map(Number) };
  },
};

const LABEL = '\\[\\^([^\\s\\[\\]^]{1,60})\\]';
const FOOTNOTE = new RegExp(`^ {0,3}${LABEL}:[ \\t]+([^\\n]+(?:\\n(?![ \\t]*\\n| {0,3}\\[\\^)[^\\n]+)*)(?:\\n|$)`);
const FOOTNOTE_REFERENCE = new RegExp(`^${LABEL}`);

/** A footnote is a paragraph: it ends with a blank line, or where the next one begins. */
const footnote: TokenizerExtension = {
  name: 'footnote',
  level: 'block',
  start: (src) => firstIndex(src, /(?:^|\n) {0,3}\[\^/),
  tokenizer(src) {
    const match = FOOTNOTE.exec(src);
    if (!match?.[1] || !match[2]) return undefined;
    return { type: 'footnote', raw: match[0], label: match[1], tokens: this.lexer.inline(match[2].replace(/\n[ \t]+/g, '\n')) };
  },
};

const footnoteReference: TokenizerExtension = {
  name: 'footnoteReference',
  level: 'inline',
  start: (src) => firstIndex(src, /\[\^/),
  tokenizer(src) {
    const match = FOOTNOTE_REFERENCE.exec(src);
    return match?.[1] ? { type: 'footnoteReference', raw: match[0], label: match[1] } : undefined;
  },
};

function firstIndex(src: string, pattern: RegExp): number | undefined {
  const at = src.search(pattern);
  return at < 0 ? undefined : at;
}

function mathToken(raw: string, tex: string, display: boolean): MathToken {
  return { type: 'math', raw, tex: tex.trim(), display };
}

const marked = new Marked({
  gfm: true,
  extensions: [blockMath, footnote, inlineMath, footnoteReference, citation] as never[],
  tokenizer: {
    // `undefined` means that the text at this place is not such a construct; `false` would ask marked's own tokenizer.
    html: () => undefined,
    // Line breaks are the exception: tables cannot contain them otherwise.
    tag: (src) => {
      const match = /^<br[ ]?\/?>/i.exec(src);
      return match ? ({ type: 'br', raw: match[0] } as never) : undefined;
    },
  },
});

/** Counts what is parsed, which tests compare with the length of the text. */
export interface ParseCount {
  chars: number;
}

/**
 * Parses blocks of Markdown. `links` has definitions from other blocks, and receives those of this one. Text that would
 * take too much time or depth is returned as a paragraph of plain text.
 */
export function parseBlocks(source: string, links: LinkDefinitions, count: ParseCount): Token[] {
  count.chars += source.length;
  if (isPathological(source)) return plain(source);
  try {
    const lexer = new marked.Lexer(marked.defaults);
    lexer.tokens.links = links as never;
    return [...lexer.lex(source)];
  } catch {
    // The parser is recursive, and the stack is finite.
    return plain(source);
  }
}

/** Parses a part of a line, which contains inline constructs only. */
export function parseInline(source: string, links: LinkDefinitions, count: ParseCount): Token[] {
  count.chars += source.length;
  if (isPathological(source)) return [textToken(source)];
  try {
    const lexer = new marked.Lexer(marked.defaults);
    lexer.tokens.links = links as never;
    return lexer.inlineTokens(source);
  } catch {
    return [textToken(source)];
  }
}

export function plain(source: string): Token[] {
  const text = source.replace(/\n+$/, '');
  return [{ type: 'paragraph', raw: source, text, tokens: [textToken(text)] }];
}

export function textToken(text: string): Tokens.Text {
  return { type: 'text', raw: text, text, escaped: false };
}
