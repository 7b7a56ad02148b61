// Reads one branch of a conversation in pages: its end at first, and then what the view needs.

import { call } from '../api/client';
import { ApiProblem } from '../api/problem';
import type { BranchPage, Message } from '../api/types';
import { Branch, nextPage, type BranchView, type Span } from './branch';

/** Messages of a page. */
const PAGE = 50;
/** Messages beyond the view that are read in advance. */
const MARGIN = 15;
/** Loaded messages, beyond which those far from the view are unloaded. */
const MOST_LOADED = 500;
/** Messages of other branches that are remembered. */
const MOST_RECENT = 100;

interface Selection {
  leaf_id?: string;
  through_id?: string;
  before?: number;
  limit?: number;
  cursor?: string;
}

/**
 * Where a message is, and whether on another branch than before; or that there is no such message, or not on the branch
 * that is not to be left; or that the user has jumped to another message since.
 */
export type Reached = { readonly place: number; readonly isOther: boolean } | 'gone' | 'superseded';

export class BranchReader {
  private branch = new Branch();
  /** Changes with the branch, which is not reactive itself. */
  private revision = $state(0);
  /** Messages of the feed that are not on the branch. */
  private readonly recent = new Map<string, Message>();
  private wanted: Span = { start: 0, end: 0 };
  private reading = false;
  /** Changes when another branch is shown, so that pages of the former one are dropped. */
  private generation = 0;
  /** Changes when the user jumps, so that only the last jump has an effect. */
  private jump = 0;
  /** Why messages could not be read. */
  problem = $state.raw<unknown>();

  readonly view: BranchView = $derived.by(() => {
    void this.revision;
    const { branch } = this;
    return { total: branch.total, at: place => branch.at(place), placeOf: id => branch.placeOf(id), versionsOf: message => branch.versionsOf(message) };
  });

  constructor(private readonly conversation: string) {}

  /** The id of the last message. */
  get leaf(): string | undefined {
    return this.branch.leaf;
  }

  /** Whether all messages of the branch are loaded. */
  get isComplete(): boolean {
    return this.branch.size === this.branch.total;
  }

  /** A message that is loaded. */
  get(id: string | undefined): Message | undefined {
    return this.branch.get(id) ?? (id === undefined ? undefined : this.recent.get(id));
  }

  private read(selection: Selection): Promise<BranchPage> {
    return call('conversations.list_conversation_messages', { path: { conversation_id: this.conversation }, query: { limit: PAGE, ...selection } });
  }

  /** Reads the branch that the conversation shows: its end, or the part that the view shows. */
  async open(): Promise<void> {
    const generation = ++this.generation;
    const page = await this.read(this.place());
    if (generation === this.generation) this.show(new Branch(page));
  }

  /** Selects the page with the part of the branch that the view shows, or the end. */
  private place(): Selection {
    const { start, end } = this.wanted;
    return end === 0 || end >= this.branch.total ? {} : { before: Math.floor((start + end) / 2) + PAGE / 2 };
  }

  private show(branch: Branch): void {
    branch.adopt(this.branch);
    this.branch = branch;
    this.problem = undefined;
    this.revision++;
    void this.load();
  }

  /** Reads the messages at these places, now or when the requests before it are done. */
  need(span: Span): void {
    this.wanted = span;
    // After a failure the user, or the connection, decides when to try again.
    if (!this.problem) void this.load();
  }

  retry(): void {
    this.problem = undefined;
    void this.load();
  }

  private async load(): Promise<void> {
    if (this.reading) return;
    this.reading = true;
    try {
      for (;;) {
        const request = nextPage(this.branch, this.wanted, MARGIN, PAGE);
        if (!request) break;
        const { generation, branch } = this;
        const page = await this.read({ ...(branch.leaf ? { leaf_id: branch.leaf } : {}), ...request });
        if (generation !== this.generation) continue;
        if (page.items.length === 0) break;
        branch.insert(page.items);
        branch.evict(this.wanted, MOST_LOADED);
        this.revision++;
      }
    } catch (error) {
      this.problem = error;
    } finally {
      this.reading = false;
    }
  }

