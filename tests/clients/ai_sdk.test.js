// The unmodified AI SDK, with its provider for OpenAI-compatible servers, and with its provider for OpenAI itself, which
// uses the Responses interface.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { embedMany, generateObject, generateText, stepCountIs, streamText, tool } from 'ai-6';
import { z } from 'zod';

import { Provider, words } from './provider.js';
import { Server } from './server.js';

const prompt = 'How often is the clockwork wound?';
let provider, server, given;
before(async () => {
  provider = await Provider.start();
  server = await Server.start({ settings: provider.settings });
  given = { baseURL: `${server.url}/api/chat/partner_compatible/v1`, apiKey: await server.token() };
});
after(async () => {
  provider.close();
  await server.remove();
});

for (const [name, model] of [
  ['chat completions', id => createOpenAICompatible({ name: 'understudy', includeUsage: true, supportsStructuredOutputs: true, ...given })(id)],
  ['responses', id => createOpenAI(given).responses(id)],
]) {
  describe(name, () => {
    test('streams a text', async () => {
      const answer = streamText({ model: model('fake/plain'), prompt });
      const pieces = [];
      for await (const piece of answer.textStream) pieces.push(piece);
      assert.equal(pieces.join(''), words.join(''));
      assert.equal(await answer.finishReason, 'stop');
      assert.equal((await answer.usage).totalTokens, 19);
    });

    test('calls tools until it has an answer', async () => {
      const tells = name => tool({ inputSchema: z.object({ place: z.string() }), execute: ({ place }) => `${name} of ${place}` });
      const tools = { weather: tells('weather'), tide: tells('tide') };
      const answer = streamText({ model: model('fake/parallel'), prompt, tools, stopWhen: stepCountIs(3) });
      await answer.consumeStream();
      assert.equal((await answer.steps).length, 2);
      assert.match(await answer.text, /weather of Bergen"? and "?tide of Bergen/);
    });

    test('parses an object by its schema', async () => {
      const schema = z.object({ city: z.string(), degrees: z.number() });
      const { object } = await generateObject({ model: model('fake/json'), prompt, schema });
      assert.deepEqual(object, { city: 'Bergen', degrees: 7 });
    });

    test('reports an error', async () => {
      await assert.rejects(generateText({ model: model('fake/nothing'), prompt, maxRetries: 0 }), error => error.statusCode === 404);
    });
  });
}

test('texts are embedded', async () => {
  const model = createOpenAICompatible({ name: 'understudy', ...given }).textEmbeddingModel('fake/embed');
  const { embeddings } = await embedMany({ model, values: ['one', 'two', 'three'] });
  assert.deepEqual(embeddings.map(vector => vector.length), [8, 8, 8]);
});

test('reasoning is separated from the answer', async () => {
  const model = createOpenAICompatible({ name: 'understudy', ...given })('fake/thinker');
  const { reasoningText, text } = await generateText({ model, prompt });
  assert.deepEqual([reasoningText, text], ['Tides follow the moon.', 'The moon pulls.']);
});
