// The list of the user's conversations, as the side bar shows it.

import { addressOf, call, type ResultOf } from '../api/client';
import type { Conversation } from '../api/types';
import { toasts } from '../parts/toasts.svelte';
import { t } from '../words/index.svelte';

/** Milliseconds in which a deletion can be undone. The server is asked only then, because it deletes permanently. */
const UNDO = 7000;
const PAGE = 50;

type Page = ResultOf<'conversations.conversations'>;

const tabs = new BroadcastChannel('understudy.conversations');

class Conversations {
  items = $state.raw<readonly Conversation[]>([]);
  loading = $state(false);
  problem = $state.raw<unknown>();
  /** What the side bar searches for. */
  search = $state('');
  archived = $state(false);
  private cursor = $state<string>();
  private request = 0;
  private readonly deletions = new Map<string, ReturnType<typeof setTimeout>>();

  constructor() {
    tabs.addEventListener('message', () => void this.load());
    addEventListener('pagehide', () => this.deleteNow());
  }

  get hasMore(): boolean {
    return this.cursor !== undefined;
  }

  find(id: string): Conversation | undefined {
    return this.items.find(item => item.id === id);
  }

  /** Reads the list from the beginning. */
  async load(): Promise<void> {
    const request = ++this.request;
    this.loading = true;
    try {
      const first = await this.read({});
      // Pinned conversations are shown even if they are older than the first page.
      const pinned = first.next_cursor && !this.archived ? await this.read({ pinned: true, limit: 200 }) : undefined;
      if (request !== this.request) return;
      const known = new Set(first.items.map(item => item.id));
      this.items = [...first.items, ...(pinned?.items ?? []).filter(item => !known.has(item.id))];
      this.cursor = first.next_cursor ?? undefined;
      this.problem = undefined;
    } catch (error) {
      if (request === this.request) this.problem = error;
    } finally {
      if (request === this.request) this.loading = false;
    }
  }

  async loadMore(): Promise<void> {
    if (!this.cursor || this.loading) return;
    const request = this.request;
    this.loading = true;
    try {
      const page = await this.read({ cursor: this.cursor });
      if (request !== this.request) return;
      const known = new Set(this.items.map(item => item.id));
      this.items = [...this.items, ...page.items.filter(item => !known.has(item.id))];
      this.cursor = page.next_cursor ?? undefined;
    } catch (error) {
      this.problem = error;
    } finally {
      this.loading = false;
    }
  }

  private async read(query: { cursor?: string; pinned?: boolean; limit?: number }): Promise<Page> {
    const page = await call('conversations.conversations', { query: { limit: PAGE, include_projects: true, archived: this.archived, ...query } });
    return { ...page, items: page.items.filter(item => !this.deletions.has(item.id)) };
  }

  /** Shows a conversation as it is now, at the top if it is new. */
  put(conversation: Conversation): void {
    const { messages: _, ...item } = conversation;
    if (item.archived !== this.archived) {
      this.items = this.items.filter(other => other.id !== item.id);
    } else if (this.find(item.id)) {
      this.items = this.items.map(other => (other.id === item.id ? item : other));
    } else {
      this.items = [item, ...this.items];
    }
  }

  /** Changes some fields, also of a list that is shown already. */
  patch(id: string, fields: Partial<Conversation>): void {
    this.items = this.items.map(item => (item.id === id ? { ...item, ...fields } : item));
  }

  async change(id: string, body: { title?: string | null; pinned?: boolean; archived?: boolean; project_id?: string | null }): Promise<Conversation> {
    const changed = await call('conversations.patch_conversation', { path: { conversation_id: id }, body });
    this.put(changed);
    this.tellOtherTabs();
    return changed;
  }

  /** Moves a conversation to a project, or out of its project. */
  async move(conversation: Conversation, project: string | null): Promise<void> {
    const path = { conversation_id: conversation.id };
    if (project) await call('projects.add_conversation_to_project', { path: { project_id: project, ...path } });
    else if (conversation.project_id) await call('projects.remove_conversation_from_project', { path: { project_id: conversation.project_id, ...path } });
    this.patch(conversation.id, { project_id: project });
    this.tellOtherTabs();
  }

  /** Removes a conversation from the list, and deletes it when this can no longer be undone. */
  remove(conversation: Conversation): void {
    const before = this.items;
    this.items = before.filter(item => item.id !== conversation.id);
    this.deletions.set(conversation.id, setTimeout(() => void this.deletePermanently(conversation.id), UNDO));
    toasts.show(t.shell.deleted, {
      action: {
        label: t.common.undo,
        run: () => {
          clearTimeout(this.deletions.get(conversation.id));
          this.deletions.delete(conversation.id);
          void this.load();
        },
      },
    });
  }

  isRemoved(id: string): boolean {
    return this.deletions.has(id);
  }

  private async deletePermanently(id: string): Promise<void> {
    try {
      await call('conversations.delete_conversation', { path: { conversation_id: id } });
    } catch (error) {
      toasts.show(error instanceof Error ? error.message : String(error), { tone: 'problem' });
    } finally {
      this.deletions.delete(id);
      await this.load();
      this.tellOtherTabs();
    }
  }

  private deleteNow(): void {
    for (const [id, timer] of this.deletions) {
      clearTimeout(timer);
      void fetch(addressOf('conversations.delete_conversation', { path: { conversation_id: id } }), { method: 'DELETE', keepalive: true });
    }
    this.deletions.clear();
  }

  tellOtherTabs(): void {
    tabs.postMessage('changed');
  }
}

export const conversations = new Conversations();

export type Group = 'pinned' | 'today' | 'yesterday' | 'week' | 'month' | 'older';

/** Conversations by the time of their last change. */
export function grouped(items: readonly Conversation[], now = new Date()): [Group, Conversation[]][] {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
  const day = 86_400_000;
  const groupOf = (item: Conversation): Group => {
    if (item.pinned) return 'pinned';
    const changed = new Date(item.updated_at).getTime();
    if (changed >= midnight) return 'today';
    if (changed >= midnight - day) return 'yesterday';
    if (changed >= midnight - 7 * day) return 'week';
    return changed >= midnight - 30 * day ? 'month' : 'older';
  };
  const groups = new Map<Group, Conversation[]>();
  for (const item of items) {
    const group = groupOf(item);
    groups.set(group, [...(groups.get(group) ?? []), item]);
  }
  const order: Group[] = ['pinned', 'today', 'yesterday', 'week', 'month', 'older'];
  return order.flatMap(group => (groups.has(group) ? [[group, groups.get(group) ?? []]] : []));
}
