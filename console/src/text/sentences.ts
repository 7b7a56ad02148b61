// What a screen reader announces of a text that is being written: whole sentences and finished constructs, each once.

import type { Token, Tokens } from 'marked';
import type { Block } from './blocks';
import { decoded } from './entities';
import { languageOf } from './highlight';
import { plainText } from './tokens';

/** Something to announce. The page words what is not a sentence. */
export type Announcement =
  | { readonly kind: 'sentence'; readonly text: string }
  | { readonly kind: 'code'; readonly language: string; readonly lines: number }
  | { readonly kind: 'table'; readonly columns: number; readonly rows: number }
  | { readonly kind: 'formula'; readonly tex: string };

/** Until a formula has ended, its lines look like text. */
const OPEN_FORMULA = /^ {0,3}(?:\$\$|\\\[)/m;

/** Follows the blocks of one text. */
export class SentenceReader {
  private readonly segmenter: Intl.Segmenter;
  /** The first block that has not been announced to its end. */
  private block = -1;
  /** Number of announcements of that block that were made. */
  private made = 0;

  constructor(language: string) {
    this.segmenter = new Intl.Segmenter(language, { granularity: 'sentence' });
  }

  /** Skips what the text contains already, for a reader who joins later. */
  skip(blocks: readonly Block[]): void {
    this.read(blocks);
  }

  /** What has become complete since the last call, in order. */
  read(blocks: readonly Block[]): Announcement[] {
    const announcements: Announcement[] = [];
    for (const block of blocks) {
      if (block.id < this.block) continue;
      if (block.id !== this.block) this.made = 0;
      this.block = block.id;
      // A construct that is being written may still become something else.
      const all = this.announcementsOf(block);
      const mayChange = OPEN_FORMULA.test(block.source);
      const complete = block.settled ? all : mayChange ? [] : all.slice(0, -1);
      announcements.push(...complete.slice(this.made));
      this.made = Math.max(this.made, complete.length);
    }
    return announcements;
  }

  private announcementsOf(block: Block): Announcement[] {
    return block.tokens.flatMap((token) => this.announcementsOfToken(token));
  }

  private announcementsOfToken(token: Token): Announcement[] {
    switch (token.type) {
      case 'code': {
        const { text, lang } = token as Tokens.Code;
        return [{ kind: 'code', language: languageOf(lang), lines: text === '' ? 0 : text.split('\n').length }];
      }
      case 'table': {
        const { header, rows } = token as Tokens.Table;
        return [{ kind: 'table', columns: header.length, rows: rows.length }];
      }
      case 'math':
        return [{ kind: 'formula', tex: (token as { tex?: string }).tex ?? '' }];
      case 'list':
        return (token as Tokens.List).items.flatMap((item) => item.tokens.flatMap((inner) => this.announcementsOfToken(inner)));
      case 'blockquote':
        return (token as Tokens.Blockquote).tokens.flatMap((inner) => this.announcementsOfToken(inner));
      default:
        return this.sentences(decoded(plainText([token])));
    }
  }

  private sentences(text: string): Announcement[] {
    const sentences = Array.from(this.segmenter.segment(text), ({ segment }) => segment.replace(/\s+/g, ' ').trim());
    return sentences.filter((sentence) => sentence !== '').map((text) => ({ kind: 'sentence', text }));
  }
}
