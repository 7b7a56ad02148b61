// One branch of a conversation, of which some messages are loaded. Places are counted from 0 here; the positions of the
// API begin at 1.

import type { BranchItem, BranchPage, Message } from '../api/types';

/** Places from `start` up to, but not including, `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** What the messages of a page are requested by: those before a position, at most so many. */
export interface PageRequest {
  readonly before: number;
  readonly limit: number;
}

/** A branch as it is at one moment. */
export interface BranchView {
  readonly total: number;
  /** The message at a place; undefined if it is not loaded. */
  at(place: number): Message | undefined;
  placeOf(id: string): number | undefined;
  /** The ids of the versions among which a message is one, the oldest first. */
  versionsOf(message: Message): readonly string[];
}

/** Messages at the end of the branch that are never unloaded. */
const TAIL = 50;

export class Branch implements BranchView {
  private readonly loaded: (Message | undefined)[] = [];
  private readonly places = new Map<string, number>();
  /** The ids of the messages that follow the same message, by the id of that message. */
  private readonly following = new Map<string | null, readonly string[]>();
  private last: string | undefined;
  total = 0;

  constructor(page?: Pick<BranchPage, 'items' | 'total' | 'leaf_id'>) {
    if (!page) return;
    this.total = page.total;
    this.last = page.leaf_id ?? undefined;
    this.insert(page.items);
  }

  /** The id of the last message, which may not be loaded. */
  get leaf(): string | undefined {
    return this.last;
  }

  /** Number of messages that are loaded. */
  get size(): number {
    return this.places.size;
  }

  at(place: number): Message | undefined {
    return this.loaded[place];
  }

  get(id: string | undefined): Message | undefined {
    const place = id === undefined ? undefined : this.places.get(id);
    return place === undefined ? undefined : this.loaded[place];
  }

  /** The place of a message that is loaded, or of the last one. */
  placeOf(id: string): number | undefined {
    return this.places.get(id) ?? (id === this.last ? this.total - 1 : undefined);
  }

  versionsOf(message: Message): readonly string[] {
    return this.following.get(message.parent_id ?? null) ?? [message.id];
  }

  insert(items: readonly BranchItem[]): void {
    for (const { position, sibling_ids, sibling_number: _, ...message } of items) {
      if (position > this.total) continue;
      this.put(position - 1, message);
      this.following.set(message.parent_id ?? null, sibling_ids);
    }
  }

  private put(place: number, message: Message): void {
    const former = this.loaded[place];
    if (former && former.id !== message.id) this.places.delete(former.id);
    this.loaded[place] = message;
    this.places.set(message.id, place);
  }

  /** Replaces a loaded message by its present form. Returns whether it is one. */
  replace(message: Message): boolean {
    const place = this.places.get(message.id);
    if (place === undefined) return false;
    this.loaded[place] = message;
    return true;
  }

  /** Records that a message was created below one of this branch: a new version, or what follows the end. */
  addVersion({ id, parent_id }: Message): void {
    const parent = parent_id ?? null;
    const known = this.following.get(parent) ?? (parent === (this.last ?? null) ? [] : undefined);
    if (known && !known.includes(id)) this.following.set(parent, [...known, id]);
  }

  /** Records that a message was deleted. Returns whether the branch has to be read again. */
  remove(id: string): boolean {
    for (const [parent, ids] of this.following) {
      if (ids.includes(id)) this.following.set(parent, ids.filter(other => other !== id));
    }
    return this.placeOf(id) !== undefined;
  }

  /**
   * Continues the branch with messages of which each follows the one before, in place of what followed so far. Returns
   * false if it is not known where they belong, or what their versions are.
   */
  extend(path: readonly Message[]): boolean {
    const parent = path[0]?.parent_id ?? null;
    const place = parent === null ? -1 : this.placeOf(parent);
    if (place === undefined || (place + 1 < this.total && !this.following.has(parent))) return false;
    this.cut(place + 1);
    for (const message of path) {
      this.addVersion(message);
      this.put(this.total, message);
      this.last = message.id;
      this.total++;
    }
    return true;
  }

  /** Ends the branch before a place. */
  cut(total: number): void {
    for (let place = total; place < this.loaded.length; place++) this.unload(place);
    this.loaded.length = Math.min(this.loaded.length, total);
    if (total < this.total) this.last = this.loaded[total - 1]?.id;
    this.total = Math.min(this.total, total);
  }

  private unload(place: number): void {
    const message = this.loaded[place];
    if (!message) return;
    this.loaded[place] = undefined;
    this.places.delete(message.id);
  }

  /** Takes over the messages of another branch up to the first loaded one of this, if both have them in common. */
  adopt(other: Branch): void {
    let first = this.loaded.findIndex(message => message !== undefined);
    for (; first > 0; first--) {
      const parent = this.loaded[first]?.parent_id;
      const message = other.loaded[first - 1];
      if (!message || message.id !== parent) return;
      this.put(first - 1, message);
      const versions = other.following.get(message.parent_id ?? null);
      if (versions) this.following.set(message.parent_id ?? null, versions);
    }
  }

  /** Unloads the messages that are farthest from the view, until at most `most` are loaded. */
  evict(view: Span, most: number): void {
    if (this.size <= most) return;
    const center = (view.start + view.end) / 2;
    const isKept = (place: number) => (place >= view.start && place < view.end) || place >= this.total - TAIL;
    const others = [...this.places.values()].filter(place => !isKept(place));
    others.sort((a, b) => Math.abs(b - center) - Math.abs(a - center));
    for (const place of others.slice(0, this.size - most)) {
      this.following.delete(this.loaded[place]?.parent_id ?? null);
      this.unload(place);
    }
  }
}

/**
 * The page to read next: messages that are missing in the view or, if there are none, within `margin` of it. It begins
 * at the missing message that is nearest to the middle of the view, and grows from there in both directions.
 */
export function nextPage(branch: Pick<BranchView, 'total' | 'at'>, view: Span, margin: number, limit: number): PageRequest | undefined {
  const isMissing = (place: number) => place >= 0 && place < branch.total && branch.at(place) === undefined;
  if (view.end <= view.start) return undefined;
  const start = Math.max(0, view.start - margin);
  const end = Math.min(branch.total, view.end + margin);
  const middle = Math.floor((view.start + view.end) / 2);
  for (let distance = 0; middle - distance >= start || middle + distance < end; distance++) {
    const place = [middle + distance, middle - distance].find(place => place >= start && place < end && isMissing(place));
    if (place !== undefined) return around(place, isMissing, limit);
  }
  return undefined;
}

function around(place: number, isMissing: (place: number) => boolean, limit: number): PageRequest {
  let [first, last] = [place, place];
  for (let grows = true; grows && last - first + 1 < limit; ) {
    grows = false;
    if (isMissing(first - 1)) (first--, (grows = true));
    if (last - first + 1 < limit && isMissing(last + 1)) (last++, (grows = true));
  }
  return { before: last + 2, limit: last - first + 1 };
}
