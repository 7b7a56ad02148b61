// Which part of a long list is in the document. Heights are measured where they are known and estimated elsewhere; the
// topmost visible item stays where it is when estimates turn out to be wrong.

/** The place that the reader looks at: an item, and how far its top is above the top of the view. */
export interface Anchor {
  readonly place: number;
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

/** The heights of the items of a list. An item that is not loaded has no id, and a typical height. */
export class Heights {
  private ids: (string | undefined)[] = [];
  private heights: number[] = [];
  /** Whether the height was measured. */
  private measured: boolean[] = [];
  /** The top of each item, and the total height at the end. */
  private tops: number[] = [0];
  /** The first item of which the top may have changed. */
  private changed = 0;

  /** Replaces the items. An item keeps its height unless it is another one than before. */
  setItems(ids: readonly (string | undefined)[], estimate: (place: number) => number): void {
    for (let place = 0; place < ids.length; place++) {
      const id = ids[place];
      const isNew = place >= this.heights.length;
      if (!isNew && (id === undefined || id === this.ids[place])) continue;
      const height = estimate(place);
      if (isNew || height !== this.heights[place]) this.changed = Math.min(this.changed, place);
      this.heights[place] = height;
      this.measured[place] = false;
      this.ids[place] = id;
    }
    this.heights.length = this.ids.length = this.measured.length = ids.length;
    this.tops.length = Math.min(this.tops.length, ids.length + 1);
    this.changed = Math.min(this.changed, ids.length);
  }

  /** Records a measured height. Returns whether it differs from what was assumed. */
  measure(place: number, height: number): boolean {
    if (place >= this.heights.length) return false;
    this.measured[place] = true;
    if (this.heights[place] === height) return false;
    this.heights[place] = height;
    this.changed = Math.min(this.changed, place);
    return true;
  }

  get count(): number {
    return this.heights.length;
  }

  get total(): number {
    return this.top(this.count);
  }

  height(place: number): number {
    return this.heights[place] ?? 0;
  }

  top(place: number): number {
    for (; this.changed < this.count; this.changed++) this.tops[this.changed + 1] = (this.tops[this.changed] ?? 0) + this.height(this.changed);
    return this.tops[place] ?? 0;
  }

  /** The item at a distance from the top. */
  at(y: number): number {
    let low = 0;
    let high = this.count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.top(middle) <= y) low = middle;
      else high = middle - 1;
    }
    return Math.max(0, low);
  }

  /** The topmost item in the view of which the height is measured, because the others may turn out to be higher or lower. */
  anchor(scrollTop: number, viewHeight: number): Anchor {
    const first = this.at(scrollTop);
    let place = first;
    while (place < this.count && !this.measured[place] && this.top(place) < scrollTop + viewHeight) place++;
    if (!this.measured[place] || this.top(place) >= scrollTop + viewHeight) place = first;
    return { place, offset: scrollTop - this.top(place) };
  }

  /** The items in the view and within `margin` of it. */
  range(scrollTop: number, viewHeight: number, margin: number): Range {
    if (this.count === 0) return { start: 0, end: 0, before: 0, after: 0 };
    const start = this.at(Math.max(0, scrollTop - margin));
    const end = this.at(scrollTop + viewHeight + margin) + 1;
    return { start, end, before: this.top(start), after: this.total - this.top(end) };
  }
}

/** A rough height of a message in pixels, from the length of its text. */
export function estimateHeight(characters: number, width: number): number {
  const perLine = Math.max(20, width / 8);
  return 90 + Math.ceil(characters / perLine) * 26;
}
