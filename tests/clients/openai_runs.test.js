// Features that other gateways do not offer to OpenAI's library: an answer continues when its client disconnects, can be
// attached to, and a repeated request is neither answered nor paid for twice. Also embeddings, audio and assistants.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import OpenAI, { toFile } from 'openai';

import { Provider, words } from './provider.js';
import { Server } from './server.js';

const ask = (model, more = {}) => ({ model, messages: [{ role: 'user', content: 'How often is the clockwork wound?' }], ...more });
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
const text = chunks => chunks.map(chunk => chunk.choices?.[0]?.delta.content ?? '').join('');

/** The chunks of a stream that is read again in the OpenAI encoding. */
async function attach(id) {
  const answer = await fetch(`${server.url}/api/chat/streams/${id}?wire=openai`, { headers: { authorization: `Bearer ${key}` } });
  assert.equal(answer.status, 200);
  const lines = (await answer.text()).split('\n').filter(line => line.startsWith('data: '));
  assert.equal(lines.pop(), 'data: [DONE]');
  return lines.map(line => JSON.parse(line.slice(6)));
}

describe('an answer', () => {
  test('continues when its client disconnects, and can be read again', async () => {
    const mark = provider.mark;
    const { data: stream, response } = await client.chat.completions.create(ask('fake/slow', { stream: true })).withResponse();
    const seen = [];
    for await (const chunk of stream) {
      seen.push(chunk);
      if (text(seen).length > 40) break; // Leaving the loop makes the library abort the request.
    }
    const whole = await attach(response.headers.get('x-stream-id'));
    assert.ok(text(whole).startsWith(text(seen)));
    assert.equal(text(whole), Array.from({ length: 120 }, (_, at) => `word${at} `).join(''));
    assert.equal(whole.at(-1).choices[0].finish_reason, 'stop');
    assert.equal(whole[0].id, seen[0].id);
    assert.equal(provider.since(mark).length, 1, 'the provider was asked once');
  });

  test('can be cancelled', async () => {
    const { data: stream, response } = await client.chat.completions.create(ask('fake/slow', { stream: true })).withResponse();
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
    const id = response.headers.get('x-stream-id');
    const receipt = await fetch(`${server.url}/api/chat/streams/${id}`, { method: 'DELETE', headers: { authorization: `Bearer ${key}` } });
    assert.ok([200, 202].includes(receipt.status));
    assert.doesNotMatch(text(await attach(id)), /word119 $/);
  });

  test('that exceeds the client timeout is attached to again, not requested again', async () => {
    const mark = provider.mark;
    // The answer takes three seconds. The library waits for one second and retries repeatedly.
    const patient = connect({ timeout: 1000, maxRetries: 20 });
    const answer = await patient.chat.completions.create(ask('fake/slow'), { headers: { 'Idempotency-Key': 'patience' } });
    assert.match(answer.choices[0].message.content, /word119 $/);
    assert.equal(provider.since(mark).length, 1);
    const again = await client.chat.completions.create(ask('fake/slow'), { headers: { 'Idempotency-Key': 'patience' } });
    assert.equal(again.id, answer.id);
    const other = client.chat.completions.create(ask('fake/plain'), { headers: { 'Idempotency-Key': 'patience' } });
    await assert.rejects(other, error => error instanceof OpenAI.APIError && error.status >= 400 && error.status < 500);
    assert.equal(provider.since(mark).length, 1);
  });

  test('without a key times out as usual', async () => {
    await assert.rejects(connect({ timeout: 300 }).chat.completions.create(ask('fake/slow')), OpenAI.APIConnectionTimeoutError);
  });

  test('of a busy provider arrives when the library retries', async () => {
    provider.busy = 1;
    const answer = await connect({ maxRetries: 2 }).chat.completions.create(ask('fake/plain'));
    assert.equal(answer.choices[0].message.content, words.join(''));
    // A retryable failure does not occupy the idempotency key, because the library sends the same key with each retry.
    provider.busy = 1;
    const named = { headers: { 'Idempotency-Key': 'busy' } };
    const again = await connect({ maxRetries: 2 }).chat.completions.create(ask('fake/plain'), named);
    assert.equal((await client.chat.completions.create(ask('fake/plain'), named)).id, again.id);
  });

  test('is available up to its last word after kill -9 of the server', async () => {
    const { data: stream, response } = await client.chat.completions.create(ask('builtin/scribe', { stream: true, length: 2000, pace_ms: 15 })).withResponse();
    const seen = [];
    const reading = (async () => {
      for await (const chunk of stream) if (seen.push(chunk) === 5) await server.kill();
    })();
    await assert.rejects(reading);
    await server.run();
    const whole = await attach(response.headers.get('x-stream-id'));
    assert.ok(text(seen) && text(whole).startsWith(text(seen)), 'nothing that was shown is taken back');
    assert.equal(whole.at(-1).error.code, 'interrupted');
  });
});

