// One conversation that is open in this tab: its messages, the answer that is being written, and what the user does to it.
// The feed of the server is the source of every change, so all tabs show the same.

import { call, request } from '../api/client';
import { newIdempotencyKey } from '../api/idempotency';
import { ApiProblem } from '../api/problem';
import type { ActiveStream, Conversation, Feedback, Message, QueuePlace } from '../api/types';
import { connection } from '../connection.svelte';
import { NO_ANSWER, type Answer } from '../live/answer';
import type { FeedEvent } from '../live/event';
import { AnswerFollower } from '../live/follow';
import { live } from '../live/tab';
import type { Subscription } from '../live/transport';
import { conversations } from '../shell/conversations.svelte';
import { t } from '../words/index.svelte';
import type { BranchView } from './branch';
import { EndedRuns } from './ended-runs.svelte';
import { BranchReader, type Reached } from './reader.svelte';

/** The answer that is being written, or whose final message has not arrived yet. */
export interface LiveAnswer {
  readonly stream: string;
  readonly message: string | undefined;
  readonly answer: Answer;
  readonly stopping: boolean;
  /** Why the answer has not begun, and its position in the queue. */
  readonly queue: QueuePlace | undefined;
}

/** A message that was sent, but that the server has not confirmed yet. */
export interface PendingMessage {
  readonly text: string;
  readonly files: readonly string[];
}

export interface Question {
  readonly text: string;
  readonly uploads: readonly string[];
  readonly files: readonly string[];
}

export class OpenConversation {
  meta = $state.raw<Conversation | undefined>();
  problem = $state.raw<unknown>();
  live = $state.raw<LiveAnswer | undefined>();
  pending = $state.raw<PendingMessage | undefined>();
  /** Why the last action was refused. */
  refusal = $state.raw<unknown>();
  /** Is told the place of a message before another version of it is shown. */
  onselect: ((place: number) => void) | undefined;
  readonly reader: BranchReader;
  readonly runs: EndedRuns;
  /** Whether another branch is shown than the conversation has selected, so that questions have to name where they follow. */
  private elsewhere = false;
  private feed: Subscription | undefined;
  private follower: AnswerFollower | undefined;
  private closed = false;

  constructor(readonly id: string) {
    this.reader = new BranchReader(id);
    this.runs = new EndedRuns(id);
  }

  get branch(): BranchView {
    return this.reader.view;
  }

