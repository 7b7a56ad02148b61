// The differences between two texts, word by word.

/** Texts that differ in more words are not compared. The memory grows with the square of this number: 16 MB. */
const MOST_STEPS = 2_000;

/** A part of one of the texts that the other one does not have: from `start`, up to `end`. */
export interface Change {
  readonly start: number;
  readonly end: number;
}

export interface Difference {
  /** Parts that only the first text has. */
  readonly removed: readonly Change[];
  /** Parts that only the second text has. */
  readonly added: readonly Change[];
  /** Whether the texts differ too much to be compared. */
  readonly isTotal: boolean;
}

/** A run of text that both texts have, or only one of them. */
export interface Run {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

interface Word {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Words and marks, without the blanks between them: texts that are broken at other places are the same. */
function wordsOf(text: string): Word[] {
  return [...text.matchAll(/[\p{L}\p{N}\p{M}_]+|[^\s\p{L}\p{N}\p{M}_]/gu)].map(match => ({ text: match[0], start: match.index, end: match.index + match[0].length }));
}

export function difference(first: string, second: string): Difference {
  const [a, b] = [wordsOf(first), wordsOf(second)];
  const pairs = commonPairs(a, b);
  if (!pairs) return { removed: whole(a), added: whole(b), isTotal: true };
  const kept = { a: new Set(pairs.map(([at]) => at)), b: new Set(pairs.map(([, at]) => at)) };
  return { removed: changes(a, kept.a), added: changes(b, kept.b), isTotal: false };
}

/** Both texts as one, in which what was removed comes before what was added. Blanks are those of the second text. */
export function merged(first: string, second: string): readonly Run[] {
  const { removed, added } = difference(first, second);
  const runs: Run[] = [];
  let [a, b, nextRemoved, nextAdded] = [0, 0, 0, 0];
  const push = (kind: Run['kind'], text: string) => {
    if (text !== '') runs.push({ kind, text });
  };
  // Between two changes, both texts have the same words, so they are counted to find where a change of the one is in the other.
  const [firstWords, secondWords] = [wordsOf(first), wordsOf(second)];
  while (a < firstWords.length || b < secondWords.length) {
    const [r, s] = [removed[nextRemoved], added[nextAdded]];
    if (r && firstWords[a]?.start === r.start) {
      push('removed', first.slice(r.start, r.end));
      while (a < firstWords.length && firstWords[a]!.end <= r.end) a++;
      nextRemoved++;
    } else if (s && secondWords[b]?.start === s.start) {
      const from = b === 0 ? 0 : secondWords[b - 1]!.end;
      push('same', second.slice(from, s.start));
      push('added', second.slice(s.start, s.end));
      while (b < secondWords.length && secondWords[b]!.end <= s.end) b++;
      nextAdded++;
    } else {
      const word = secondWords[b];
      if (!word) break;
      const from = b === 0 ? 0 : secondWords[b - 1]!.end;
      push('same', second.slice(from, word.end));
      a++;
      b++;
    }
  }
  return joinedRuns(runs);
}

function joinedRuns(runs: readonly Run[]): Run[] {
  const joined: Run[] = [];
  for (const run of runs) {
    const last = joined.at(-1);
    if (last?.kind === run.kind) joined[joined.length - 1] = { kind: run.kind, text: last.text + run.text };
    else joined.push(run);
  }
  return joined;
}

function whole(words: readonly Word[]): Change[] {
  const [first, last] = [words[0], words.at(-1)];
  return first && last ? [{ start: first.start, end: last.end }] : [];
}

/** The words that are not kept, adjacent ones as one change. */
function changes(words: readonly Word[], kept: ReadonlySet<number>): Change[] {
  const found: { start: number; end: number; at: number }[] = [];
  words.forEach(({ start, end }, at) => {
    if (kept.has(at)) return;
    const last = found.at(-1);
    if (last && last.at === at - 1) Object.assign(last, { end, at });
    else found.push({ start, end, at });
  });
  return found.map(({ start, end }) => ({ start, end }));
}

/** The positions of a longest common subsequence (Myers 1986), or undefined if there are too many differences. */
function commonPairs(a: readonly Word[], b: readonly Word[]): [number, number][] | undefined {
  let prefix = 0;
  while (prefix < a.length && prefix < b.length && a[prefix]!.text === b[prefix]!.text) prefix++;
  let suffix = 0;
  while (suffix < a.length - prefix && suffix < b.length - prefix && a[a.length - 1 - suffix]!.text === b[b.length - 1 - suffix]!.text) suffix++;
  const [n, m] = [a.length - prefix - suffix, b.length - prefix - suffix];
  const middle = shortestEdit(a.slice(prefix, prefix + n), b.slice(prefix, prefix + m));
  if (!middle) return undefined;
  const before = Array.from({ length: prefix }, (_, at): [number, number] => [at, at]);
  const after = Array.from({ length: suffix }, (_, at): [number, number] => [prefix + n + at, prefix + m + at]);
  return [...before, ...middle.map(([x, y]): [number, number] => [x + prefix, y + prefix]), ...after];
}

function shortestEdit(a: readonly Word[], b: readonly Word[]): [number, number][] | undefined {
  const [n, m] = [a.length, b.length];
  const most = Math.min(n + m, MOST_STEPS);
  // The furthest position in `a` on each diagonal, which are numbered from -steps to steps.
  const reach = new Int32Array(2 * most + 3);
  const zero = most + 1;
  const history: Int32Array[] = [];
  for (let steps = 0; steps <= most; steps++) {
    history.push(reach.slice(zero - steps - 1, zero + steps + 2));
    for (let k = -steps; k <= steps; k += 2) {
      let x = comesFromAbove(reach, zero, k, steps) ? reach[zero + k + 1]! : reach[zero + k - 1]! + 1;
      while (x < n && x - k < m && a[x]!.text === b[x - k]!.text) x++;
      reach[zero + k] = x;
      if (x >= n && x - k >= m) return backtracked(history, n, m);
    }
  }
  return undefined;
}

function comesFromAbove(reach: Int32Array, zero: number, k: number, steps: number): boolean {
  return k === -steps || (k !== steps && reach[zero + k - 1]! < reach[zero + k + 1]!);
}

function backtracked(history: readonly Int32Array[], n: number, m: number): [number, number][] {
  const pairs: [number, number][] = [];
  let [x, y] = [n, m];
  for (let steps = history.length - 1; steps >= 0; steps--) {
    const reach = history[steps]!;
    const zero = steps + 1;
    const former = comesFromAbove(reach, zero, x - y, steps) ? x - y + 1 : x - y - 1;
    const fromX = steps === 0 ? 0 : reach[zero + former]!;
    const fromY = steps === 0 ? 0 : fromX - former;
    while (x > fromX && y > fromY) pairs.push([--x, --y]);
    [x, y] = [fromX, fromY];
  }
  return pairs.reverse();
}
