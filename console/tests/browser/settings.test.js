// Settings and memories, each by mouse and by keyboard alone, and what other tabs show of them.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { activate, tabTo, WAYS, write } from '../hands.js';
import { launch, openBehind, Server, until } from '../harness.js';
import { addMember, clientOf, pageOf } from '../people.js';

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

/** A new member with two tabs of one browser. */
async function member(name) {
  const ada = await addMember(server, name);
  const page = await pageOf(browser, server, ada, { colorScheme: 'light' });
  const other = await openBehind(page, server);
  await other.getByLabel('Message', { exact: true }).waitFor();
  return { ada, page, other, ask: await clientOf(server, ada) };
}

async function finish({ page, other }) {
  assert.deepEqual([...page.faults, ...other.faults], []);
  await page.context().close();
}

/** Chooses a radio button or the entry of a list: the arrow keys move between them. */
async function arrowTo(page, from, key) {
  await tabTo(page, from);
  await page.keyboard.press(key);
}

for (const way of WAYS) {
  test(`settings: the name, by ${way}`, async () => {
    const all = await member(`name-${way}`);
    const { page, other } = all;
    await page.goto(`${server.url}/settings`);
    await write(page, page.getByLabel('Name', { exact: true }), `Grace ${way}`, way);
    await activate(page, page.getByRole('main').getByRole('button', { name: 'Save' }), way);
    for (const tab of [page, other]) await tab.getByRole('button', { name: `Grace ${way}` }).waitFor();
    const { version } = await (await fetch(`${server.api}/api/bootstrap`)).json();
    await page.getByText(`Understudy ${version}`).waitFor();
    await finish(all);
  });

  test(`settings: theme and language change at once, in all tabs, and stay, by ${way}`, async () => {
    const all = await member(`look-${way}`);
    const { page, other } = all;
    await page.goto(`${server.url}/settings/profile`);
    await activate(page, page.getByRole('link', { name: 'Appearance' }), way);
    const dark = page.getByRole('radio', { name: 'Dark' });
    if (way === 'mouse') await dark.click();
    else {
      await arrowTo(page, page.getByRole('radio', { name: 'As the system' }), 'ArrowDown');
      await page.keyboard.press('ArrowDown');
    }
    assert.ok(await dark.isChecked());
    for (const tab of [page, other]) await tab.waitForFunction(() => document.documentElement.dataset.theme === 'dark');
    const language = page.getByLabel('Language');
    if (way === 'mouse') await language.selectOption('de');
    else {
      await tabTo(page, language);
      await page.keyboard.type('D');
    }
    await page.getByRole('heading', { name: 'Einstellungen', level: 1 }).waitFor();
    await other.getByRole('link', { name: 'Neue Unterhaltung' }).first().waitFor();
    await page.evaluate(() => localStorage.clear());
    await page.reload();
    await page.getByRole('heading', { name: 'Einstellungen', level: 1 }).waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.lang), 'de');
    await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark');
    await finish(all);
  });

  test(`settings: instructions for responses, and the use of memories, by ${way}`, async () => {
    const all = await member(`responses-${way}`);
    const { page, ask } = all;
    await page.goto(`${server.url}/settings/responses`);
    await write(page, page.getByLabel('Instructions for every response'), 'Use metric units.', way);
    await activate(page, page.getByRole('main').getByRole('button', { name: 'Save' }), way);
    await page.getByText('Saved').waitFor();
    assert.equal((await ask('GET', '/api/users/me')).custom_prompt, 'Use metric units.');
    const preference = async name => (await ask('GET', '/api/users/me')).preferences[name];
    // The second choice is made while the account is read again after the first one.
    let release;
    const held = new Promise(done => (release = done));
    await page.route('**/api/users/me', route => held.then(() => route.continue()), { times: 1 });
    await activate(page, page.getByLabel('Use memories in responses'), way, 'Space');
    await until(async () => (await preference('use_memories')) === false, 'memories are not used');
    await activate(page, page.getByLabel('Let models add memories'), way, 'Space');
    release();
    await until(async () => (await preference('make_memories')) === true, 'models may add memories');
    await page.goto(`${server.url}/memories`);
    await activate(page, page.getByRole('button', { name: 'Turn on' }), way);
    await until(async () => (await preference('use_memories')) === true, 'memories are used');
    await finish(all);
  });

  test(`settings: the password, and the end of all sessions, by ${way}`, async () => {
    const all = await member(`security-${way}`);
    const { ada, page, other } = all;
    await page.goto(`${server.url}/settings/security`);
    await write(page, page.getByLabel('Current password'), 'not the password', way);
    await write(page, page.getByLabel('New password'), 'an even longer password', way);
    const change = page.getByRole('button', { name: 'Change the password' });
    await activate(page, change, way);
    await page.getByRole('main').getByText(/password/i).filter({ hasText: /wrong|not|match/i }).first().waitFor();
    await write(page, page.getByLabel('Current password'), ada.password, way);
    await activate(page, change, way);
    await page.getByText('The password is changed.').waitFor();
    await activate(page, page.getByRole('button', { name: 'Sign out everywhere' }), way);
    await page.waitForURL('**/login**');
    await other.waitForURL('**/login**');
    await pageOf(browser, server, { ...ada, password: 'an even longer password' }).then(again => again.context().close());
    await finish(all);
  });

  test(`settings: a token needs a scope, is shown once, answers requests, and can be revoked, by ${way}`, async () => {
    const all = await member(`tokens-${way}`);
    const { page } = all;
    await page.goto(`${server.url}/settings/tokens`);
    await write(page, page.getByLabel('Name of the token'), 'editor', way);
    const scope = page.getByRole('checkbox', { name: /^llm:use/ });
    const create = page.getByRole('button', { name: 'Create a token' });
    await activate(page, scope, way, 'Space');
    if (way === 'mouse') await create.click({ force: true });
    else await activate(page, create, way);
    await page.getByRole('status').getByText('Choose at least one scope.').waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    if (way === 'mouse') await scope.click();
    else {
      await tabTo(page, scope);
      await page.keyboard.press('Space');
    }
    await activate(page, create, way);
    const token = await page.getByRole('status').getByText(/^und_/).innerText();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await activate(page, page.getByRole('status').getByRole('button', { name: 'Copy' }), way);
    await page.getByRole('status').getByRole('button', { name: 'Copied' }).waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), token);
    const ask = () => fetch(`${server.api}/api/chat/partner_compatible/v1/models`, { headers: { authorization: `Bearer ${token}` } });
    assert.equal((await ask()).status, 200);
    await activate(page, page.getByRole('button', { name: 'Revoke' }), way);
    await page.getByRole('cell', { name: 'Revoked' }).waitFor();
    assert.equal((await ask()).status, 401);
    await finish(all);
  });

  test(`memories: add, edit, delete and undo, also in the other tab, by ${way}`, async () => {
    const all = await member(`memories-${way}`);
    const { page, other, ask } = all;
    for (const tab of [page, other]) {
      await tab.goto(`${server.url}/memories`);
      await tab.getByText('No memories yet').waitFor();
    }
    const entry = (tab, text) => tab.getByRole('main').getByRole('listitem').filter({ hasText: text });
    await write(page, page.getByLabel('Add a memory'), 'I sail at dawn.', way);
    await activate(page, page.getByRole('button', { name: 'Add', exact: true }), way);
    for (const tab of [page, other]) await entry(tab, 'I sail at dawn.').waitFor();
    await activate(page, entry(page, 'I sail at dawn.').getByRole('button', { name: 'Edit' }), way);
    await write(page, page.getByLabel('Memory', { exact: true }), 'I sail at dusk.', way);
    await activate(page, page.getByRole('button', { name: 'Save' }), way);
    for (const tab of [page, other]) await entry(tab, 'I sail at dusk.').waitFor();
    await activate(page, entry(page, 'I sail at dusk.').getByRole('button', { name: 'Delete' }), way);
    for (const tab of [page, other]) await entry(tab, 'I sail at dusk.').waitFor({ state: 'detached' });
    assert.equal((await ask('GET', '/api/memories')).items.length, 0);
    await activate(page, page.getByRole('button', { name: 'Undo' }), way);
    for (const tab of [page, other]) await entry(tab, 'I sail at dusk.').waitFor();
    await finish(all);
  });
}

test('settings: the theme chosen in the palette is stored in the account', async () => {
  const all = await member('palette');
  const { page } = all;
  await page.goto(server.url);
  await page.getByLabel('Message', { exact: true }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Commands' }).fill('dark');
  const saved = page.waitForResponse(response => response.url().endsWith('/api/users/preferences'));
  await page.keyboard.press('Enter');
  await saved;
  await page.evaluate(() => localStorage.clear());
  await page.reload();
  await page.getByLabel('Message', { exact: true }).waitFor();
  await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark');
  await finish(all);
});
