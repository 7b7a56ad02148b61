// The Responses interface, called through the unmodified official OpenAI library.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import OpenAI from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import { z } from 'zod';

import { Provider, words } from './provider.js';
import { Server } from './server.js';

const input = 'How often is the clockwork wound?';
const sentence = words.join('');
const place = { type: 'object', properties: { place: { type: 'string' } }, required: ['place'], additionalProperties: false };
const tools = ['weather', 'tide'].map(name => ({ type: 'function', name, description: `Tells the ${name}.`, parameters: place, strict: true }));

let provider, server, client;
before(async () => {
  provider = await Provider.start();
  server = await Server.start({ settings: provider.settings });
  client = new OpenAI({ apiKey: await server.token(), baseURL: `${server.url}/api/chat/partner_compatible/v1`, maxRetries: 0 });
});
after(async () => {
  provider.close();
  await server.remove();
});

async function read(stream) {
  const events = [];
  for await (const event of stream) events.push(event);
  return events;
}

/** Checks that the number of each event is one more than the previous one. */
function assertNumbered(events, from = 0) {
  assert.deepEqual(events.map(event => event.sequence_number), events.map((_, at) => from + at));
}

/** Polls a background response until it has ended. */
async function ended(id) {
  for (let patience = 0; patience < 2400; patience++) {
    const response = await client.responses.retrieve(id);
    if (!['queued', 'in_progress'].includes(response.status)) return response;
    await new Promise(resolve => setTimeout(resolve, 25));
  }
  assert.fail('no end after a minute');
}

describe('a response', () => {
  test('is returned complete, and is stored', async () => {
    const response = await client.responses.create({ model: 'fake/plain', input, instructions: 'Be short.' });
    assert.equal(response.object, 'response');
    assert.equal(response.status, 'completed');
    assert.equal(response.output_text, sentence);
    assert.deepEqual([response.usage.input_tokens, response.usage.output_tokens, response.usage.total_tokens], [11, 8, 19]);
    const kept = await client.responses.retrieve(response.id);
    assert.deepEqual(kept.output, response.output);
    const { data } = await client.responses.inputItems.list(response.id);
    assert.deepEqual(data.map(item => [item.type, item.role, item.content[0].text]).at(-1), ['message', 'user', input]);
    await client.responses.delete(response.id);
    await assert.rejects(client.responses.retrieve(response.id), OpenAI.NotFoundError);
  });

  test('streams as numbered events', async () => {
    const events = await read(await client.responses.create({ model: 'fake/plain', input, stream: true }));
    assertNumbered(events);
    assert.deepEqual(events.slice(0, 2).map(event => event.type), ['response.created', 'response.in_progress']);
    assert.equal(events.at(-1).type, 'response.completed');
    assert.equal(events.filter(event => event.type === 'response.output_text.delta').map(event => event.delta).join(''), sentence);
    assert.equal(events.at(-1).response.output[0].content[0].text, sentence);
  });

  test('is accumulated by the library', async () => {
    const final = await client.responses.stream({ model: 'fake/plain', input }).finalResponse();
    assert.equal(final.output_text, sentence);
  });

  test('includes the reasoning of the model', async () => {
    const events = await read(await client.responses.create({ model: 'fake/thinker', input, stream: true, reasoning: { effort: 'low' } }));
    const thought = events.filter(event => event.type === 'response.reasoning_summary_text.delta').map(event => event.delta).join('');
    assert.equal(thought, 'Tides follow the moon.');
    const { output } = events.at(-1).response;
    assert.deepEqual(output.map(item => item.type), ['reasoning', 'message']);
  });

  test('passes its parameters on under the names of the chat interface', async () => {
    const mark = provider.mark;
    const asked = { model: 'fake/plain', input, instructions: 'Be short.', temperature: 0.5, max_output_tokens: 64, reasoning: { effort: 'high' } };
    await client.responses.create(asked);
    const [{ body }] = provider.since(mark);
    assert.deepEqual([body.temperature, body.max_tokens ?? body.max_completion_tokens, body.reasoning_effort], [0.5, 64, 'high']);
    assert.deepEqual(body.messages.map(message => message.role), ['system', 'user']);
  });

  test('with structured output is parsed by its schema', async () => {
    const Report = z.object({ city: z.string(), degrees: z.number() });
    const asked = { model: 'fake/json', input, text: { format: zodTextFormat(Report, 'report') } };
    assert.deepEqual((await client.responses.parse(asked)).output_parsed, { city: 'Bergen', degrees: 7 });
  });

  test('that was truncated is incomplete', async () => {
    const response = await client.responses.create({ model: 'fake/short', input });
    assert.equal(response.status, 'incomplete');
    assert.equal(response.incomplete_details.reason, 'max_output_tokens');
  });

  test('that was refused contains the refusal', async () => {
    const { output } = await client.responses.create({ model: 'fake/refusing', input });
    assert.deepEqual(output[0].content, [{ type: 'refusal', refusal: 'I will not say that.' }]);
    const final = await client.responses.stream({ model: 'fake/refusing', input }).finalResponse();
    assert.equal(final.output[0].content[0].refusal, 'I will not say that.');
  });

  test('whose provider disconnects has failed, and contains the text received before', async () => {
    const events = await read(await client.responses.create({ model: 'fake/breaking', input, stream: true }));
    assertNumbered(events);
    const { response } = events.at(-1);
    assert.deepEqual([events.at(-1).type, response.status], ['response.failed', 'failed']);
    assert.equal(response.output[0].content[0].text, words.slice(0, 3).join(''));
    assert.doesNotMatch(response.error.message, /sk-of-the-fake-provider/);
  });

  test('continues an earlier one', async () => {
    const first = await client.responses.create({ model: 'fake/plain', input, instructions: 'Be short.' });
    const mark = provider.mark;
    const second = await client.responses.create({ model: 'fake/plain', input: 'And who winds it?', previous_response_id: first.id });
    assert.equal(second.previous_response_id, first.id);
    const [{ body }] = provider.since(mark);
    const said = body.messages.map(message => [message.role, [message.content].flat().map(part => part.text ?? part).join('')]);
    // The instructions of the first response do not apply to the second.
    assert.deepEqual(said, [['user', input], ['assistant', sentence], ['user', 'And who winds it?']]);
    const unknown = client.responses.create({ model: 'fake/plain', input, previous_response_id: `resp_${'0'.repeat(32)}` });
    await assert.rejects(unknown, error => error instanceof OpenAI.APIError && error.status >= 400 && error.status < 500);
  });
});

