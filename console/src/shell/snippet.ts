import type { Snippet } from '../api/types';

export interface Piece {
  readonly text: string;
  readonly isMatch: boolean;
}

/** Marks of Markdown that only disturb in a line of plain text. */
const MARKS = /\*\*|__|~~|`+|(?<=^|\s)#{1,6}\s/g;

/** A text in Markdown where only a few lines of plain text are shown. */
export const withoutMarks = (text: string) => text.replace(MARKS, '');

/** The pieces of a snippet, so that matches can be shown as elements. Positions count code points. */
export function pieces({ text, ranges }: Snippet): Piece[] {
  const characters = [...text];
  const found: Piece[] = [];
  let at = 0;
  const add = (end: number, isMatch: boolean) => {
    const text = withoutMarks(characters.slice(at, end).join(''));
    if (text) found.push({ text, isMatch });
    at = Math.max(at, end);
  };
  for (const { start, end } of ranges) {
    add(Math.min(start, characters.length), false);
    add(Math.min(end, characters.length), true);
  }
  add(characters.length, false);
  return found;
}
