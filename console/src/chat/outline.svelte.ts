// The questions of a branch: the last ones first, which are shown at once, and then the others.

import { call } from '../api/client';
import type { OutlineItem } from '../api/types';

/** The first page is small, so that it is shown soon. */
const FIRST_PAGE = 200;
/** The largest page. With the first one, the outline of a conversation of 10,000 messages is complete. */
const PAGE = 5000;

export class Outline {
  /** The questions that are loaded, in the order of the conversation. They are the last ones. */
  items = $state.raw<readonly OutlineItem[]>([]);
  /** Number of questions; undefined until the first page is loaded. */
  total = $state<number>();
  loading = $state(false);
  problem = $state.raw<unknown>();
  private cursor: string | undefined;

  constructor(
    private readonly conversation: string,
    private readonly leaf: string | undefined,
  ) {}

  get isComplete(): boolean {
    return this.total !== undefined && this.items.length >= this.total;
  }

  /** Loads earlier questions. */
  async more(): Promise<void> {
    if (this.loading || this.isComplete) return;
    this.loading = true;
    this.problem = undefined;
    try {
      const selection = this.cursor ? { cursor: this.cursor } : this.leaf ? { leaf_id: this.leaf } : {};
      const limit = this.cursor ? PAGE : FIRST_PAGE;
      const page = await call('conversations.get_conversation_outline', { path: { conversation_id: this.conversation }, query: { limit, ...selection } });
      this.items = [...page.items.toReversed(), ...this.items];
      this.cursor = page.next_cursor;
      this.total = page.next_cursor ? page.user_messages : this.items.length;
    } catch (error) {
      this.problem = error;
    } finally {
      this.loading = false;
    }
  }

  /** The row of the question that a place of the branch belongs to, counted among the loaded ones; -1 if it is not loaded. */
  rowAt(place: number): number {
    return this.items.findLastIndex(({ position }) => position - 1 <= place);
  }
}
