// Finding messages of the branch that is shown. Those that are loaded are searched here; the server searches the others.

import { LONGEST_QUERY, searchMessages } from '../api/message-search';
import type { OpenConversation } from './conversation.svelte';
import { merged, type Match } from './matches';

/** Milliseconds without input after which the server is asked. */
const DELAY = 250;
const PAGE = 100;

export class Find {
  matches = $state.raw<readonly Match[]>([]);
  /** The match that is shown. */
  at = $state(0);
  state = $state<'idle' | 'searching' | 'indexing'>('idle');
  /** How much of the index of messages is complete, in per cent. */
  progress = $state<number>();
  problem = $state.raw<unknown>();
  private cursor = $state<string>();
  private query = '';
  private timer: ReturnType<typeof setTimeout> | undefined;
  private abort = new AbortController();

  constructor(private readonly conversation: OpenConversation) {}

  /** Whether the server has found more than are in the list. */
  get hasMore(): boolean {
    return this.cursor !== undefined;
  }

  get current(): Match | undefined {
    return this.matches[this.at];
  }

  close(): void {
    clearTimeout(this.timer);
    this.abort.abort();
  }

  /** Searches the loaded messages now, and all others after a pause. */
  search(text: string): void {
    this.close();
    this.abort = new AbortController();
    this.query = text.trim().slice(0, LONGEST_QUERY);
    this.problem = this.cursor = undefined;
    this.state = 'idle';
    this.at = 0;
    this.matches = this.loaded();
    if (!this.query || this.conversation.reader.isComplete) return;
    this.state = 'searching';
    this.timer = setTimeout(() => void this.ask(), DELAY);
  }

  private loaded(): Match[] {
    const text = this.query.toLowerCase();
    const { branch } = this.conversation;
    const matches: Match[] = [];
    for (let place = branch.total - 1; text && place >= 0; place--) {
      const message = branch.at(place);
      if (message?.parts?.some(part => part.type === 'text' && part.text.toLowerCase().includes(text))) matches.push(message);
    }
    return merged(matches);
  }

  /** Reads a page of what the server finds. */
  async ask(): Promise<void> {
    const { signal } = this.abort;
    this.problem = undefined;
    this.state = 'searching';
    try {
      const query = { query: this.query, conversation_id: this.conversation.id, limit: PAGE, ...(this.cursor ? { cursor: this.cursor } : {}) };
      const page = await searchMessages(query, signal, progress => {
        this.state = 'indexing';
        this.progress = progress;
      });
      const shown = this.current?.id;
      this.matches = merged(this.matches, page.items.map(({ message_id, created_at }) => ({ id: message_id, created_at })));
      this.at = Math.max(0, this.matches.findIndex(({ id }) => id === shown));
      this.cursor = page.next_cursor;
    } catch (error) {
      if (!signal.aborted) this.problem = error;
    } finally {
      if (!signal.aborted) this.state = 'idle';
    }
  }

  /** Goes to the next match in a direction. */
  async step(by: 1 | -1): Promise<void> {
    if (by > 0 && this.at === this.matches.length - 1 && this.hasMore) await this.ask();
    this.at = (this.at + by + this.matches.length) % Math.max(1, this.matches.length);
  }

  /** Removes a match that is not on the branch. */
  remove(id: string): void {
    const at = this.matches.findIndex(match => match.id === id);
    this.matches = this.matches.filter(match => match.id !== id);
    if (at < this.at || this.at >= this.matches.length) this.at = Math.max(0, this.at - 1);
  }
}