describe('embeddings', () => {
  test('are returned as numbers and as base64', async () => {
    const input = ['one', 'a longer text'];
    const numbers = await client.embeddings.create({ model: 'fake/embed', input, encoding_format: 'float' });
    assert.deepEqual(numbers.data.map(one => [one.object, one.index, one.embedding.length]), [['embedding', 0, 8], ['embedding', 1, 8]]);
    assert.equal(numbers.usage.prompt_tokens, 6);
    // By default the library requests base64 and decodes it.
    const packed = await client.embeddings.create({ model: 'fake/embed', input });
    const close = (one, other) => one.every((number, at) => Math.abs(number - other[at]) < 1e-6);
    for (const at of [0, 1]) assert.ok(close(numbers.data[at].embedding, packed.data[at].embedding));
    const raw = await client.embeddings.create({ model: 'fake/embed', input: 'one', encoding_format: 'base64' });
    assert.equal(typeof raw.data[0].embedding, 'string');
    const short = await client.embeddings.create({ model: 'builtin/hash', input: 'one', dimensions: 16 });
    assert.equal(short.data[0].embedding.length, 16);
    await assert.rejects(client.embeddings.create({ model: 'fake/nothing', input: 'one' }), OpenAI.NotFoundError);
  });
});

describe('an assistant', () => {
  test('answers from its knowledge base with citations', async () => {
    const base = await server.call('POST', '/api/knowledge-bases', { name: 'Lighthouse' });
    const form = new FormData();
    form.set('file', new Blob(['The keeper of the Skerry lighthouse winds the clockwork every four hours.']), 'handbook.txt');
    const kept = await fetch(`${server.url}/api/knowledge-bases/${base.id}/files?wait=true`, { method: 'POST', headers: server.headers, body: form });
    assert.ok(kept.ok, await kept.text());
    const keeper = await server.call('POST', '/api/assistants', { name: 'Keeper', model: 'builtin/scribe' });
    await server.call('POST', `/api/assistants/${keeper.id}/knowledge-bases`, { knowledge_base_id: base.id });
    const under = connect({ baseURL: `${server.url}/api/chat/partner_compatible/${keeper.id}/v1` });
    const asked = { model: 'default', messages: [{ role: 'user', content: 'How often does the keeper wind the clockwork?' }] };
    const { choices } = await under.chat.completions.create(asked);
    assert.match(choices[0].message.content, /every four hours/);
    assert.equal(choices[0].message.annotations[0].file_citation.filename, 'handbook.txt');
    let annotations = [];
    for await (const chunk of await under.chat.completions.create({ ...asked, stream: true })) annotations.push(...(chunk.choices[0]?.delta.annotations ?? []));
    assert.equal(annotations[0].file_citation.filename, 'handbook.txt');
    const response = await under.responses.create({ model: 'default', input: 'How often does the keeper wind the clockwork?' });
    assert.match(response.output_text, /every four hours/);
    const nobody = connect({ baseURL: `${server.url}/api/chat/partner_compatible/${crypto.randomUUID()}/v1` });
    await assert.rejects(nobody.chat.completions.create(asked), OpenAI.NotFoundError);
  });
});

test('speech is generated and transcribed', async () => {
  const input = 'The keeper winds the clockwork.';
  const spoken = await client.audio.speech.create({ model: 'builtin/voice', voice: 'ada', input, response_format: 'wav' });
  const wav = Buffer.from(await spoken.arrayBuffer());
  assert.equal(wav.subarray(0, 4).toString(), 'RIFF');
  const heard = await client.audio.transcriptions.create({ model: 'builtin/ear', file: await toFile(wav, 'said.wav') });
  assert.equal(heard.text.trim(), input);
  const wrong = client.audio.transcriptions.create({ model: 'builtin/ear', file: await toFile(Buffer.from('no audio'), 'said.wav') });
  await assert.rejects(wrong, error => [415, 422].includes(error.status));
});
