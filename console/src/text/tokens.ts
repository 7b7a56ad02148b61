// Functions on trees of tokens. Trees are not changed; a changed tree shares all unchanged tokens with the former one.

import type { Token, Tokens } from 'marked';
import { textToken } from './lexer';

/** Constructs to which text can be added while they are open. */
type Container = Tokens.Paragraph | Tokens.Heading | Tokens.Text | Tokens.Code;

/**
 * The innermost last construct of a tree that contains inline tokens or code, or `null` if the tree ends with something
 * else.
 */
export function lastContainer(tokens: readonly Token[]): Container | null {
  const last = tokens.at(-1);
  switch (last?.type) {
    case 'paragraph':
    case 'heading':
    case 'code':
      return last as Container;
    case 'text':
      return last.tokens ? (last as Tokens.Text) : null;
    case 'blockquote':
      return lastContainer((last as Tokens.Blockquote).tokens);
    case 'list':
      return lastContainer((last as Tokens.List).items.at(-1)?.tokens ?? []);
    default:
      return null;
  }
}

/** The tree with another last container. */
export function withLastContainer(tokens: readonly Token[], container: Token): Token[] {
  const last = tokens.at(-1);
  if (!last) return [container];
  return [...tokens.slice(0, -1), replacedContainer(last, container)];
}

function replacedContainer(token: Token, container: Token): Token {
  switch (token.type) {
    case 'blockquote':
      return { ...token, tokens: withLastContainer((token as Tokens.Blockquote).tokens, container) } as Token;
    case 'list': {
      const list = token as Tokens.List;
      const item = list.items.at(-1);
      if (!item) return token;
      const changed = { ...item, tokens: withLastContainer(item.tokens, container) };
      return { ...list, items: [...list.items.slice(0, -1), changed] };
    }
    default:
      return container;
  }
}

/** Inline tokens with plain text added at their end, inside of the last emphasis or link. */
export function withText(tokens: readonly Token[], text: string): Token[] {
  const last = tokens.at(-1);
  if (!last) return [textToken(text)];
  return [...tokens.slice(0, -1), ...addedText(last, text)];
}

function addedText(token: Token, text: string): Token[] {
  switch (token.type) {
    case 'text': {
      const { text: former, tokens } = token as Tokens.Text;
      return [tokens ? { ...token, text: former + text, tokens: withText(tokens, text) } : { ...token, text: former + text }] as Token[];
    }
    case 'codespan':
      return [{ ...token, text: (token as Tokens.Codespan).text + text } as Token];
    case 'strong':
    case 'em':
    case 'del':
    case 'link':
      return [{ ...token, tokens: withText((token as Tokens.Strong).tokens, text) } as Token];
    default:
      return [token, textToken(text)];
  }
}

/** Inline tokens of two parts of a text, with one token where plain text meets. */
export function joinedInline(first: readonly Token[], second: readonly Token[]): Token[] {
  const [before, after] = [first.at(-1), second[0]];
  if (before?.type !== 'text' || after?.type !== 'text' || before.tokens || after.tokens) return [...first, ...second];
  const text = { ...before, raw: before.raw + after.raw, text: before.text + after.text };
  return [...first.slice(0, -1), text, ...second.slice(1)];
}

/** Joins the trees of two parts of a text that were separated inside of a list or a table. */
export function joined(first: readonly Token[], second: readonly Token[]): Token[] {
  const before = first.at(-1);
  const after = second[0];
  if (before?.type === 'list' && after?.type === 'list') {
    const [a, b] = [before as Tokens.List, after as Tokens.List];
    if (a.ordered === b.ordered) {
      const list = { ...a, loose: a.loose || b.loose, items: [...a.items, ...b.items] };
      return [...first.slice(0, -1), list, ...second.slice(1)];
    }
  }
  if (before?.type === 'table' && after?.type === 'table') {
    const [a, b] = [before as Tokens.Table, after as Tokens.Table];
    return [...first.slice(0, -1), { ...a, rows: [...a.rows, ...b.rows] }, ...second.slice(1)];
  }
  return [...first, ...second];
}

/** The text of tokens without formatting, for screen readers and names. */
export function plainText(tokens: readonly Token[] | undefined): string {
  return (tokens ?? []).map(plainTextOf).join('');
}

function plainTextOf(token: Token): string {
  switch (token.type) {
    case 'br':
    case 'space':
      return '\n';
    case 'citation':
    case 'footnoteReference':
    case 'hr':
    case 'def':
      return '';
    case 'math':
      return (token as { tex?: string }).tex ?? '';
    case 'checkbox':
      return '';
    case 'list':
      return (token as Tokens.List).items.map((item) => `${plainText(item.tokens)}\n`).join('');
    case 'paragraph':
    case 'footnote':
    case 'heading':
      return `${plainText(token.tokens)}\n`;
    case 'image':
      return (token as Tokens.Image).text;
    default:
      return plainTextOfInline(token as Tokens.Generic);
  }
}

function plainTextOfInline({ tokens, text }: Tokens.Generic): string {
  if (tokens && tokens.length > 0) return plainText(tokens);
  return typeof text === 'string' ? text : '';
}