  /** Loads a message and those around it. If it is not on this branch, shows another one with it, unless `stay`. */
  async reach(id: string, stay = false): Promise<Reached> {
    const known = this.branch.get(id) && this.branch.placeOf(id);
    const jump = ++this.jump;
    if (known !== undefined) return { place: known, isOther: false };
    const position = await this.positionOf(id);
    if (jump !== this.jump) return 'superseded';
    if (position === undefined) return 'gone';
    const before = position + PAGE / 2;
    const { leaf } = this.branch;
    const generation = ++this.generation;
    let page = await this.read({ ...(leaf ? { leaf_id: leaf } : {}), before });
    const isOther = !page.items.some(item => item.id === id);
    if (isOther && stay) return jump === this.jump ? 'gone' : 'superseded';
    if (isOther) page = await this.read({ through_id: id, before });
    if (jump !== this.jump) return 'superseded';
    if (generation !== this.generation) return this.reach(id, stay);
    this.wanted = { start: position - 1, end: position };
    if (isOther || leaf === undefined) this.show(new Branch(page));
    else {
      this.branch.insert(page.items);
      this.branch.evict(this.wanted, MOST_LOADED);
      this.revision++;
    }
    return { place: position - 1, isOther };
  }

  private async positionOf(id: string): Promise<number | undefined> {
    try {
      return (await this.read({ leaf_id: id, limit: 1 })).total;
    } catch (error) {
      if (error instanceof ApiProblem && (error.status === 422 || error.status === 404)) return undefined;
      throw error;
    }
  }

  /** Shows the newest branch with a version of a message of this branch. */
  async through(id: string, place: number): Promise<void> {
    const generation = ++this.generation;
    const page = await this.read({ through_id: id, before: place + PAGE / 2 });
    if (generation === this.generation) this.show(new Branch(page));
  }

  /** Shows the branch that ends with a message. */
  async move(leaf: string | null | undefined): Promise<void> {
    if ((leaf ?? undefined) === this.branch.leaf) return;
    const generation = ++this.generation;
    const path = leaf ? this.pathTo(leaf) : [];
    if (path && (path.length > 0 ? this.branch.extend(path) : this.cutAfter(leaf))) {
      for (const { id } of path) this.recent.delete(id);
      this.revision++;
      return;
    }
    try {
      const page = await this.read({ ...(leaf ? { leaf_id: leaf } : {}), ...this.place() });
      if (generation === this.generation) this.show(new Branch(page));
    } catch (error) {
      this.problem = error;
    }
  }

  private cutAfter(leaf: string | null | undefined): boolean {
    const place = leaf ? this.branch.placeOf(leaf) : -1;
    if (place !== undefined) this.branch.cut(place + 1);
    return place !== undefined;
  }

  /** The messages from one on this branch to `leaf`, without the former; undefined if they are not all known. */
  private pathTo(leaf: string): Message[] | undefined {
    const path: Message[] = [];
    for (let id: string | null = leaf; id !== null && this.branch.placeOf(id) === undefined; ) {
      const message = this.recent.get(id);
      if (!message || path.includes(message)) return undefined;
      path.unshift(message);
      id = message.parent_id ?? null;
    }
    return path;
  }

  /** Takes a message as it is now. */
  put(message: Message): void {
    if (!this.branch.replace(message)) {
      this.branch.addVersion(message);
      this.recent.delete(message.id);
      this.recent.set(message.id, message);
      for (const id of this.recent.keys()) if (this.recent.size > MOST_RECENT) this.recent.delete(id);
    }
    this.revision++;
  }

  /** Takes the deletion of a message. Returns whether the branch has to be read again. */
  remove(id: string): boolean {
    this.recent.delete(id);
    const isAffected = this.branch.remove(id);
    this.revision++;
    return isAffected;
  }

  /** A message of any branch. */
  async version(id: string): Promise<Message> {
    const message = this.get(id) ?? (await this.read({ leaf_id: id, limit: 1 })).items[0];
    if (!message) throw new Error(id);
    return message;
  }

  /** The last message of the user. */
  async lastQuestion(): Promise<Message | undefined> {
    for (let place = this.branch.total - 1; place >= 0; place--) {
      const message = this.branch.at(place);
      if (!message) break;
      if (message.role === 'user') return message;
    }
    const { items } = await this.read({ ...(this.leaf ? { leaf_id: this.leaf } : {}), limit: 10 });
    return items.find(({ role }) => role === 'user');
  }

  /** All messages of the branch, which are not kept. */
  async everything(): Promise<Message[]> {
    const messages: Message[] = [];
    let cursor: string | undefined;
    do {
      const page: BranchPage = await this.read({ limit: 200, ...(cursor ? { cursor } : this.leaf ? { leaf_id: this.leaf } : {}) });
      messages.push(...page.items);
      cursor = page.next_cursor;
    } while (cursor);
    return messages.reverse();
  }
}