describe('tools', () => {
  test('are called and answered, with the id of the response', async () => {
    const first = await client.responses.create({ model: 'fake/parallel', input, tools });
    const calls = first.output.filter(item => item.type === 'function_call');
    assert.deepEqual(calls.map(call => [call.name, call.arguments]), [['weather', '{"place":"Bergen"}'], ['tide', '{"place":"Bergen"}']]);
    const outputs = calls.map(call => ({ type: 'function_call_output', call_id: call.call_id, output: `the ${call.name}` }));
    const second = await client.responses.create({ model: 'fake/parallel', input: outputs, tools, previous_response_id: first.id });
    assert.equal(second.output_text, 'I was told: the weather and the tide');
  });

  test('are called and answered, with all items sent again', async () => {
    const asked = [{ role: 'user', content: input }];
    const first = await client.responses.create({ model: 'fake/parallel', input: asked, tools, store: false });
    const calls = first.output.filter(item => item.type === 'function_call');
    const outputs = calls.map(call => ({ type: 'function_call_output', call_id: call.call_id, output: `the ${call.name}` }));
    const second = await client.responses.create({ model: 'fake/parallel', input: [...asked, ...first.output, ...outputs], tools, store: false });
    assert.equal(second.output_text, 'I was told: the weather and the tide');
  });

  test('hosted by OpenAI are omitted', async () => {
    const mark = provider.mark;
    const hosted = [{ type: 'web_search' }, { type: 'code_interpreter', container: { type: 'auto' } }];
    const response = await client.responses.create({ model: 'fake/parallel', input, tools: [hosted[0], ...tools, hosted[1]] });
    assert.deepEqual(response.output.map(item => item.name), ['weather', 'tide']);
    assert.deepEqual(provider.since(mark)[0].body.tools.map(tool => tool.function.name), ['weather', 'tide']);
    // If there are only hosted tools, the model is called without tools.
    await client.responses.create({ model: 'fake/plain', input, tools: hosted });
    assert.equal(provider.since(mark)[1].body.tools, undefined);
  });

  test('stream their arguments', async () => {
    const events = await read(await client.responses.create({ model: 'fake/parallel', input, tools, stream: true }));
    assertNumbered(events);
    const done = events.filter(event => event.type === 'response.function_call_arguments.done');
    assert.deepEqual(done.map(event => event.arguments), ['{"place":"Bergen"}', '{"place":"Bergen"}']);
    const of = index => events.filter(event => event.type === 'response.function_call_arguments.delta' && event.output_index === index);
    for (const index of [0, 1]) assert.equal(of(index).map(event => event.delta).join(''), '{"place":"Bergen"}');
    const final = await client.responses.stream({ model: 'fake/parallel', input, tools }).finalResponse();
    assert.deepEqual(final.output.map(item => item.name), ['weather', 'tide']);
  });
});

