// The unmodified client of the AI SDK, in its current major version and the two previous ones: the `Chat` behind
// `useChat`, with its default transport.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import * as react5 from 'ai-react-5';
import * as react6 from 'ai-react-6';
import * as react7 from 'ai-react-7';
import * as sdk5 from 'ai-5';
import * as sdk6 from 'ai-6';
import * as sdk7 from 'ai-7';

import { branchOf, endOf, transportOptions, uiMessages, versionsOf } from '../../docs/examples/chat.js';
import { Relay, Server } from './server.js';

const question = 'Tell me of the sea, of ships, and of those who wait ashore.';
let server;
before(async () => (server = await Server.start()));
after(() => server.remove());

/** Sends a form instead of JSON, through the custom `fetch` that the SDK's transport accepts. */
function asForm(url, init) {
  if (init.method !== 'POST') return fetch(url, init);
  const form = new FormData();
  for (const [name, value] of Object.entries(JSON.parse(init.body))) {
    form.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  const { 'content-type': _, ...headers } = init.headers;
  return fetch(url, { ...init, headers, body: form });
}

const textOf = message => message.parts.filter(part => part.type === 'text').map(part => part.text).join('');

/** Parameters of an answer that is still being written after a test has inspected its beginning, even on a slow machine. */
const long = { length: 200, pace_ms: 20 };

/** Waits until a condition is met, for at most a minute. */
async function until(what, holds) {
  for (const late = Date.now() + 60_000; Date.now() < late; await sleep(10)) if (await holds()) return;
  assert.fail(`a minute passed without this: ${what}`);
}

for (const [name, { DefaultChatTransport }, { Chat }] of [
  ['ai 7', sdk7, react7],
  ['ai 6', sdk6, react6],
  ['ai 5', sdk5, react5],
]) {
  describe(name, () => {
    /** A chat as a page opens it, for a conversation with its current messages. */
    function open(conversation, fields = {}, { url = server.url, messages = [] } = {}) {
      const streams = `${url}/api/conversations/${conversation}`;
      const seen = { errors: [], finished: [] };
      const transport = new DefaultChatTransport({
        headers: server.headers,
        fetch: asForm,
        prepareSendMessagesRequest: ({ messages, trigger, messageId }) => ({
          api: `${streams}/completion`,
          body: {
            wire: 'ui-message',
            model: 'builtin/scribe',
            ...(trigger === 'regenerate-message' ? { regenerate_message_id: messageId } : { message: textOf(messages.at(-1)) }),
            ...fields,
          },
        }),
        prepareReconnectToStreamRequest: () => ({ api: `${streams}/streams/active?wire=ui-message` }),
      });
      const chat = new Chat({
        id: conversation,
        messages,
        transport,
        onError: error => seen.errors.push(error),
        onFinish: event => seen.finished.push(event),
      });
      return { chat, seen };
    }

    /** The messages that a page shows of a stored conversation. */
    async function stored(conversation) {
      const messages = await server.messages(conversation);
      return messages.map(({ id, role, parts }) => ({ id, role, parts: parts.filter(part => part.type === 'text') }));
    }

    /** The terminal record of a stream. */
    async function terminalOf(conversation, stream) {
      const where = `${server.url}/api/conversations/${conversation}/streams/${stream}?wire=ndjson`;
      const answer = await fetch(where, { headers: server.headers });
      const { type, data } = JSON.parse((await answer.text()).trim().split('\n').at(-1));
      assert.equal(type, 'run.ended');
      return data.terminal;
    }

    async function assertKept(conversation, chat, status = 'complete') {
      const messages = await server.messages(conversation);
      const [asked, answered] = messages;
      assert.equal(messages.length, 2);
      assert.deepEqual([asked.role, answered.role, answered.status], ['user', 'assistant', status]);
      assert.equal(chat.messages.length, 2, 'no message twice');
      assert.equal(chat.lastMessage.id, answered.id, "the client's id of the message is the stored one");
      assert.equal(textOf(chat.lastMessage), textOf(answered));
    }

    test('streams an answer', async () => {
      const conversation = await server.conversation();
      const { chat, seen } = open(conversation, { parameters: { length: 60, pace_ms: 20 } });
      const lengths = new Set();
      chat['~registerMessagesCallback'](() => lengths.add(chat.lastMessage.role === 'assistant' ? textOf(chat.lastMessage).length : 0));
      await chat.sendMessage({ text: question });
      assert.deepEqual(seen.errors, []);
      assert.equal(chat.status, 'ready');
      assert.equal(seen.finished.length, 1);
      // The number of words per update depends on the speed of the machine.
      assert.ok(lengths.size > 2, `it grew in ${lengths.size} steps`);
      assert.ok(textOf(chat.lastMessage).length > 0);
      await assertKept(conversation, chat);
    });

    test('a second turn follows the first', async () => {
      const conversation = await server.conversation();
      const { chat, seen } = open(conversation, { parameters: { length: 5 } });
      await chat.sendMessage({ text: question });
      await chat.sendMessage({ text: 'And of the lighthouse?' });
      assert.deepEqual(seen.errors, []);
      const messages = await server.messages(conversation);
      assert.deepEqual(messages.map(message => message.role), ['user', 'assistant', 'user', 'assistant']);
      assert.deepEqual([chat.messages[1].id, chat.messages[3].id], [messages[1].id, messages[3].id]);
    });

    test('regenerates an answer', async () => {
      const conversation = await server.conversation();
      const { chat, seen } = open(conversation, { parameters: { length: 5 } });
      await chat.sendMessage({ text: question });
      const first = chat.lastMessage.id;
      await chat.regenerate({ messageId: first });
      assert.deepEqual(seen.errors, []);
      assert.equal(chat.messages.length, 2);
      assert.notEqual(chat.lastMessage.id, first);
      const answers = (await server.messages(conversation)).filter(message => message.role === 'assistant');
      assert.deepEqual(answers.map(message => message.id).sort(), [first, chat.lastMessage.id].sort());
      assert.equal(answers[0].parent_id, answers[1].parent_id);
    });

    test('resumes in another tab, from the stored messages', async () => {
      const conversation = await server.conversation();
      const one = open(conversation, { parameters: long });
      const sent = one.chat.sendMessage({ text: question });
      await until('some text', () => one.chat.lastMessage?.role === 'assistant' && textOf(one.chat.lastMessage).length > 40);
      const other = open(conversation, {}, { messages: await stored(conversation) });
      await Promise.all([other.chat.resumeStream(), sent]);
      for (const { chat, seen } of [one, other]) {
        assert.deepEqual(seen.errors, []);
        assert.equal(chat.status, 'ready');
        await assertKept(conversation, chat);
      }
    });

    test('resumes without an active stream, and changes nothing', async () => {
      const conversation = await server.conversation();
      await open(conversation, { parameters: { length: 5 } }).chat.sendMessage({ text: question });
      const { chat, seen } = open(conversation, {}, { messages: await stored(conversation) });
      await chat.resumeStream();
      assert.deepEqual(seen.errors, []);
      assert.equal(chat.status, 'ready');
      await assertKept(conversation, chat);
    });

    test('resumes after its connection was cut', async () => {
      const relay = await Relay.before(server);
      const conversation = await server.conversation();
      const { chat } = open(conversation, { parameters: long }, { url: relay.url });
      const sent = chat.sendMessage({ text: question });
      await until('some text', () => chat.lastMessage?.role === 'assistant' && textOf(chat.lastMessage).length > 40);
      relay.cut();
      await sent;
      await chat.resumeStream();
      assert.equal(chat.status, 'ready');
      await assertKept(conversation, chat);
      relay.close();
    });

    test('resumes after the server was killed, and the answer continues', async () => {
      const conversation = await server.conversation();
      const { chat } = open(conversation, { parameters: long, recovery: 'continue' });
      const sent = chat.sendMessage({ text: question });
      await until('some text', () => chat.lastMessage?.role === 'assistant' && textOf(chat.lastMessage).length > 40);
      const shown = textOf(chat.lastMessage);
      await server.kill();
      await sent;
      await server.run();
      await chat.resumeStream();
      assert.equal(chat.status, 'ready');
      assert.ok(textOf(chat.lastMessage).startsWith(shown), 'nothing that was shown is taken back');
      await assertKept(conversation, chat);
    });

    test('shows one answer, not two, after a killed server has restarted it', async () => {
      const conversation = await server.conversation();
      const { chat } = open(conversation, { parameters: long, recovery: 'retry' });
      const sent = chat.sendMessage({ text: question });
      await until('some text', () => chat.lastMessage?.role === 'assistant' && textOf(chat.lastMessage).length > 40);
      await server.kill();
      await sent;
      await server.run();
      await chat.resumeStream();
      assert.equal(chat.status, 'ready');
      await assertKept(conversation, chat);
    });

    test('stops an answer, and both tabs show the same part of it', async () => {
      const conversation = await server.conversation();
      const one = open(conversation, { parameters: { length: 5000, pace_ms: 20 } });
      const sent = one.chat.sendMessage({ text: question });
      await until('some text', () => one.chat.lastMessage?.role === 'assistant' && textOf(one.chat.lastMessage).length > 40);
      const other = open(conversation, {}, { messages: await stored(conversation) });
      const resumed = other.chat.resumeStream();
      // This only disconnects the first tab: the answer is still being written.
      await one.chat.stop();
      await sent;
      assert.equal(one.chat.status, 'ready');
      const streams = `/api/conversations/${conversation}/streams`;
      const active = await server.call('GET', `${streams}/active`);
      assert.equal(active.message_id, one.chat.lastMessage.id);
      // Only this request stops the answer.
      const receipt = await server.call('DELETE', `${streams}/${active.stream_id}`);
      assert.equal(receipt.status, 'cancelled');
      await resumed;
      assert.deepEqual(other.seen.errors, []);
      assert.equal(other.chat.status, 'ready');
      await assertKept(conversation, other.chat, 'stopped');
      assert.ok(textOf(other.chat.lastMessage).startsWith(textOf(one.chat.lastMessage)));
    });

    /** A chat as docs/conversations.md opens it: with the default requests of the transport. */
    async function plain(conversation, options = {}) {
      const stored = await server.call('GET', `/api/conversations/${conversation}`);
      const transport = new DefaultChatTransport({ ...transportOptions(server.url, conversation, server.headers), ...options });
      const seen = { errors: [] };
      const onError = error => seen.errors.push(error);
      const chat = new Chat({ id: conversation, messages: uiMessages(server.url, stored), transport, onError });
      return { chat, seen };
    }

    test('asks, edits, asks again and reloads with the plain transport', async () => {
      const conversation = await server.conversation();
      const { chat, seen } = await plain(conversation);
      const file = 'data:text/plain;base64,' + Buffer.from('The tide is high at noon.').toString('base64');
      const files = [{ type: 'file', mediaType: 'text/plain', filename: 'tides.txt', url: file }];
      await chat.sendMessage({ text: 'When is the tide high?', files });
      assert.match(textOf(chat.lastMessage), /high at noon/, 'the file was read');
      await chat.sendMessage({ text: 'And the moon?' });
      const edited = chat.messages[2].id;
      await chat.sendMessage({ text: 'When do ships sail?', messageId: edited });
      await chat.regenerate();
      await chat.sendMessage({ text: 'Who waits ashore?' });
      assert.deepEqual(seen.errors, []);
      assert.equal(chat.messages.length, 6);

      const stored = await server.call('GET', `/api/conversations/${conversation}`);
      const branch = branchOf(stored);
      assert.deepEqual(branch.map(textOf), chat.messages.map(textOf), 'the branch is what the page shows');
      const said = id => versionsOf(stored, branch.find(message => message.id === id)).map(textOf);
      assert.deepEqual(said(branch[2].id), ['And the moon?', 'When do ships sail?']);
      assert.equal(said(branch[3].id).length, 2, 'an answer and one more');
      assert.equal(endOf(stored, branch[2].id), stored.current_message_id);

      // A reloaded page shows the same messages, and can continue the conversation.
      const again = await plain(conversation);
      const shown = chat => chat.messages.map(({ role, parts }) => [role, parts.filter(part => part.type !== 'step-start').map(part => part.type)]);
      assert.deepEqual(shown(again.chat), shown(chat));
      await again.chat.sendMessage({ text: 'Tell me of the tide once more.' });
      assert.deepEqual(again.seen.errors, []);
      assert.equal((await server.messages(conversation)).at(-2).parent_id, stored.current_message_id);
    });

    test('shows a called tool, live and after a reload', async () => {
      const conversation = await server.conversation();
      const { chat, seen } = await plain(conversation);
      await chat.sendMessage({ text: 'Please call count_text.' }, { body: { tools: ['count_text'] } });
      assert.deepEqual(seen.errors, []);
      const shown = ({ lastMessage }) => {
        const { toolName, state, input, output, errorText } = lastMessage.parts.find(part => part.type === 'dynamic-tool');
        return { toolName, state, input, output, errorText };
      };
      const live = shown(chat);
      assert.equal(live.toolName, 'count_text');
      assert.deepEqual(shown((await plain(conversation)).chat), live);
    });

    test('resumes with the plain transport in a tab that is opened during an answer', async () => {
      const conversation = await server.conversation();
      const one = await plain(conversation);
      const sent = one.chat.sendMessage({ text: question }, { body: { parameters: long } });
      await until('some text', () => one.chat.lastMessage?.role === 'assistant' && textOf(one.chat.lastMessage).length > 40);
      const other = await plain(conversation);
      await Promise.all([other.chat.resumeStream(), sent]);
      for (const { chat, seen } of [one, other]) {
        assert.deepEqual(seen.errors, []);
        assert.equal(chat.messages.length, 2);
        await assertKept(conversation, chat);
      }
    });

    test('stops an answer and immediately sends the next message, with the plain transport', async () => {
      const conversation = await server.conversation();
      const { chat, seen } = await plain(conversation);
      const sent = chat.sendMessage({ text: question }, { body: { parameters: { length: 5000, pace_ms: 20 } } });
      await until('some text', () => chat.lastMessage?.role === 'assistant' && textOf(chat.lastMessage).length > 40);
      const { stream_id: first } = await server.call('GET', `/api/conversations/${conversation}/streams/active`);
      await chat.stop();
      const shown = textOf(chat.lastMessage);
      const next = chat.sendMessage({ text: 'And of the lighthouse?' }, { body: { parameters: { length: 60, pace_ms: 10 } } });
      await Promise.all([sent, next]);
      assert.deepEqual(seen.errors, [], 'no 409');
      assert.equal(chat.status, 'ready');
      assert.deepEqual(chat.messages.map(({ role }) => role), ['user', 'assistant', 'user', 'assistant']);

      const messages = await server.messages(conversation);
      assert.deepEqual(messages.map(({ role, status }) => [role, status]), [
        ['user', 'complete'], ['assistant', 'stopped'], ['user', 'complete'], ['assistant', 'complete'],
      ]);
      assert.ok(textOf(messages[1]).startsWith(shown), 'nothing that was shown is lost');
      assert.equal(messages[3].usage.output_tokens, 60);
      assert.equal(textOf(chat.lastMessage), textOf(messages[3]));
      assert.equal(chat.lastMessage.id, messages[3].id);
      assert.equal((await terminalOf(conversation, first)).status, 'cancelled');
    });

    test('stops an answer that has shown nothing yet and immediately sends the next message', async () => {
      const conversation = await server.conversation();
      // The first response never arrives, as with a model that reasons for a long time.
      const waiting = (url, init) => {
        fetch(url, init).catch(() => {});
        return new Promise((_, reject) => init.signal.addEventListener('abort', () => reject(init.signal.reason)));
      };
      let requests = 0;
      const { chat, seen } = await plain(conversation, { fetch: (url, init) => (requests++ ? fetch : waiting)(url, init) });
      const sent = chat.sendMessage({ text: question }, { body: { parameters: { length: 5000, pace_ms: 20 } } });
      let first;
      await until('a stream', async () => (first = await server.call('GET', `/api/conversations/${conversation}/streams/active`)));
      assert.equal(chat.status, 'submitted');
      await chat.stop();
      const next = chat.sendMessage({ text: 'And of the lighthouse?' }, { body: { parameters: { length: 5 } } });
      await Promise.all([sent, next]);
      assert.deepEqual(seen.errors, [], 'no 409');
      assert.equal(chat.status, 'ready');
      const branch = branchOf(await server.call('GET', `/api/conversations/${conversation}`));
      assert.deepEqual(branch.map(textOf), chat.messages.map(textOf), 'the branch is what the page shows');
      assert.deepEqual([branch.at(-1).id, branch.at(-1).status], [chat.lastMessage.id, 'complete']);
      assert.equal((await terminalOf(conversation, first.stream_id)).status, 'cancelled');
    });

    test("reports an error with the server's message", async () => {
      const conversation = await server.conversation();
      const { chat, seen } = open(conversation, { model: 'nobody/nothing' });
      await chat.sendMessage({ text: question });
      assert.equal(chat.status, 'error');
      assert.match(seen.errors[0].message, /nobody\/nothing|model/);
    });
  });
}
