// The search of the side bar: titles, of which any part matches, and messages, which the server's index finds.

import { call, everyPage } from '../api/client';
import { LONGEST_QUERY, searchMessages } from '../api/message-search';
import type { Conversation, FoundMessage } from '../api/types';

/** Milliseconds without input after which the server is asked. */
const DELAY = 250;
const PAGE = 30;
/** Conversations of which the titles are searched. */
const MOST_TITLES = 1000;
const MOST_TITLES_SHOWN = 10;

export class ConversationSearch {
  messages = $state.raw<readonly FoundMessage[]>([]);
  state = $state<'idle' | 'searching' | 'indexing'>('idle');
  problem = $state.raw<unknown>();
  private all = $state.raw<readonly Conversation[]>([]);
  private query = $state('');
  private cursor = $state<string>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private abort = new AbortController();

  constructor(archived: boolean) {
    const read = (cursor: string | undefined) =>
      call('conversations.conversations', { query: { limit: 200, include_projects: true, archived, ...(cursor ? { cursor } : {}) } });
    everyPage(read, MOST_TITLES).then(
      all => (this.all = all),
      error => (this.problem = error),
    );
  }

  /** Conversations with these words in their titles. */
  readonly titles: readonly Conversation[] = $derived.by(() => {
    const words = this.query.toLocaleLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) return [];
    return this.all.filter(({ title }) => words.every(word => title?.toLocaleLowerCase().includes(word))).slice(0, MOST_TITLES_SHOWN);
  });

  get hasMore(): boolean {
    return this.cursor !== undefined;
  }

  close(): void {
    clearTimeout(this.timer);
    this.abort.abort();
  }

  search(text: string): void {
    const query = text.trim().slice(0, LONGEST_QUERY);
    if (query === this.query) return;
    this.close();
    this.abort = new AbortController();
    this.query = query;
    this.cursor = this.problem = undefined;
    this.state = query ? 'searching' : 'idle';
    if (query) this.timer = setTimeout(() => void this.ask([]), DELAY);
    else this.messages = [];
  }

  retry(): void {
    void this.ask(this.cursor ? this.messages : []);
  }

  async more(): Promise<void> {
    if (this.cursor && this.state === 'idle') await this.ask(this.messages);
  }

  /** Reads a page, which follows the messages that are shown already. */
  private async ask(former: readonly FoundMessage[]): Promise<void> {
    const { signal } = this.abort;
    this.state = 'searching';
    this.problem = undefined;
    try {
      const query = { query: this.query, limit: PAGE, ...(this.cursor ? { cursor: this.cursor } : {}) };
      const page = await searchMessages(query, signal, () => (this.state = 'indexing'));
      this.messages = [...former, ...page.items];
      this.cursor = page.next_cursor;
    } catch (error) {
      if (!signal.aborted) this.problem = error;
    } finally {
      if (!signal.aborted) this.state = 'idle';
    }
  }
}
