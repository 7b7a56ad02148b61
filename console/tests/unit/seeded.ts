// Reproducible randomness. `UNDERSTUDY_SEED` selects another sequence, and failures print it.

const SEED = Number(process.env['UNDERSTUDY_SEED'] ?? 20261127);

export class Random {
  private state: number;

  constructor(stream: number) {
    this.state = (SEED ^ Math.imul(stream + 1, 0x9e3779b1)) >>> 0;
  }

  /** A number from 0 to below 1 (mulberry32). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer from 0 to below `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  /** The pieces of a text, each of 1 to `most` characters. */
  pieces(text: string, most: number): string[] {
    const pieces = [];
    for (let at = 0; at < text.length; ) {
      const length = 1 + this.below(most);
      pieces.push(text.slice(at, at + length));
      at += length;
    }
    return pieces;
  }
}

/** Runs a property for many seeds. The message of a failure names the case. */
export function forSeeds(count: number, property: (random: Random) => void): void {
  for (let stream = 0; stream < count; stream += 1) {
    try {
      property(new Random(stream));
    } catch (error) {
      if (error instanceof Error) error.message = `UNDERSTUDY_SEED=${SEED}, case ${stream}: ${error.message}`;
      throw error;
    }
  }
}
