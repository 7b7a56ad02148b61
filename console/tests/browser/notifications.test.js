// Notifications: the number in the navigation, the list, and the summaries that they link to.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { activate, WAYS } from '../hands.js';
import { launch, Server, until } from '../harness.js';
import { addMember, administrator, pageOf } from '../people.js';

let server;
let browser;
let admin;
let ada;

before(async () => {
  server = await Server.start();
  browser = await launch();
  admin = await server.admin();
  ada = await addMember(server, 'ada');
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const send = (title, fields = {}) => admin('POST', '/api/notifications/send', { user_ids: [ada.id], type: 'message', title, ...fields });
const bell = page => page.getByRole('navigation', { name: 'Conversations' }).getByRole('link', { name: /notification/i });
const entry = (page, title) => page.getByRole('list', { name: 'Notifications' }).getByRole('listitem').filter({ hasText: title });
const isUnread = item => item.getByText('Unread:').isVisible();

for (const way of WAYS) {
  test(`notifications: the number follows live, and in all tabs; read, delete, read all, by ${way}`, async () => {
    const page = await pageOf(browser, server, ada);
    await page.goto(server.url);
    await bell(page).waitFor();
    assert.equal(await bell(page).getAttribute('aria-label'), 'Notifications');
    await send(`Storm ${way}`, { severity: 'warning', body: 'Reef **the sails**.' });
    await page.getByRole('link', { name: '1 unread notification' }).waitFor();

    const list = await page.context().newPage();
    await list.goto(`${server.url}/notifications`);
    await entry(list, `Storm ${way}`).getByText('Reef the sails.').waitFor();
    assert.ok(await isUnread(entry(list, `Storm ${way}`)));
    await activate(list, list.getByRole('button', { name: `Mark as read: Storm ${way}` }), way);
    await until(async () => !(await isUnread(entry(list, `Storm ${way}`))), 'it is read');
    // The other tab hears of it.
    await page.getByRole('link', { name: 'Notifications', exact: true }).waitFor();

    await send(`Calm ${way}`);
    await entry(list, `Calm ${way}`).waitFor();
    await send(`Fog ${way}`);
    await entry(list, `Fog ${way}`).waitFor();
    await page.getByRole('link', { name: '2 unread notifications' }).waitFor();
    await activate(list, list.getByRole('button', { name: `Delete the notification: Calm ${way}` }), way);
    await entry(list, `Calm ${way}`).waitFor({ state: 'detached' });
    await activate(list, list.getByRole('button', { name: 'Unread', exact: true }), way);
    await entry(list, `Storm ${way}`).waitFor({ state: 'detached' });
    await entry(list, `Fog ${way}`).waitFor();
    await activate(list, list.getByRole('button', { name: 'Mark all as read' }), way);
    await page.getByRole('link', { name: 'Notifications', exact: true }).waitFor();
    await list.getByText('You have read all notifications').first().waitFor();
    assert.deepEqual(page.faults, []);
    await page.context().close();
  });

  test(`notifications: a link opens what it is about, and marks it as read, by ${way}`, async () => {
    const page = await pageOf(browser, server, ada);
    await send(`Your budget ${way}`, { link: '/usage' });
    await page.goto(server.url);
    await activate(page, bell(page), way);
    await activate(page, entry(page, `Your budget ${way}`).getByRole('link'), way);
    await page.getByRole('heading', { name: 'Your usage', level: 1 }).waitFor();
    await page.getByText('This month').waitFor();
    await page.getByRole('link', { name: 'Notifications', exact: true }).waitFor();
    assert.deepEqual(page.faults, []);
    await page.context().close();
  });
}

test('notifications: those of another account are not shown after it has signed in', async () => {
  const page = await pageOf(browser, server, ada);
  await send('For Ada');
  await page.goto(server.url);
  await page.getByRole('link', { name: '1 unread notification' }).waitFor();
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByLabel('E-mail address').fill('admin@localhost');
  await page.getByLabel('Password', { exact: true }).fill(server.password);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Notifications', exact: true }).waitFor();
  await admin('POST', '/api/notifications/send', { everyone: true, type: 'announcement', title: 'For all' });
  // The connection belongs to the new session.
  await page.getByRole('link', { name: '1 unread notification' }).waitFor();
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test('summary: an object shows its facts and the reference; a list links to its objects', async () => {
  const page = await pageOf(browser, server, administrator(server));
  const base = await admin('POST', '/api/knowledge-bases', { name: 'Harbour rules', description: 'What is allowed in the harbour' });
  await page.goto(`${server.url}/knowledge-bases/${base.id}`);
  await page.getByRole('heading', { name: 'Harbour rules', level: 1 }).waitFor();
  await page.getByText('What is allowed in the harbour').waitFor();
  await page.getByText('the console has no screen for this yet').waitFor();
  assert.equal(await page.getByRole('main').getByRole('link', { name: /API reference/ }).getAttribute('href'), '/api/docs#knowledge-bases.get_knowledge_base');
  await page.goto(`${server.url}/knowledge-bases`);
  await page.getByRole('link', { name: 'Harbour rules' }).click();
  await page.getByRole('heading', { name: 'Harbour rules', level: 1 }).waitFor();
  const assistant = await admin('POST', '/api/assistants', { name: 'Harbour master', description: 'Knows the tides' });
  await page.goto(`${server.url}/assistants/${assistant.id}`);
  await page.getByText('Knows the tides').waitFor();
  await page.getByRole('main').getByRole('link', { name: 'New conversation' }).click();
  await page.getByRole('button', { name: 'Assistant: Harbour master' }).waitFor();
  await page.goto(`${server.url}/knowledge-bases/01a00000-0000-7000-8000-000000000000`);
  await page.getByRole('button', { name: 'Why?' }).waitFor();
  assert.deepEqual(page.faults, []);
  await page.context().close();
});
