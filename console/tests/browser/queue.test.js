import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, openPage, Server, signIn, until } from '../harness.js';

let server;
let browser;
let admin;

before(async () => {
  server = await Server.start({ UNDERSTUDY_RUNS__PER_USER: '1' });
  browser = await launch();
  admin = await server.admin();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

/** Asks in a new conversation, without waiting for the answer. */
async function ask(text) {
  const { id } = await admin('POST', '/api/conversations', { title: text });
  void admin('POST', `/api/conversations/${id}/completion`, { message: `manual: ${text}` }).catch(() => {});
  const stream = await until(() => admin('GET', `/api/conversations/${id}/streams/active`), 'the question is accepted');
  return { id, stream: stream.stream_id };
}

async function show(context, { id }) {
  const page = await openPage(context, server);
  await page.goto(`${server.url}/conversations/${id}`);
  return page;
}

test('queue: each waiting response shows its reason and its position, which falls', async () => {
  const context = await browser.newContext();
  await signIn(await openPage(context, server), server);
  const taken = server.provider.next();
  const first = await ask('first');
  const writing = await taken;
  const second = await ask('second');
  const third = await ask('third');
  const fourth = await ask('fourth');
  const pages = await Promise.all([second, third, fourth].map(conversation => show(context, conversation)));
  const at = (page, position) => page.getByText(`In the queue, at position ${position}. At most 1 response is written for you at the same time.`).waitFor();
  await Promise.all(pages.map((page, index) => at(page, index + 1)));

  // One that is cancelled moves the others up.
  await pages[0].getByRole('button', { name: 'Stop the response' }).click();
  await pages[0].getByText('Stopped', { exact: true }).waitFor();
  await at(pages[1], 1);
  await at(pages[2], 2);

  // The end of the one that is written starts the next one.
  const next = server.provider.next();
  writing.write('High tide.');
  writing.end();
  const answer = await next;
  await at(pages[2], 1);
  answer.write('It is the turn of the third.');
  await pages[1].getByText('It is the turn of the third.').waitFor();
  assert.equal(await pages[1].getByText('In the queue').count(), 0);
  const last = server.provider.next();
  answer.end();
  const end = await last;
  end.write('The last one.');
  end.end();
  await pages[2].getByText('The last one.').waitFor();
  assert.equal(await pages[2].getByText('In the queue').count(), 0);
  for (const page of pages) assert.deepEqual(page.faults, []);
  assert.ok(first.id);
});
