// Tools of a real tool server, called in answers of the real binary.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { startTools } from './mcp.js';
import { Server } from '../clients/server.js';

const settings = '[web]\nallow = ["127.0.0.1"]\n\n[tool_servers]\nfailure_kept_s = 0\n';
let server;
let tools;

before(async () => {
  [server, tools] = await Promise.all([Server.start({ settings }), startTools()]);
});

after(async () => {
  await server?.remove();
  await tools?.close();
});

/** Creates an assistant with the tool server, and approves the tool server for it. */
async function assistant(more = {}) {
  const tool_servers = [{ name: 'peer', url: tools.url }];
  const { id } = await server.call('POST', '/api/assistants', { name: 'Ada', tool_servers, ...more });
  await server.call('PUT', `/api/assistants/${id}/approved-external-services`, { services: ['mcp:peer'] });
  return id;
}

/** Asks a question in a new conversation. Returns the conversation, the id of the stream, and its events. */
async function ask(id, message, more = {}) {
  const conversation = await server.conversation();
  const answer = await fetch(`${server.url}/api/conversations/${conversation}/completion`, {
    method: 'POST',
    headers: { ...server.headers, 'content-type': 'application/json', accept: 'application/x-ndjson' },
    body: JSON.stringify({ message, assistant_id: id, ...more }),
  });
  assert.equal(answer.status, 200, await (answer.ok ? '' : answer.text()));
  return { conversation, stream: answer.headers.get('x-stream-id'), events: lines(answer.body) };
}

async function* lines(body) {
  let rest = '';
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    rest += piece;
    for (let at; (at = rest.indexOf('\n')) >= 0; rest = rest.slice(at + 1)) yield JSON.parse(rest.slice(0, at));
  }
}

async function all(events) {
  const read = [];
  for await (const event of events) read.push(event);
  return read;
}

const of = (events, type) => events.filter(event => event.type === type).map(event => event.data);

async function until(what, reached) {
  for (const late = Date.now() + 60_000; Date.now() < late; await sleep(10)) if (await reached()) return;
  assert.fail(`waited a minute for ${what}`);
}

test('tools are listed and called', async () => {
  const id = await assistant();
  const { items } = await server.call('GET', `/api/assistants/${id}/tool-servers`);
  assert.equal(items[0].status, 'ready');
  assert.deepEqual(
    items[0].tools.map(tool => tool.name),
    ['add', 'whoami', 'walk', 'stand', 'stumble'],
  );
  assert.equal(items[0].tools[0].read_only, true);
  const { events } = await ask(id, 'Please call peer_add {"a": 19, "b": 23}');
  const [result] = of(await all(events), 'tool.result');
  assert.deepEqual(result.output, { sum: 42 });
  await until('every session to be ended', () => tools.open() === 0);
});

test('invalid arguments and failures are reported to the model', async () => {
  const id = await assistant();
  for (const [message, words] of [
    ['Please call peer_add {"a": "x"}', /invalid/i],
    ['Please call peer_stumble', /a stone in the way/],
  ]) {
    const { events } = await ask(id, message);
    const read = await all(events);
    assert.match(of(read, 'tool.result')[0].error, words);
    assert.equal(read.at(-1).data.terminal.status, 'succeeded');
  }
});

test('progress of a call is reported while it runs', async () => {
  const { events } = await ask(await assistant(), 'Please call peer_walk {"steps": 5}');
  const read = await all(events);
  const steps = of(read, 'tool.progress');
  assert.ok(steps.length > 0);
  assert.equal(steps.at(-1).progress, 5);
  assert.equal(steps.at(-1).total, 5);
  assert.equal(steps.at(-1).message, 'step 5');
  assert.equal(of(read, 'tool.result')[0].output, 'walked 5 steps');
});

test('stopping the answer stops the call at its server', async () => {
  const { conversation, stream, events } = await ask(await assistant(), 'Please call peer_stand');
  for await (const event of events) if (event.type === 'tool.started') break;
  await until('the call', () => tools.seen.calls.stand === 1);
  const receipt = await server.call('DELETE', `/api/conversations/${conversation}/streams/${stream}`);
  assert.equal(receipt.status, 'cancelled');
  await tools.cancelled();
  await until('every session to be ended', () => tools.open() === 0);
});

test('a restarted tool server gets a new session', async () => {
  const { events } = await ask(await assistant(), 'Please call peer_walk {"steps": 3} and then call peer_add {"a": 1, "b": 2}');
  const read = [];
  for await (const event of events) {
    read.push(event);
    if (event.type === 'tool.result' && read.length) tools.forget();
  }
  assert.deepEqual(
    of(read, 'tool.result').map(result => result.output),
    ['walked 3 steps', { sum: 3 }],
  );
});

test('a call interrupted by kill -9 is not repeated', async () => {
  const id = await assistant();
  const before = tools.seen.calls.stand;
  const { conversation, stream, events } = await ask(id, 'Please call peer_stand', { recovery: 'retry' });
  // The kill breaks the connection of the reader.
  const reader = all(events).catch(() => {});
  await until('the call', () => tools.seen.calls.stand === before + 1);
  await server.kill();
  await reader;
  await server.run();
  const again = await fetch(`${server.url}/api/conversations/${conversation}/streams/${stream}?wire=ndjson`, {
    headers: server.headers,
  });
  const read = await all(lines(again.body));
  assert.equal(read.at(-1).data.terminal.reason, 'uncertain_effect');
  assert.match(of(read, 'tool.result')[0].error, /^uncertain_effect/);
  assert.equal(tools.seen.calls.stand, before + 1);
});
