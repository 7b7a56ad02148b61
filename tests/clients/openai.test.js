// The unmodified official OpenAI library with the OpenAI-compatible interface: chats, models, errors.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import OpenAI from 'openai';
import { zodFunction, zodResponseFormat } from 'openai/helpers/zod';
import { z } from 'zod';

import { Provider, words } from './provider.js';
import { Server } from './server.js';

const sentence = words.join('');
const ask = (model, more = {}) => ({ model, messages: [{ role: 'user', content: 'How often is the clockwork wound?' }], ...more });
const picture = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const place = { type: 'object', properties: { place: { type: 'string' } }, required: ['place'], additionalProperties: false };
const tools = [
  { type: 'function', function: { name: 'weather', description: 'Tells the weather.', parameters: place, strict: true } },
  { type: 'function', function: { name: 'tide', description: 'Tells the tide.', parameters: place } },
];

let provider, server, key, client;
before(async () => {
  provider = await Provider.start();
  server = await Server.start({ settings: provider.settings });
  key = await server.token();
  client = connect();
});
after(async () => {
  provider.close();
  await server.remove();
});

const connect = (options = {}) =>
  new OpenAI({ apiKey: key, baseURL: `${server.url}/api/chat/partner_compatible/v1`, maxRetries: 0, ...options });

