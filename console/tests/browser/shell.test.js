// The navigation and the commands, each by mouse and by keyboard alone, and what other tabs show of it.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { activate, choose, tabTo, WAYS, write } from '../hands.js';
import { launch, openBehind, openPage, Server, signIn, until } from '../harness.js';

let server;
let browser;
let context;
let page;
/** Another tab of the same browser. */
let other;
let admin;

before(async () => {
  server = await Server.start();
  browser = await launch();
  admin = await server.admin();
  context = await browser.newContext({ colorScheme: 'light' });
  page = await openPage(context, server);
  await signIn(page, server);
  other = await openBehind(page, server);
  await other.getByLabel('Message', { exact: true }).waitFor();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const navigation = tab => tab.getByRole('navigation', { name: 'Conversations' });
const item = (tab, title) => navigation(tab).getByRole('link', { name: title, exact: true });
const gone = (tab, title) => item(tab, title).waitFor({ state: 'detached' });

/** Chooses an action for a conversation in the list. */
async function act(title, action, way) {
  if (way === 'mouse') await item(page, title).hover();
  await choose(page, page.getByRole('button', { name: `Actions for ${title}` }), action, way);
}

async function show(title) {
  const conversation = await admin('POST', '/api/conversations', { title });
  await page.goto(server.url);
  await other.reload();
  await item(page, title).waitFor();
  await item(other, title).waitFor();
  return conversation;
}

for (const way of WAYS) {
  test(`conversation: rename, also in the other tab, by ${way}`, async () => {
    const { id } = await show(`Low tide ${way}`);
    await act(`Low tide ${way}`, 'Rename', way);
    const dialog = page.getByRole('dialog', { name: 'Rename the conversation' });
    await write(page, dialog.getByLabel('Title'), `High tide ${way}`, way);
    if (way === 'mouse') await dialog.getByRole('button', { name: 'Save' }).click();
    else await page.keyboard.press('Enter');
    await item(page, `High tide ${way}`).waitFor();
    await item(other, `High tide ${way}`).waitFor();
    await gone(other, `Low tide ${way}`);
    assert.equal((await admin('GET', `/api/conversations/${id}`)).title, `High tide ${way}`);
  });

  test(`conversation: pin and unpin, by ${way}`, async () => {
    const title = `Buoys ${way}`;
    await show(title);
    await act(title, 'Pin', way);
    for (const tab of [page, other]) await navigation(tab).getByRole('region', { name: 'Pinned' }).getByRole('link', { name: title }).waitFor();
    await act(title, 'Unpin', way);
    for (const tab of [page, other]) await navigation(tab).getByRole('region', { name: 'Today' }).getByRole('link', { name: title }).waitFor();
  });

  test(`conversation: archive, undo, and restore from the archive, by ${way}`, async () => {
    const title = `Old charts ${way}`;
    await show(title);
    await act(title, 'Archive', way);
    await gone(other, title);
    await activate(page, page.getByRole('button', { name: 'Undo' }), way);
    await item(page, title).waitFor();
    await item(other, title).waitFor();
    await act(title, 'Archive', way);
    await gone(page, title);
    await activate(page, navigation(page).getByRole('button', { name: 'Archived' }), way);
    await act(title, 'Restore from the archive', way);
    await gone(page, title);
    await activate(page, navigation(page).getByRole('button', { name: 'Conversations', exact: true }), way);
    await item(page, title).waitFor();
    await item(other, title).waitFor();
  });

  test(`conversation: delete, and undo, by ${way}`, async () => {
    const title = `Rubbish ${way}`;
    const { id } = await show(title);
    await activate(page, item(page, title), way);
    await page.waitForURL(`**/conversations/${id}`);
    // The message field takes the focus when the conversation is shown.
    await page.getByText('No messages yet').waitFor();
    await act(title, 'Delete', way);
    await page.waitForURL(url => url.pathname === '/');
    await gone(page, title);
    await activate(page, page.getByRole('button', { name: 'Undo' }), way);
    await item(page, title).waitFor();
    assert.equal((await admin('GET', `/api/conversations/${id}`)).title, title);
    await act(title, 'Delete', way);
    await gone(page, title);
    // After some seconds it can no longer be undone, and is deleted everywhere.
    await gone(other, title);
    await until(() => admin('GET', `/api/conversations/${id}`).then(() => false, () => true), 'the conversation is deleted');
  });

  test(`conversation: move to a project, and out of it, by ${way}`, async () => {
    const title = `Crew list ${way}`;
    const project = await admin('POST', '/api/projects', { name: `Regatta ${way}` });
    const { id } = await show(title);
    const projectOf = async () => (await admin('GET', `/api/conversations/${id}`)).project_id ?? null;
    await act(title, 'Move to a project', way);
    await activate(page, page.getByRole('dialog', { name: 'Move to a project' }).getByRole('button', { name: `Regatta ${way}` }), way);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.equal(await projectOf(), project.id);
    await act(title, 'Remove from the project', way);
    await until(async () => (await projectOf()) === null, 'the conversation is in no project');
    assert.deepEqual([...page.faults, ...other.faults], []);
  });

  test(`navigation: hide and show, by ${way}`, async () => {
    await page.goto(server.url);
    await activate(page, page.getByRole('button', { name: 'Close the navigation' }), way);
    await navigation(page).waitFor({ state: 'detached' });
    await activate(page, page.getByRole('button', { name: 'Open the navigation' }), way);
    await navigation(page).waitFor();
  });

  test(`palette: opens screens, by ${way}`, async () => {
    await page.goto(server.url);
    await page.getByLabel('Message', { exact: true }).waitFor();
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: 'Commands' });
    await field.fill('memor');
    const option = page.getByRole('option', { name: 'Memories' });
    await option.waitFor();
    if (way === 'mouse') await option.click();
    else await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Memories', level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await field.fill('notif');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Notifications', level: 1 }).waitFor();
    // A summary, which the navigation does not have.
    await page.keyboard.press('Control+k');
    await field.fill('usage');
    await activate(page, page.getByRole('option', { name: 'Your usage' }), 'mouse');
    await page.getByRole('heading', { name: 'Your usage', level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await field.waitFor();
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
  });

  test(`help: the keys and the version, by ${way}`, async () => {
    await page.goto(`${server.url}/memories`);
    await page.getByRole('heading', { name: 'Memories', level: 1 }).waitFor();
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    if (way === 'keyboard') await page.keyboard.press('?');
    else await choose(page, page.getByRole('button', { name: 'Account' }), 'Keyboard shortcuts', way);
    const { version } = await (await fetch(`${server.api}/api/bootstrap`)).json();
    await dialog.getByText(`Understudy ${version}`).waitFor();
    if (way === 'keyboard') await page.keyboard.press('Escape');
    else await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
  });
}

test('keys: a new conversation, the navigation, the message field, and the content behind the navigation', async () => {
  await page.goto(`${server.url}/memories`);
  await page.getByRole('heading', { name: 'Memories', level: 1 }).waitFor();
  await page.keyboard.press('Control+b');
  await navigation(page).waitFor({ state: 'detached' });
  await page.keyboard.press('Control+b');
  await navigation(page).waitFor();
  await page.keyboard.press('Control+Shift+o');
  const field = page.getByLabel('Message', { exact: true });
  await field.waitFor();
  await field.evaluate(element => element.blur());
  await page.keyboard.press('/');
  await until(() => field.evaluate(element => element === document.activeElement), 'the message field has the focus');
  await page.reload();
  await field.waitFor();
  await field.evaluate(element => element.blur());
  await tabTo(page, page.getByRole('link', { name: 'Skip to the conversation' }));
  await page.keyboard.press('Enter');
  await until(() => page.evaluate(() => document.activeElement?.id === 'content'), 'the content has the focus');
  assert.deepEqual([...page.faults, ...other.faults], []);
});
