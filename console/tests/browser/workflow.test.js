import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, openPage, Server, signIn } from '../harness.js';

const GRAPH = {
  schema: 1,
  inputs: {},
  nodes: [
    { id: 'start', type: 'start' },
    {
      id: 'review', type: 'human', in: { title: 'May this go out?', message: 'The notice about the tide.', note: '' },
      config: {
        fields: [{ name: 'note', label: 'Remarks', type: 'string' }, { name: 'copies', label: 'Copies', type: 'integer', required: true }],
        actions: [{ name: 'approve', label: 'Send it' }, { name: 'reject', label: 'No' }],
      },
    },
    { id: 'say', type: 'answer', in: { text: 'Decision: {{ review.action }}, {{ review.fields.copies }} copies, {{ review.fields.note }}' } },
    { id: 'done', type: 'end', in: { text: '{{ say.text }}' } },
  ],
  edges: [
    { from: 'start', to: 'review' },
    { from: 'review', port: 'approve', to: 'say' },
    { from: 'review', port: 'reject', to: 'say' },
    { from: 'say', to: 'done' },
  ],
};

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

test('workflow: a form in the chat survives a reload, checks its fields, and is answered once', async () => {
  const admin = await server.admin();
  const assistant = await admin('POST', '/api/assistants', { name: 'Harbour notices', type: 'workflow', workflow: GRAPH, conversation_starters: ['Announce the spring tide'] });
  const page = await openPage(await browser.newContext(), server);
  await signIn(page, server);
  await page.goto(`${server.url}/?assistant=${assistant.id}`);
  await page.getByRole('button', { name: 'Announce the spring tide' }).click();
  await page.keyboard.press('Enter');
  const form = page.getByRole('region', { name: 'May this go out?' });
  await form.waitFor();
  await page.reload();
  await form.getByLabel('Remarks').fill('before noon');
  await form.getByLabel('Copies').fill('many');
  await form.getByRole('button', { name: 'Send it' }).click();
  await form.getByText('This is not a value of the type integer.').waitFor();
  await form.getByLabel('Copies').fill('3');
  await form.getByRole('button', { name: 'Send it' }).click();
  await page.getByText('Decision: approve, 3 copies, before noon').waitFor();
  assert.deepEqual(page.faults, []);
});