async function read(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

/** The text of one of the choices of a stream. */
const spoken = (chunks, index = 0) =>
  chunks.flatMap(chunk => chunk.choices.filter(choice => choice.index === index)).map(choice => choice.delta.content ?? '').join('');

describe('models', () => {
  test('are listed and retrieved', async () => {
    const listed = await read(client.models.list());
    const ids = listed.map(model => model.id);
    assert.ok(ids.includes('builtin/scribe') && ids.includes('fake/plain'), `${ids}`);
    for (const model of listed) assert.equal(model.object, 'model');
    assert.equal((await client.models.retrieve('fake/plain')).id, 'fake/plain');
    await assert.rejects(client.models.retrieve('fake/nothing'), OpenAI.NotFoundError);
  });
});

describe('chat completions', () => {
  test('return a complete answer with its usage', async () => {
    const answer = await client.chat.completions.create(ask('fake/plain'));
    assert.equal(answer.object, 'chat.completion');
    assert.equal(answer.model, 'fake/plain');
    assert.equal(answer.choices[0].message.content, sentence);
    assert.equal(answer.choices[0].finish_reason, 'stop');
    const { prompt_tokens, completion_tokens, total_tokens } = answer.usage;
    assert.deepEqual([prompt_tokens, completion_tokens, total_tokens], [11, 8, 19]);
    assert.equal(answer.usage.prompt_tokens_details.cached_tokens, 4);
  });

  test('work without the version in the URL', async () => {
    const bare = connect({ baseURL: `${server.url}/api/chat/partner_compatible` });
    assert.equal((await bare.chat.completions.create(ask('fake/plain'))).choices[0].message.content, sentence);
  });

  test('stream, with usage only on request', async () => {
    const plain = await read(await client.chat.completions.create(ask('fake/plain', { stream: true })));
    assert.equal(spoken(plain), sentence);
    assert.equal(plain.at(-1).choices[0].finish_reason, 'stop');
    assert.ok(plain.every(chunk => !chunk.usage));
    assert.equal(new Set(plain.map(chunk => chunk.id)).size, 1);
    const counted = await read(await client.chat.completions.create(ask('fake/plain', { stream: true, stream_options: { include_usage: true } })));
    assert.deepEqual(counted.at(-1).choices, []);
    assert.equal(counted.at(-1).usage.total_tokens, 19);
  });

  test('are accumulated by the library', async () => {
    const final = await client.chat.completions.stream(ask('fake/plain')).finalChatCompletion();
    assert.equal(final.choices[0].message.content, sentence);
  });

  test('return several answers, each with a separate call of the provider', async () => {
    for (const stream of [false, true]) {
      const mark = provider.mark;
      const answer = await client.chat.completions.create(ask('fake/plain', { n: 2, stream }));
      const said = stream ? await read(answer).then(chunks => [spoken(chunks, 0), spoken(chunks, 1)]) : answer.choices.map(choice => choice.message.content);
      assert.deepEqual(said, [sentence, sentence]);
      const calls = provider.since(mark);
      assert.equal(calls.length, 2);
      assert.ok(calls.every(({ body }) => body.n === undefined));
      if (!stream) assert.equal(answer.usage.total_tokens, 38, 'both are counted');
    }
  });

  test('pass every parameter on unchanged', async () => {
    const given = {
      stop: ['\n', 'END'], seed: 7, temperature: 0.25, top_p: 0.5, presence_penalty: 0.1, frequency_penalty: -0.1, max_completion_tokens: 99,
      logit_bias: { 50256: -100 }, user: 'somebody', metadata: { of: 'a test' }, service_tier: 'auto', reasoning_effort: 'low', store: false,
      a_field_of_tomorrow: { kept: [1, 'two'] },
    };
    const mark = provider.mark;
    await client.chat.completions.create(ask('fake/plain', given));
    const [{ body, key: sent }] = provider.since(mark);
    for (const [name, value] of Object.entries(given)) assert.deepEqual(body[name], value, name);
    assert.equal(body.model, 'plain');
    assert.equal(sent, 'Bearer sk-of-the-fake-provider', 'and not the key of the client');
  });

  test('return log probabilities, refusals, reasoning and finish reasons', async () => {
    const likely = await client.chat.completions.create(ask('fake/logprobs', { logprobs: true, top_logprobs: 2 }));
    assert.deepEqual(likely.choices[0].logprobs.content.map(one => one.token), words);
    const streamed = await read(await client.chat.completions.create(ask('fake/logprobs', { logprobs: true, stream: true })));
    const tokens = streamed.flatMap(chunk => chunk.choices[0]?.logprobs?.content ?? []).map(one => one.token);
    assert.deepEqual(tokens, words);
    const refused = await client.chat.completions.create(ask('fake/refusing'));
    assert.deepEqual([refused.choices[0].message.refusal, refused.choices[0].message.content], ['I will not say that.', null]);
    const thought = await client.chat.completions.create(ask('fake/thinker'));
    assert.equal(thought.choices[0].message.reasoning_content, 'Tides follow the moon.');
    assert.equal(thought.choices[0].message.content, 'The moon pulls.');
    assert.equal(thought.usage.completion_tokens_details.reasoning_tokens, 3);
    assert.equal((await client.chat.completions.create(ask('fake/short'))).choices[0].finish_reason, 'length');
    assert.equal((await client.chat.completions.create(ask('fake/filtered'))).choices[0].finish_reason, 'content_filter');
  });

  test('accept images', async () => {
    const content = [{ type: 'text', text: 'What is this?' }, { type: 'image_url', image_url: { url: picture, detail: 'low' } }];
    const answer = await client.chat.completions.create({ model: 'fake/sees', messages: [{ role: 'user', content }] });
    assert.equal(answer.choices[0].message.content, '1 picture, data:image/png;base64,');
  });

  test('fall back to another model if the first fails', async () => {
    const answer = await client.chat.completions.create(ask('fake/fallen'));
    assert.deepEqual([answer.model, answer.choices[0].message.content], ['fake/plain', sentence]);
    const chunks = await read(await client.chat.completions.create(ask('fake/fallen', { stream: true })));
    assert.deepEqual([chunks.at(-1).model, spoken(chunks)], ['fake/plain', sentence]);
  });
});

describe('tools', () => {
  test('are called in parallel, in complete and streamed answers', async () => {
    const whole = await client.chat.completions.create(ask('fake/parallel', { tools, tool_choice: 'auto', parallel_tool_calls: true }));
    assert.equal(whole.choices[0].finish_reason, 'tool_calls');
    assert.equal(whole.choices[0].message.content, null);
    const called = calls => calls.map(call => [call.type, call.function.name, call.function.arguments]);
    const expected = [['function', 'weather', '{"place":"Bergen"}'], ['function', 'tide', '{"place":"Bergen"}']];
    assert.deepEqual(called(whole.choices[0].message.tool_calls), expected);
    const stream = client.chat.completions.stream(ask('fake/parallel', { tools }));
    const { choices } = await stream.finalChatCompletion();
    assert.deepEqual(called(choices[0].message.tool_calls), expected);
    assert.equal(choices[0].finish_reason, 'tool_calls');
  });

  test('are passed to the provider unchanged', async () => {
    const mark = provider.mark;
    await client.chat.completions.create(ask('fake/tools', { tools, tool_choice: { type: 'function', function: { name: 'weather' } } }));
    const [{ body }] = provider.since(mark);
    assert.deepEqual(body.tools, tools);
    assert.deepEqual(body.tool_choice, { type: 'function', function: { name: 'weather' } });
  });

  for (const stream of [false, true]) {
    test(`run in a loop by the library, ${stream ? 'streaming' : 'whole'}`, async () => {
      const run = name => ({
        type: 'function',
        function: { name, parameters: place, parse: JSON.parse, function: ({ place }) => `${name} of ${place}` },
      });
      const runner = client.chat.completions.runTools(ask('fake/parallel', { stream, tools: [run('weather'), run('tide')] }));
      assert.equal(await runner.finalContent(), 'I was told: weather of Bergen and tide of Bergen');
    });
  }

  test('are parsed by their schema', async () => {
    const weather = zodFunction({ name: 'weather', parameters: z.object({ place: z.string() }) });
    const answer = await client.chat.completions.parse(ask('fake/tools', { tools: [weather] }));
    assert.deepEqual(answer.choices[0].message.tool_calls[0].function.parsed_arguments, { place: 'Bergen' });
  });
});

test('structured output is parsed by its schema', async () => {
  const Report = z.object({ city: z.string(), degrees: z.number(), rain: z.boolean() });
  const answer = await client.chat.completions.parse(ask('fake/json', { response_format: zodResponseFormat(Report, 'report') }));
  assert.deepEqual(answer.choices[0].message.parsed, { city: 'Bergen', degrees: 7, rain: true });
});

describe('errors', () => {
  const fails = (asked, kind, more = {}, with_ = client) =>
    assert.rejects(with_.chat.completions.create(asked), error => {
      assert.ok(error instanceof kind, `${error.constructor.name}: ${error}`);
      for (const [name, value] of Object.entries(more)) assert.deepEqual(error[name], value, `${name}: ${error}`);
      return true;
    });

  test('of the credential', async () => {
    await fails(ask('fake/plain'), OpenAI.AuthenticationError, { code: 'invalid_api_key' }, connect({ apiKey: 'und_wrong' }));
    const narrow = connect({ apiKey: await server.token({ scopes: ['conversations:read'] }) });
    await fails(ask('fake/plain'), OpenAI.PermissionDeniedError, {}, narrow);
  });

  test('of the request', async () => {
    await fails(ask('fake/nothing'), OpenAI.NotFoundError, { code: 'model_not_found' });
    await fails({ model: 'fake/plain', messages: [] }, OpenAI.UnprocessableEntityError, { param: 'messages' });
    await fails(ask('fake/plain', { n: 0 }), OpenAI.UnprocessableEntityError, { param: 'n' });
    await fails({ model: 'fake/plain', messages: [{ role: 'nobody', content: 'x' }] }, OpenAI.UnprocessableEntityError, { param: 'messages.0.role' });
  });

  test('of missing resources', async () => {
    await fails(ask('fake/plain', { n: 17 }), OpenAI.UnprocessableEntityError, { param: 'n' });
    const conversation = client.responses.create({ model: 'fake/plain', input: 'x', conversation: 'conv_1' });
    await assert.rejects(conversation, error => error instanceof OpenAI.UnprocessableEntityError && error.param === 'conversation');
    for (const asked of [
      () => client.completions.create({ model: 'fake/plain', prompt: 'x' }),
      () => client.chat.completions.retrieve('chatcmpl-1'),
      () => client.moderations.create({ input: 'x' }),
      () => client.files.retrieve('file-1'),
    ]) {
      await assert.rejects(asked, OpenAI.NotFoundError);
    }
  });

  for (const stream of [false, true]) {
    test(`of the provider, ${stream ? 'streaming' : 'whole'}`, async () => {
      await fails(ask('fake/busy', { stream }), OpenAI.RateLimitError);
      await fails(ask('fake/wrong', { stream }), OpenAI.BadRequestError);
      await fails(ask('fake/down', { stream }), OpenAI.InternalServerError, { status: 502 });
    });
  }

  test('in the middle of a stream', async () => {
    const stream = await client.chat.completions.create(ask('fake/breaking', { stream: true }));
    let said = '';
    const reading = (async () => {
      for await (const chunk of stream) said += chunk.choices[0]?.delta.content ?? '';
    })();
    await assert.rejects(reading, OpenAI.APIError);
    assert.equal(said, words.slice(0, 3).join(''), 'what came before it was shown');
  });

  test('never show the key of the provider', async () => {
    for (const model of ['fake/busy', 'fake/wrong', 'fake/down']) {
      const error = await client.chat.completions.create(ask(model)).catch(error => error);
      assert.doesNotMatch(JSON.stringify(error) + error.message, /sk-of-the-fake-provider/);
    }
  });
});
