// The search of the side bar: titles, of which any part matches, and messages, which the server's index finds.

import { call } from '../api/client';
import { LONGEST_QUERY, searchMessages } from '../api/message-search';
import type { Conversation, FoundMessage } from '../api/types';

/** Milliseconds without input after which the server is asked. */
const DELAY = 250;
const PAGE = 30;
const PAGE_OF_TITLES = 10;

export class ConversationSearch {
  titles = $state.raw<readonly Conversation[]>([]);
  messages = $state.raw<readonly FoundMessage[]>([]);
  state = $state<'idle' | 'searching' | 'indexing'>('idle');
  isSearchingTitles = $state(false);
  /** How much of the index of messages is complete, in per cent. */
  progress = $state<number>();
  problem = $state.raw<unknown>();
  problemOfTitles = $state.raw<unknown>();
  private query = '';
  private cursor = $state<string>();
  private cursorOfTitles = $state<string>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private abort = new AbortController();

  constructor(private readonly archived: boolean) {}

  get hasMore(): boolean {
    return this.cursor !== undefined;
  }

  get hasMoreTitles(): boolean {
    return this.cursorOfTitles !== undefined;
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
    this.cursor = this.cursorOfTitles = this.problem = this.problemOfTitles = undefined;
    this.state = query ? 'searching' : 'idle';
    this.isSearchingTitles = query !== '';
    if (query) this.timer = setTimeout(() => this.start(), DELAY);
    else this.titles = this.messages = [];
  }

  private start(): void {
    void this.askForTitles([]);
    void this.ask([]);
  }

  retry(): void {
    void this.ask(this.cursor ? this.messages : []);
  }

  retryTitles(): void {
    void this.askForTitles(this.cursorOfTitles ? this.titles : []);
  }

  async more(): Promise<void> {
    if (this.cursor && this.state === 'idle') await this.ask(this.messages);
  }

  async moreTitles(): Promise<void> {
    if (this.cursorOfTitles && !this.isSearchingTitles) await this.askForTitles(this.titles);
  }

  /** Reads a page of conversations, which follows those that are shown already. */
  private async askForTitles(former: readonly Conversation[]): Promise<void> {
    const { signal } = this.abort;
    this.isSearchingTitles = true;
    this.problemOfTitles = undefined;
    try {
      const query = { search: this.query, search_in: 'title' as const, limit: PAGE_OF_TITLES, include_projects: true, archived: this.archived };
      let found = former;
      do {
        // A page without any means that the server has not examined all conversations yet.
        const cursor = this.cursorOfTitles ? { cursor: this.cursorOfTitles } : {};
        const page = await call('conversations.conversations', { query: { ...query, ...cursor }, signal });
        found = [...found, ...page.items];
        this.cursorOfTitles = page.next_cursor;
      } while (found.length === former.length && this.cursorOfTitles);
      this.titles = found;
    } catch (error) {
      if (!signal.aborted) this.problemOfTitles = error;
    } finally {
      if (!signal.aborted) this.isSearchingTitles = false;
    }
  }

  /** Reads a page, which follows the messages that are shown already. */
  private async ask(former: readonly FoundMessage[]): Promise<void> {
    const { signal } = this.abort;
    this.state = 'searching';
    this.problem = undefined;
    try {
      const query = { query: this.query, limit: PAGE, ...(this.cursor ? { cursor: this.cursor } : {}) };
      const page = await searchMessages(query, signal, progress => {
        this.state = 'indexing';
        this.progress = progress;
      });
      this.messages = [...former, ...page.items];
      this.cursor = page.next_cursor;
    } catch (error) {
      if (!signal.aborted) this.problem = error;
    } finally {
      if (!signal.aborted) this.state = 'idle';
    }
  }
}
