import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, openPage, Server, signIn, until } from '../harness.js';
import { addMember, pageOf } from '../people.js';

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
  // One response at a time, so that the queue can be seen.
  server = await Server.start({ UNDERSTUDY_RUNS__PER_USER: '1' });
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
  const isAnswered = async (page, author) => {
    await page.getByText('Decision: approve, 3 copies, before noon').waitFor();
    const answered = page.getByRole('region', { name: 'May this go out?' });
    await answered.getByText('Answered: Send it').waitFor();
    await answered.getByText(author).waitFor();
    assert.deepEqual(await answered.getByRole('definition').allInnerTexts(), ['before noon', '3']);
    assert.equal(await answered.getByRole('button').count(), 0);
    // It stands where it was asked: before what followed it.
    assert.ok((await answered.boundingBox()).y < (await page.getByText('Decision: approve').first().boundingBox()).y);
  };
  // It stays when the run has ended, when the page is loaded again, and for those who may read the conversation.
  const byYou = /^By you, \w+ \d+, \d{4}, /;
  await page.getByRole('button', { name: 'Write the response again' }).waitFor();
  await isAnswered(page, byYou);
  await page.reload();
  await isAnswered(page, byYou);
  const conversation = new URL(page.url()).pathname;
  const reader = await addMember(server, 'reader');
  const project = await admin('POST', '/api/projects', { name: 'Notices' });
  await admin('POST', `/api/projects/${project.id}/members`, { members: [{ kind: 'user', id: reader.id, level: 'viewer' }] });
  await admin('POST', `/api/projects/${project.id}${conversation}`);
  const other = await pageOf(browser, server, reader);
  await other.goto(server.url + conversation);
  await isAnswered(other, /^By Administrator, /);
  assert.deepEqual([...page.faults, ...other.faults], []);
});

test('workflow: a form of a run that was stopped stays, and cannot be filled in', async () => {
  const admin = await server.admin();
  const assistant = await admin('POST', '/api/assistants', { name: 'Stopped', type: 'workflow', workflow: GRAPH });
  const { conversation_id } = await admin('POST', `/api/workflows/${assistant.id}/runs`, { mode: 'wait', inputs: {} });
  const page = await openPage(await browser.newContext(), server);
  await signIn(page, server);
  await page.goto(`${server.url}/conversations/${conversation_id}`);
  const form = page.getByRole('region', { name: 'May this go out?' });
  await form.getByLabel('Copies').waitFor();
  await page.getByRole('button', { name: 'Stop the response' }).press('Enter');
  for (const isFresh of [false, true]) {
    if (isFresh) await page.reload();
    await form.getByText('The run ended before the form was filled in.').waitFor();
    assert.equal(await form.getByRole('textbox').count(), 0);
  }
  assert.deepEqual(page.faults, []);
});

const FIELDS = {
  schema: 1,
  inputs: {},
  nodes: [
    { id: 'start', type: 'start' },
    {
      id: 'ask', type: 'human', in: { title: 'Berth', message: 'Fill in **all** fields.' },
      config: {
        fields: [
          { name: 'boat', label: 'Boat', type: 'string', required: true },
          { name: 'length', label: 'Length', type: 'number', default: 7.5 },
          { name: 'nights', label: 'Nights', type: 'integer', options: [1, 2, 7] },
          { name: 'power', label: 'Shore power', type: 'boolean', default: true },
          { name: 'crew', label: 'Crew', type: 'array' },
          { name: 'contact', label: 'Contact', type: 'object', default: { channel: 12 } },
          { name: 'papers', label: 'Papers', type: 'file', required: true },
          { name: 'remark', label: 'Remark', type: 'any' },
        ],
        actions: [{ name: 'book', label: 'Book' }],
      },
    },
    { id: 'done', type: 'end', in: { text: '{{ ask.fields.boat }}, {{ ask.fields.length }} m, {{ ask.fields.nights }} nights, {{ ask.fields.crew[0] }}, {{ ask.fields.contact.channel }}, {{ ask.fields.papers.filename }}, {{ ask.fields.remark }}' } },
  ],
  edges: [{ from: 'start', to: 'ask' }, { from: 'ask', port: 'book', to: 'done' }],
};

