import type { Snippet } from '../api/types';

export interface Piece {
  readonly text: string;
  readonly isMatch: boolean;
}

/** The pieces of a snippet, so that matches can be shown as elements. Positions count code points. */
export function pieces({ text, ranges }: Snippet): Piece[] {
  const characters = [...text];
  const found: Piece[] = [];
  let at = 0;
  const add = (end: number, isMatch: boolean) => {
    if (end > at) found.push({ text: characters.slice(at, end).join(''), isMatch });
    at = Math.max(at, end);
  };
  for (const { start, end } of ranges) {
    add(Math.min(start, characters.length), false);
    add(Math.min(end, characters.length), true);
  }
  add(characters.length, false);
  return found;
}
