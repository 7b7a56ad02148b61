// Which part of a long list is in the document. Heights are measured where they are known and estimated elsewhere; the
// topmost visible item stays where it is when estimates turn out to be wrong.

/** The place that the reader looks at: an item, and how far its top is above the top of the view. */
export interface Anchor {
  readonly id: string;
  readonly offset: number;
}

export interface Range {
  /** The first item in the document. */
  readonly start: number;
  /** The item after the last one in the document. */
  readonly end: number;
  /** Heights of what is not in the document. */
  readonly before: number;
  readonly after: number;
}

export class Heights {
  private readonly measured = new Map<string, number>();
  private ids: readonly string[] = [];
  private estimates: readonly number[] = [];
  /** The top of each item, and the total height at the end. */
  private tops: number[] = [0];

  /** Replaces the items. Items that stay have their measured heights. */
  setItems(ids: readonly string[], estimates: readonly number[]): void {
    this.ids = ids;
    this.estimates = estimates;
    this.place(0);
  }

  /** Records a measured height. Returns whether it differs from what was assumed. */
  measure(id: string, height: number): boolean {
    const at = this.indexOf(id);
    const before = at === undefined ? this.measured.get(id) : this.heightAt(at);
    this.measured.set(id, height);
    if (at === undefined || before === height) return false;
    this.place(at);
    return true;
  }

  private index: Map<string, number> | undefined;

  private indexOf(id: string): number | undefined {
    this.index ??= new Map(this.ids.map((id, at) => [id, at]));
    return this.index.get(id);
  }

  private heightAt(at: number): number {
    return this.measured.get(this.ids[at] ?? '') ?? this.estimates[at] ?? 0;
  }

  private place(from: number): void {
    if (from === 0) {
      this.index = undefined;
      this.tops = [0];
    }
    for (let at = from; at < this.ids.length; at++) this.tops[at + 1] = (this.tops[at] ?? 0) + this.heightAt(at);
  }

  get total(): number {
    return this.tops[this.ids.length] ?? 0;
  }

  top(id: string): number | undefined {
    const at = this.indexOf(id);
    return at === undefined ? undefined : this.tops[at];
  }

  /** The item at a distance from the top. */
  at(y: number): number {
    let low = 0;
    let high = this.ids.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.tops[middle] ?? 0) <= y) low = middle;
      else high = middle - 1;
    }
    return Math.max(0, low);
  }

  anchor(scrollTop: number): Anchor | undefined {
    const id = this.ids[this.at(scrollTop)];
    return id === undefined ? undefined : { id, offset: scrollTop - (this.top(id) ?? 0) };
  }

  /** The items in the view and within `margin` of it. */
  range(scrollTop: number, viewHeight: number, margin: number): Range {
    if (this.ids.length === 0) return { start: 0, end: 0, before: 0, after: 0 };
    const start = this.at(Math.max(0, scrollTop - margin));
    const end = this.at(scrollTop + viewHeight + margin) + 1;
    return { start, end, before: this.tops[start] ?? 0, after: this.total - (this.tops[end] ?? this.total) };
  }
}

/** A rough height of a message in pixels, from the length of its text. */
export function estimateHeight(characters: number, width: number): number {
  const perLine = Math.max(20, width / 8);
  return 90 + Math.ceil(characters / perLine) * 26;
}