  /** Reads the conversation and a part of its messages: those around `message`, or the last ones. */
  async open(message?: string): Promise<void> {
    try {
      const response = await request('conversations.get_conversation', { path: { conversation_id: this.id }, query: { include_messages: false } });
      const conversation = (await response.json()) as Conversation;
      if (this.closed) return;
      // The messages are read after the position of the feed, which repeats what changes in between.
      const reached = message ? await this.reader.reach(message) : 'gone';
      const isReached = typeof reached === 'object';
      if (!isReached && (conversation.message_count > 0 || this.branch.total > 0)) await this.reader.open();
      if (this.closed) return;
      if (message && !isReached) this.refusal = new Error(t.chat.messageGone);
      this.elsewhere = isReached && reached.isOther;
      this.take(conversation);
      this.problem = undefined;
      this.subscribe(response.headers.get('x-feed-id') ?? undefined);
    } catch (error) {
      if (!this.closed) this.problem = error;
    }
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.reopening);
    this.feed?.close();
    this.follower?.close();
    this.runs.close();
    connection.forget(this);
  }

  private take(meta: Conversation): void {
    this.meta = meta;
    if (!meta.active_stream) return this.settle();
    const { stream_id, message_id, queue } = meta.active_stream;
    this.follow(stream_id, message_id ?? undefined);
    this.wait(stream_id, queue);
  }

  private subscribe(after: string | undefined): void {
    this.feed?.close();
    this.feed = live.subscribe(
      { to: 'conversation', conversation_id: this.id },
      {
        deliver: events => events.forEach(event => this.apply(event)),
        ended: () => {},
        refused: problem => {
          // It was deleted, or may not be read any longer.
          this.settle();
          this.meta = undefined;
          this.problem = new ApiProblem('conversations.get_conversation', problem, this.id);
        },
        connection: state => {
          connection.report(this, state);
          if (state.state === 'open' && this.reader.problem) this.reader.retry();
        },
      },
      after === undefined ? {} : { after },
    );
  }

  private apply({ type, data }: FeedEvent): void {
    const content = data as Record<string, unknown>;
    switch (type) {
      case 'stream.started': {
        const stream = content as unknown as ActiveStream;
        return this.follow(stream.stream_id, stream.message_id ?? undefined);
      }
      case 'stream.queued':
        return this.wait(String(content.stream_id), (content.queue as QueuePlace | null) ?? undefined);
      case 'message.created':
      case 'message.updated':
        return this.put(content.message as Message);
      case 'message.deleted':
        if (this.reader.remove(String(content.message_id))) this.reopenSoon();
        return;
      case 'title.updated':
      case 'conversation.updated':
        return this.patch(content as Partial<Conversation>);
      case 'stream.ended':
        conversations.patch(this.id, { active_stream: undefined });
        conversations.tellOtherTabs();
        return;
      case 'feed.reset':
        void this.open();
        return;
    }
  }

  private reopening: ReturnType<typeof setTimeout> | undefined;

  /** Reads the conversation again after a series of events. */
  private reopenSoon(): void {
    clearTimeout(this.reopening);
    this.reopening = setTimeout(() => void this.open(), 100);
  }

  private patch(fields: Partial<Conversation>): void {
    if (!this.meta) return;
    const former = this.meta.current_message_id;
    this.meta = { ...this.meta, ...fields };
    conversations.patch(this.id, fields);
    if (fields.current_message_id === undefined || (this.elsewhere && fields.current_message_id === former)) return;
    this.elsewhere = false;
    void this.reader.move(fields.current_message_id);
  }

  private put(message: Message): void {
    if (message.role === 'user') this.pending = undefined;
    this.reader.put(message);
    if (message.status !== 'streaming' && message.id === this.live?.message) this.settle();
  }

  /** Shows the stored message instead of the live answer, which has ended. */
  private settle(): void {
    this.follower?.close();
    this.follower = undefined;
    if (this.live) this.runs.keep(this.live.answer);
    this.live = undefined;
    this.pending = undefined;
  }

  private follow(stream: string, message: string | undefined): void {
    if (this.live?.stream === stream) {
      if (message && !this.live.message) this.live = { ...this.live, message };
      return;
    }
    this.follower?.close();
    this.live = { stream, message, answer: NO_ANSWER, stopping: false, queue: undefined };
    conversations.patch(this.id, { active_stream: { stream_id: stream } as ActiveStream });
    this.follower = new AnswerFollower(live, { to: 'stream', conversation_id: this.id, stream_id: stream }, {
      onAnswer: answer => this.show(stream, answer),
      // What could not be followed is in the stored message.
      onRefused: () => void this.open(),
    });
  }

  private wait(stream: string, queue: QueuePlace | undefined): void {
    if (this.live?.stream === stream) this.live = { ...this.live, queue };
  }

  private show(stream: string, answer: Answer): void {
    if (this.live?.stream !== stream) return;
    this.live = { ...this.live, answer, message: this.live.message ?? answer.message_id ?? undefined };
    if (answer.title && !this.meta?.title) this.patch({ title: answer.title });
    const stored = this.reader.get(this.live.message);
    if (answer.terminal && stored && stored.status !== 'streaming') this.settle();
  }

  /** The live answer, if it writes this message. */
  answerOf(message: Message): LiveAnswer | undefined {
    return message.status === 'streaming' && message.id === this.live?.message ? this.live : undefined;
  }

  versionsOf(message: Message): readonly string[] {
    return this.branch.versionsOf(message);
  }

  /** Sends a question. Resolves with whether the server took it. */
  async send(question: Question): Promise<boolean> {
    this.pending = { text: question.text, files: question.files };
    const parent = this.elsewhere && this.reader.leaf ? { parent_message_id: this.reader.leaf } : {};
    return this.complete({ message: question.text, uploads: question.uploads, ...parent }, newIdempotencyKey());
  }

  /** Writes an answer again, or answers a question again, as a new version. */
  async regenerate(message: Message, model?: string): Promise<boolean> {
    return this.complete({ regenerate_message_id: message.id, ...(model ? { model } : {}) }, newIdempotencyKey());
  }

  /** Replaces a question by a new version, and asks it. */
  async edit(message: Message, content: string): Promise<boolean> {
    return this.attempt(async () => {
      const edited = await call('conversations.update_conversation_message', { path: { conversation_id: this.id }, body: { message_id: message.id, content } });
      this.put(edited);
      if (message.role === 'user') await this.complete({ regenerate_message_id: edited.id }, newIdempotencyKey());
    });
  }

  private async complete(fields: { message?: string; uploads?: readonly string[]; parent_message_id?: string; regenerate_message_id?: string; model?: string }, idempotencyKey: string): Promise<boolean> {
    const sent = await this.attempt(async () => {
      const form = new FormData();
      // After a crash of the server, the answer continues where its journal ends.
      form.append('recovery', 'continue');
      for (const [name, value] of Object.entries(fields)) {
        for (const item of Array.isArray(value) ? value : [value]) if (item !== undefined) form.append(name, String(item));
      }
      const options = { path: { conversation_id: this.id }, query: { wire: 'ndjson' as const }, form, idempotencyKey, accept: 'application/x-ndjson' };
      const response = await request('conversations.conversation_completion', options);
      const stream = response.headers.get('x-stream-id');
      // The answer is read by the live connection, which survives this request.
      await response.body?.cancel();
      if (stream) this.follow(stream, undefined);
    });
    if (!sent) this.pending = undefined;
    return sent;
  }

  /** Stops the answer that is being written. */
  async stop(): Promise<void> {
    const { live: active } = this;
    if (!active || active.stopping) return;
    this.live = { ...active, stopping: true };
    const stopped = await this.attempt(async () => {
      await call('conversations.cancel_stream', { path: { conversation_id: this.id, stream_id: active.stream } });
    });
    if (!stopped && this.live?.stream === active.stream) this.live = { ...this.live, stopping: false };
  }

  /** Shows another version of a message of the branch, with the newest branch below it. */
  async select(version: string, former: Message): Promise<void> {
    const place = this.branch.placeOf(former.id);
    if (place === undefined) return;
    this.onselect?.(place);
    await this.attempt(async () => {
      await this.reader.through(version, place);
      this.elsewhere = true;
      const leaf = this.reader.leaf;
      if (this.meta?.read_only || !leaf) return;
      await call('conversations.patch_conversation', { path: { conversation_id: this.id }, body: { current_message_id: leaf } });
      this.patch({ current_message_id: leaf });
    });
  }

  /** Loads a message and those around it. If it is not on this branch, shows another one with it, unless `stay`. */
  async reach(message: string, stay = false): Promise<Reached | 'failed'> {
    let reached: Reached | 'failed' = 'failed';
    await this.attempt(async () => {
      reached = await this.reader.reach(message, stay);
      if (reached === 'gone' && !stay) throw new Error(t.chat.messageGone);
      if (typeof reached === 'object' && reached.isOther) this.elsewhere = this.reader.leaf !== this.meta?.current_message_id;
    });
    return reached;
  }

  /** The last message of the user; undefined if there is none, or it cannot be read. */
  async lastQuestion(): Promise<Message | undefined> {
    let question: Message | undefined;
    await this.attempt(async () => {
      question = await this.reader.lastQuestion();
    });
    return question;
  }

  /** All messages of the branch; undefined if they cannot be read. */
  async everything(): Promise<Message[] | undefined> {
    let messages: Message[] | undefined;
    await this.attempt(async () => {
      messages = await this.reader.everything();
    });
    return messages;
  }

  async change(body: { model?: string | null; assistant_id?: string | null }): Promise<void> {
    const { meta: former } = this;
    this.patch(body);
    const done = await this.attempt(async () => {
      await call('conversations.patch_conversation', { path: { conversation_id: this.id }, body });
    });
    if (!done && former) this.meta = former;
  }

  async rate(message: Message, feedback: Feedback | null): Promise<void> {
    await this.attempt(async () => {
      this.put(await call('conversations.update_conversation_message', { path: { conversation_id: this.id }, body: { message_id: message.id, feedback } }));
    });
  }

  private async attempt(action: () => Promise<void>): Promise<boolean> {
    this.refusal = undefined;
    try {
      await action();
      return true;
    } catch (error) {
      this.refusal = error;
      return false;
    }
  }
}

let handedOver: OpenConversation | undefined;

/** Leaves an open conversation to the screen that shows it next. */
export function handOver(conversation: OpenConversation): void {
  handedOver?.close();
  handedOver = conversation;
}

/** The conversation that was handed over, or a new one that has to be opened at a message or its end. */
export function conversationFor(id: string, message: string | undefined): OpenConversation {
  const given = handedOver;
  if (given?.id === id && !given.problem) {
    handedOver = undefined;
    return given;
  }
  const conversation = new OpenConversation(id);
  void conversation.open(message);
  return conversation;
}