test('workflow: a form with all types of fields, by keyboard, with the faults that the server finds at their fields', async () => {
  const admin = await server.admin();
  const assistant = await admin('POST', '/api/assistants', { name: 'Berths', type: 'workflow', workflow: FIELDS });
  const page = await openPage(await browser.newContext(), server);
  await signIn(page, server);
  await page.goto(`${server.url}/?assistant=${assistant.id}`);
  await page.getByLabel('Message', { exact: true }).fill('A berth, please');
  await page.keyboard.press('Enter');
  const form = page.getByRole('region', { name: 'Berth' });
  await form.getByText('all', { exact: true }).waitFor();
  const field = label => form.getByLabel(label, { exact: true });
  const book = form.getByRole('button', { name: 'Book' });
  assert.equal(await field('Length').inputValue(), '7.5');
  assert.equal(await field('Shore power').isChecked(), true);
  assert.deepEqual(JSON.parse(await field('Contact').inputValue()), { channel: 12 });

  // Faults that the browser finds; the first field with one gets the focus.
  await field('Crew').fill('{"not": "a list"}');
  await book.press('Enter');
  await form.getByText('This is not a value of the type array.').waitFor();
  assert.equal(await form.getByText('required', { exact: true }).count() >= 2, true);
  assert.equal(await field('Boat').evaluate(element => element === document.activeElement), true);

  await page.keyboard.type('Albatros');
  await field('Nights').selectOption({ label: '7' });
  await field('Shore power').press('Space');
  await field('Crew').fill('["Ada", "Grace"]');
  await field('Remark').fill('42');
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), form.getByRole('button', { name: /Choose a file/ }).press('Enter')]);
  const stored = page.waitForResponse(response => response.request().method() === 'PUT' && response.ok());
  await chooser.setFiles({ name: 'papers.txt', mimeType: 'text/plain', buffer: Buffer.from('Registered.') });
  await form.getByText('papers.txt').waitFor();
  await stored;
  await until(async () => (await form.getByRole('progressbar').count()) === 0, 'the file is sent');

  // A fault that only the server finds.
  await page.route('**/resume', async route => {
    const body = route.request().postDataJSON();
    await route.continue({ postData: JSON.stringify({ ...body, fields: { ...body.fields, boat: 7 } }) });
  }, { times: 1 });
  await book.press('Enter');
  await form.getByText('is not of the type string').waitFor();
  await until(() => field('Boat').evaluate(element => element === document.activeElement), 'the faulty field has the focus');
  await book.press('Enter');
  await page.getByText('Albatros, 7.5 m, 7 nights, Ada, 12, papers.txt, 42').waitFor();
  assert.deepEqual(page.faults, []);
});

test('workflow: a form that was answered in another tab shows the first answer', async () => {
  const admin = await server.admin();
  const assistant = await admin('POST', '/api/assistants', { name: 'Twice', type: 'workflow', workflow: { ...GRAPH, nodes: GRAPH.nodes.map(node => (node.id === 'say' ? { id: 'say', type: 'human', in: { title: 'Another form', message: '' }, config: { actions: [{ name: 'ok' }] } } : node.id === 'done' ? { id: 'done', type: 'end', in: { text: 'Done' } } : node)), edges: [...GRAPH.edges.slice(0, 3), { from: 'say', port: 'ok', to: 'done' }] } });
  const page = await openPage(await browser.newContext(), server);
  await signIn(page, server);
  await page.goto(`${server.url}/?assistant=${assistant.id}`);
  await page.getByLabel('Message', { exact: true }).fill('Twice');
  await page.keyboard.press('Enter');
  const form = page.getByRole('region', { name: 'May this go out?' });
  await form.getByLabel('Copies').fill('2');
  // The answer of the other tab arrives before this tab learns of it.
  await page.route('**/resume', async route => {
    const body = route.request().postDataJSON();
    await route.fetch({ postData: JSON.stringify({ ...body, action: 'reject', fields: { copies: 5 } }) });
    await route.continue();
  }, { times: 1 });
  await form.getByRole('button', { name: 'Send it' }).click();
  await form.getByText('Answered: No').waitFor();
  await form.getByRole('definition').getByText('5').waitFor();
  await page.getByRole('region', { name: 'Another form' }).getByRole('button', { name: 'ok' }).press('Enter');
  await page.getByText('Done', { exact: true }).waitFor();
});

test('workflow: a paused run says why, and continues by a button', async () => {
  const admin = await server.admin();
  const workflow = { schema: 1, inputs: {}, nodes: [{ id: 'start', type: 'start' }, { id: 'greet', type: 'answer', in: { text: 'Ahoy' } }, { id: 'done', type: 'end', in: { text: '{{ greet.text }}' } }], edges: [{ from: 'start', to: 'greet' }, { from: 'greet', to: 'done' }] };
  const assistant = await admin('POST', '/api/assistants', { name: 'Paused', type: 'workflow', workflow });
  const { conversation_id } = await admin('POST', `/api/workflows/${assistant.id}/debug/play`, { breakpoints: [{ node: 'greet' }] });
  const page = await openPage(await browser.newContext(), server);
  await signIn(page, server);
  await page.goto(`${server.url}/conversations/${conversation_id}`);
  const paused = page.getByRole('group', { name: 'The run is paused' });
  await paused.getByText('Paused at a breakpoint of the workflow debugger.').waitFor();
  await paused.getByText('greet').waitFor();
  await paused.getByRole('button', { name: 'Continue' }).press('Enter');
  await page.getByText('Ahoy').first().waitFor();
  await paused.waitFor({ state: 'hidden' });
  assert.deepEqual(page.faults, []);
});

test('queue: a response that waits for another one says so, and can be stopped', async () => {
  const page = await openPage(await browser.newContext(), server);
  await signIn(page, server);
  const ask = async text => {
    await page.goto(server.url);
    await page.getByLabel('Message', { exact: true }).fill(text);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/conversations/*');
  };
  const taken = server.provider.next();
  await ask('manual: the first one');
  const first = await taken;
  first.write('Still writing');
  await page.getByText('Still writing').waitFor();
  await ask('manual: the second one');
  await page.getByText('In the queue, at position 1. At most 1 response is written for you at the same time.').waitFor();
  await page.getByRole('button', { name: 'Stop the response' }).press('Enter');
  await page.getByRole('article', { name: 'Response' }).getByText('Stopped', { exact: true }).waitFor();
  await ask('manual: the third one');
  await page.getByText('In the queue, at position 1. At most 1 response is written for you at the same time.').waitFor();
  const next = server.provider.next();
  first.end();
  (await next).write('Now it is my turn');
  await page.getByText('Now it is my turn').waitFor();
  assert.deepEqual(page.faults, []);
});