describe('in the background', () => {
  test('a response continues without a client', async () => {
    const begun = await client.responses.create({ model: 'fake/slow', input, background: true });
    assert.ok(['queued', 'in_progress'].includes(begun.status), begun.status);
    const response = await ended(begun.id);
    assert.equal(response.status, 'completed');
    assert.match(response.output_text, /^word0 .*word119 $/);
  });

  test('a response can be read again from any event', async () => {
    const begun = await client.responses.create({ model: 'fake/slow', input, background: true });
    const whole = await read(await client.responses.retrieve(begun.id, { stream: true }));
    assertNumbered(whole);
    assert.equal(whole.at(-1).type, 'response.completed');
    for (const seen of [0, 1, 5, Math.floor(whole.length / 2), whole.length - 2]) {
      const rest = await read(await client.responses.retrieve(begun.id, { stream: true, starting_after: seen }));
      assert.deepEqual(rest, whole.slice(seen + 1), `after ${seen}`);
    }
  });

  test('an abandoned stream can be continued', async () => {
    const seen = [];
    for await (const event of await client.responses.create({ model: 'fake/slow', input, background: true, stream: true })) {
      if (seen.push(event) === 6) break;
    }
    const rest = await read(await client.responses.retrieve(seen[0].response.id, { stream: true, starting_after: seen.at(-1).sequence_number }));
    const said = [...seen, ...rest].filter(event => event.type === 'response.output_text.delta').map(event => event.delta).join('');
    assert.match(said, /^word0 .*word119 $/);
    assertNumbered([...seen, ...rest]);
  });

  test('a response can be cancelled', async () => {
    const begun = await client.responses.create({ model: 'fake/slow', input, background: true });
    await client.responses.cancel(begun.id);
    const response = await ended(begun.id);
    assert.equal(response.status, 'cancelled');
    // A second cancellation changes nothing.
    assert.equal((await client.responses.cancel(begun.id)).status, 'cancelled');
  });

  test('a response survives kill -9 of the server', async () => {
    const begun = await client.responses.create({ model: 'fake/plain', input, background: true });
    const before = await ended(begun.id);
    await server.kill();
    await server.run();
    assert.deepEqual(await client.responses.retrieve(begun.id), before);
  });
});

test('errors are of the classes that the library defines', async () => {
  const fails = (asked, kind) => assert.rejects(client.responses.create(asked), error => error instanceof kind || assert.fail(`${error.constructor.name}: ${error}`));
  await fails({ model: 'fake/nothing', input }, OpenAI.NotFoundError);
  await fails({ model: 'fake/plain', input: [] }, OpenAI.UnprocessableEntityError);
  await fails({ model: 'fake/busy', input }, OpenAI.RateLimitError);
  await fails({ model: 'fake/wrong', input }, OpenAI.BadRequestError);
  await assert.rejects(client.responses.retrieve('resp_nothing'), OpenAI.NotFoundError);
});
