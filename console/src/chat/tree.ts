// The messages of a conversation as a tree.

import type { Message } from '../api/types';

type Node = Pick<Message, 'id' | 'parent_id' | 'role' | 'created_at'>;

/** Messages by id, and the ids below each message in the order in which they were created. */
export class MessageTree<M extends Node> {
  private readonly messages = new Map<string, M>();
  private readonly below = new Map<string | null, string[]>();

  constructor(messages: Iterable<M> = []) {
    for (const message of messages) this.put(message);
  }

  get size(): number {
    return this.messages.size;
  }

  get(id: string | null | undefined): M | undefined {
    return id ? this.messages.get(id) : undefined;
  }

  values(): IterableIterator<M> {
    return this.messages.values();
  }

  put(message: M): void {
    if (!this.messages.has(message.id)) {
      const parent = message.parent_id ?? null;
      const siblings = this.below.get(parent);
      if (siblings) siblings.push(message.id);
      else this.below.set(parent, [message.id]);
    }
    this.messages.set(message.id, message);
  }

  delete(id: string): void {
    const message = this.messages.get(id);
    if (!message) return;
    this.messages.delete(id);
    const parent = message.parent_id ?? null;
    this.below.set(parent, (this.below.get(parent) ?? []).filter(other => other !== id));
  }

  /** The messages from the first one to `leaf`. */
  branch(leaf: string | null | undefined): M[] {
    const branch: M[] = [];
    const seen = new Set<string>();
    for (let message = this.get(leaf); message && !seen.has(message.id); message = this.get(message.parent_id)) {
      seen.add(message.id);
      branch.push(message);
    }
    return branch.reverse();
  }

  /** The versions among which a message is one: an edited question, or an answer that was written again. */
  versions(message: M): M[] {
    const siblings = (this.below.get(message.parent_id ?? null) ?? []).flatMap(id => this.messages.get(id) ?? []);
    return siblings.filter(({ role }) => role === message.role);
  }

  /** The end of the latest branch below a message. */
  leafBelow(id: string): string {
    const seen = new Set<string>();
    let leaf = id;
    while (!seen.has(leaf)) {
      seen.add(leaf);
      leaf = this.below.get(leaf)?.at(-1) ?? leaf;
    }
    return leaf;
  }
}
