// The search for messages, which waits while the server builds its index.

import { call, type RequestOptions, type ResultOf } from './client';
import { ApiProblem } from './problem';

export type MessageSearchPage = ResultOf<'conversations.search_messages'>;
type MessageQuery = NonNullable<RequestOptions<'conversations.search_messages'>['query']>;

/** The longest query that the server accepts, in characters. */
export const LONGEST_QUERY = 200;

/** Seconds until the next attempt if the server does not say how long it needs. */
const RETRY_AFTER = 5;

function pause(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((done, stopped) => {
    const timer = setTimeout(done, seconds * 1000);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      stopped(signal.reason);
    });
  });
}

/**
 * Searches messages. While their index is built, tells how much of it is complete, in per cent if that is known, and
 * tries again when the server suggests. Every other refusal is thrown.
 */
export async function searchMessages(query: MessageQuery, signal: AbortSignal, onindexing: (progress: number | undefined) => void): Promise<MessageSearchPage> {
  for (;;) {
    try {
      return await call('conversations.search_messages', { query, signal });
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.code !== 'indexing') throw error;
      const { progress } = error.body;
      onindexing(typeof progress === 'number' ? progress : undefined);
      await pause(error.retryAfter ?? RETRY_AFTER, signal);
    }
  }
}
