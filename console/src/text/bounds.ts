// Limits of what is parsed. Texts beyond them are shown, but not formatted: models and pasted text can contain anything,
// and parsing takes quadratic time or deep recursion for some inputs.

/** A block other than code is cut when it reaches this length. */
export const MAX_BLOCK_CHARS = 32_000;

/** Of each character that opens or closes constructs, a block may contain this many per kind. */
const MAX_DELIMITERS = 1_500;
/** Quotes and lists in each other. */
const MAX_DEPTH = 24;
const MAX_LINES = 4_000;

const DELIMITERS = ['*', '_', '`', '[', '~', '$', '\\', '<'];
/** Markers of quotes and lists at the beginning of a line. Indentation counts as depth, too. */
const NESTING = /^(?:[ \t]{0,3}(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))[ \t]?){24}/m;
const INDENTATION = new RegExp(`^[ \\t]{${MAX_DEPTH * 4},}\\S`, 'm');

/** Whether parsing could take too long or recurse too deeply. */
export function isPathological(source: string): boolean {
  if (source.length > MAX_BLOCK_CHARS * 2) return true;
  if (DELIMITERS.some((delimiter) => exceeds(source, delimiter, MAX_DELIMITERS))) return true;
  return exceeds(source, '\n', MAX_LINES) || NESTING.test(source) || INDENTATION.test(source);
}

function exceeds(source: string, character: string, most: number): boolean {
  let seen = 0;
  for (let at = source.indexOf(character); at >= 0; at = source.indexOf(character, at + 1)) {
    if (++seen > most) return true;
  }
  return false;
}
