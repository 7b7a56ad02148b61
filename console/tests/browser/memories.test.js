import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, openPage, Server, signIn, until } from '../harness.js';

let server;
let browser;

before(async () => {
  server = await Server.start();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

async function signedIn() {
  const page = await openPage(await browser.newContext(), server);
  await signIn(page, server);
  return page;
}

const field = page => page.getByLabel('Message', { exact: true });
const press = (locator, key = 'Enter') => locator.focus().then(() => locator.press(key));

async function write(taken, text) {
  const answer = await taken;
  answer.write(text);
  answer.end();
}

test('memories: what a response remembers is shown there, can be forgotten, and restored', async () => {
  const admin = await server.admin();
  await admin('PATCH', '/api/users/preferences', { make_memories: true });
  const memories = async () => (await admin('GET', '/api/memories')).items.map(({ content }) => content);
  const page = await signedIn();
  const first = server.provider.next();
  await field(page).fill('manual: I live in Bergen, remember that');
  await page.keyboard.press('Enter');
  const call = await first;
  const second = server.provider.next();
  call.write({ tool_calls: [{ index: 0, id: 'call-1', type: 'function', function: { name: 'remember', arguments: '{"content":"The user lives in Bergen."}' } }] });
  call.end('tool_calls');
  await write(second, 'I will remember it.');
  const note = page.getByRole('group', { name: 'Memory' });
  await note.getByText('The user lives in Bergen.').waitFor();
  assert.deepEqual(await memories(), ['The user lives in Bergen.']);
  await note.getByRole('button', { name: 'Forget this' }).click();
  await note.getByText('Forgotten.').waitFor();
  assert.deepEqual(await memories(), []);
  await press(note.getByRole('button', { name: 'Undo' }));
  await note.getByRole('button', { name: 'Forget this' }).waitFor();
  assert.deepEqual(await memories(), ['The user lives in Bergen.']);
  await press(note.getByRole('button', { name: 'Forget this' }));
  await note.getByText('Forgotten.').waitFor();
  assert.deepEqual(await memories(), []);
  await page.reload();
  await note.getByRole('button', { name: 'Forget this' }).click();
  await note.getByText('This memory does not exist any more').waitFor();
  assert.deepEqual(page.faults, []);
});

test('memories: those that a response was given are shown with it, can be opened, forgotten and restored', async () => {
  const admin = await server.admin();
  const { id: kept } = await admin('POST', '/api/memories', { content: 'Sails a ketch.' });
  await admin('POST', '/api/memories', { content: 'Lives in Bergen.' });
  const memories = async () => (await admin('GET', '/api/memories')).items.map(({ content }) => content);
  const page = await signedIn();
  const taken = server.provider.next();
  await field(page).fill('manual: where shall I sail?');
  await page.keyboard.press('Enter');
  const call = await taken;
  call.write('To the north.');
  // Before the response is complete, and after it.
  const response = page.getByRole('article', { name: 'Response' }).last();
  await response.getByText('Based on 2 memories').waitFor();
  call.end();
  await response.getByRole('button', { name: 'Good response' }).waitFor();
  await response.getByText('Based on 2 memories').click();
  const item = response.getByRole('listitem').filter({ hasText: 'Lives in Bergen.' });
  await press(item.getByRole('button', { name: 'Forget this' }));
  await item.getByText('Forgotten.').waitFor();
  assert.deepEqual(await memories(), ['Sails a ketch.']);
  await press(item.getByRole('button', { name: 'Undo' }));
  await item.getByRole('button', { name: 'Forget this' }).waitFor();
  assert.deepEqual(await memories(), ['Sails a ketch.', 'Lives in Bergen.']);
  // The restored memory has another id: the message still names the one that was deleted.
  await page.reload();
  await response.getByText('Based on 2 memories').click();
  await response.getByText('1 memory has been deleted since.').waitFor();
  await response.getByRole('link', { name: 'Open' }).click();
  await until(() => page.evaluate(id => document.activeElement?.id === `memory-${id}`, kept), 'the memory has the focus');
  assert.deepEqual(page.faults, []);
});
