// Continues a conversation that the user may only read, as a conversation of the user's own.

import { call, everyPage } from '../api/client';
import type { Conversation, Message } from '../api/types';
import { choices } from './choices.svelte';

export interface Continued {
  readonly conversation: Conversation;
  /** Whether the messages had files, which are not copied: they belong to the other conversation. */
  readonly withoutFiles: boolean;
}

/** The most messages that are copied. */
const MOST = 10_000;

export async function continueOwn({ id, title, model, assistant_id }: Conversation): Promise<Continued> {
  const latest = await everyPage(cursor => call('conversations.list_conversation_messages', { path: { conversation_id: id }, query: { limit: 200, ...(cursor ? { cursor } : {}) } }), MOST);
  const branch = (latest as Message[]).toReversed();
  const body = {
    ...(title ? { title } : {}),
    ...(choices.model(model) ? { model } : {}),
    ...(choices.assistant(assistant_id) ? { assistant_id } : {}),
  };
  const conversation = await call('conversations.create_conversation', { body });
  try {
    const messages = branch.map(({ role, parts = [], tool_calls = [], model }) => ({ role, model, tool_calls, parts: parts.filter(({ type }) => type !== 'file') }));
    await call('conversations.replace_conversation_payload', { path: { conversation_id: conversation.id }, body: { messages } });
  } catch (error) {
    void call('conversations.delete_conversation', { path: { conversation_id: conversation.id } }).catch(() => {});
    throw error;
  }
  const hasFiles = ({ attachments = [], parts = [] }: Message) => attachments.length > 0 || parts.some(({ type }) => type === 'file');
  return { conversation, withoutFiles: branch.some(hasFiles) };
}
