// What a client does with the generated types: it compiles only if they narrow by type and by code, and require what is
// always sent.

import createClient from 'openapi-fetch';
import type { components, paths } from './schema.js';

export type Schemas = components['schemas'];
export type StreamEvent = Schemas['StreamEvent'];
type Client = ReturnType<typeof createClient<paths>>;

/** An error that states the code of a problem. */
export class ProblemError extends Error {
  constructor(readonly problem: Schemas['Problem']) {
    super(`${problem.code}: ${problem.detail}`);
  }
}

/** The result of a request, or the problem as an error. */
function taken<T>({ data, error }: { data?: T; error?: unknown }): T {
  if (data === undefined) throw new ProblemError(error as Schemas['Problem']);
  return data;
}

export async function signIn(baseUrl: string, email: string, password: string): Promise<Client> {
  const { access_token } = taken(await createClient<paths>({ baseUrl }).POST('/api/auth/login/', { body: { email, password } }));
  return createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${access_token}` } });
}

export async function converse(client: Client, title: string): Promise<Schemas['ConversationResponse']> {
  return taken(await client.POST('/api/conversations', { body: { title } }));
}

/** Asks, and yields the events of the answer as they arrive. The body is JSON, not a form. */
export async function* ask(client: Client, conversation: string, body: Schemas['ConversationChatCompletionBody']): AsyncGenerator<StreamEvent> {
  const answer = await client.POST('/api/conversations/{conversation_id}/completion', {
    params: { path: { conversation_id: conversation }, query: { wire: 'ndjson' } },
    body,
    parseAs: 'stream',
  });
  yield* linesOf(taken(answer));
}

/** Attaches to a stream after one of its events. */
export async function* attach(client: Client, conversation: string, stream: string, after: number): AsyncGenerator<StreamEvent> {
  const answer = await client.GET('/api/conversations/{conversation_id}/streams/{stream_id}', {
    params: { path: { conversation_id: conversation, stream_id: stream }, query: { wire: 'ndjson', after } },
    parseAs: 'stream',
  });
  yield* linesOf(taken(answer));
}

async function* linesOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<StreamEvent> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const piece of body ?? []) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line);
  }
}

/** What a page shows of an event. The types of all data follow from `type`. */
export function shown(event: StreamEvent): { text?: string; node?: string; end?: Schemas['RunState'] } {
  const node = event.node_id === undefined ? {} : { node: event.node_id };
  switch (event.type) {
    case 'text.delta':
      return { ...node, text: event.data.text };
    case 'source':
      return { ...node, text: event.data.title ?? event.data.url ?? '' };
    case 'form.required':
      return { ...node, text: event.data.fields.map(field => `${field.label}: ${field.type}`).join() };
    case 'node.finished':
      return { ...node, text: `${event.data.status} after ${event.data.elapsed_ms} ms, ${event.data.usage?.output_tokens ?? 0} tokens` };
    case 'run.ended':
      return { ...node, end: event.data.terminal.status };
    default:
      return node;
  }
}

/** What a page does about an event of a conversation's feed. */
export function changed(event: Schemas['FeedEvent']): string {
  switch (event.type) {
    case 'message.created':
    case 'message.updated':
      return `show ${event.data.message.id}`;
    case 'message.deleted':
      return `hide ${event.data.message_id}`;
    case 'stream.started':
    case 'stream.ended':
      return `${event.data.stream_id} is ${event.data.state}`;
    case 'stream.queued':
      return event.data.queue ? `${event.data.stream_id} is number ${event.data.queue.position}` : `${event.data.stream_id} begins`;
    case 'title.updated':
      return event.data.title ?? 'untitled';
    case 'conversation.updated':
      return event.data.skills.join();
    case 'function.started':
    case 'function.ended':
      return event.data.name;
    case 'feed.opened':
    case 'feed.reset':
      return 'load the conversation';
  }
}

/** What a page does about an event of the notification feed. */
export function noticed(event: Schemas['NotificationEvent']): number {
  switch (event.type) {
    case 'notification':
      return event.data.title.length;
    case 'read':
    case 'deleted':
      return event.data.notification_ids.length;
    case 'unread_count':
      return event.data.count;
    case 'reset':
      return 0;
  }
}

export async function readBack(client: Client, conversation: string) {
  const { data, error, response } = await client.GET('/api/conversations/{conversation_id}', {
    params: { path: { conversation_id: conversation } },
  });
  const read = taken<Schemas['ConversationResponse']>({ data: data as Schemas['ConversationResponse'], error });
  return { messages: read.messages ?? [], version: response.headers.get('ETag') ?? '', feed: response.headers.get('X-Feed-Id') ?? '' };
}

/** Renames a conversation if it still has this version. */
export async function rename(client: Client, conversation: string, title: string, version: string): Promise<Schemas['ConversationResponse']> {
  return taken(
    await client.PATCH('/api/conversations/{conversation_id}', {
      params: { path: { conversation_id: conversation }, header: { 'If-Match': version } },
      body: { title },
    }),
  );
}

export async function stop(client: Client, conversation: string, stream: string): Promise<Schemas['RunState']> {
  const path = { conversation_id: conversation, stream_id: stream };
  return taken(await client.DELETE('/api/conversations/{conversation_id}/streams/{stream_id}', { params: { path } })).status;
}

/** What the user reads about a problem. The members of each code are typed, and no code of this list is misspelled. */
export function remedy(problem: Schemas['ProblemByCode']): string {
  switch (problem.code) {
    case 'stream_active':
      return `wait for ${problem.stream_id}`;
    case 'limit_reached':
      return `delete some of ${problem.limit} ${problem.unit}`;
    case 'confirm_effects':
      return problem.effects.map(effect => effect.what).join();
    case 'form_answered':
      return `answered with ${problem.first.action}`;
    case 'stale':
      return 'load it again';
    default:
      return problem.detail;
  }
}

/** A workflow whose nodes are checked by the compiler. */
export const greeting: Schemas['WorkflowGraph'] = {
  inputs: { name: { type: 'string', required: true } },
  nodes: [
    { id: 'start', type: 'start' },
    { id: 'polite', type: 'if', in: { condition: '{{ start.name|length > 3 }}' } },
    { id: 'pick', type: 'classifier', in: { text: '{{ start.name }}' }, config: { classes: [{ name: 'short' }, { name: 'long' }], fallback: 'long' } },
    { id: 'say', type: 'answer', in: { text: 'Hello, {{ start.name }}.' } },
    { id: 'done', type: 'end' },
  ],
  edges: [
    { from: 'start', to: 'polite' },
    { from: 'polite', port: 'true', to: 'pick' },
    { from: 'polite', port: 'false', to: 'say' },
    { from: 'pick', port: 'short', to: 'say' },
    { from: 'pick', port: 'long', to: 'say' },
    { from: 'say', to: 'done' },
  ],
  limits: { max_steps: 50 },
};

export async function createWorkflow(client: Client, name: string): Promise<Schemas['AssistantResponse']> {
  return taken(await client.POST('/api/assistants', { body: { name, type: 'workflow', workflow: greeting } }));
}

// @ts-expect-error: a node type that does not exist.
export const unknownType: Schemas['WorkflowNode'] = { id: 'a', type: 'nothing' };
// @ts-expect-error: an answer needs a text.
export const missingInput: Schemas['WorkflowNode'] = { id: 'a', type: 'answer', in: {} };
// @ts-expect-error: there is no such code.
export const unknownCode: Schemas['ErrorCode'] = 'no_such_code';
