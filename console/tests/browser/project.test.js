import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { activate, tabTo, WAYS, write } from '../hands.js';
import { launch, openBehind, openPage, Server, signIn, until } from '../harness.js';
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

test('project: a conversation is shared, and the reader learns in one click why they cannot write', async () => {
  const page = await openPage(await browser.newContext(), server);
  await signIn(page, server);
  const reader = await pageOf(browser, server, await addMember(server, 'ada'));

  await page.getByRole('button', { name: 'New project' }).click();
  await page.getByLabel('Name of the project').fill('Harbour handbook');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Harbour handbook', level: 1 }).waitFor();
  const project = page.url();
  await page.getByRole('button', { name: 'Share' }).click();
  await page.getByLabel('Add a person').fill('ada');
  await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByLabel('Right of ada').waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('Shared with 1 person').waitFor();
  await page.getByRole('main').getByRole('link', { name: 'New conversation' }).click();
  await page.getByLabel('Message', { exact: true }).fill('Rules for guests');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Write the response again' }).waitFor();

  await reader.goto(project);
  await reader.getByRole('main').getByRole('link', { name: /Rules for guests/ }).click();
  await reader.getByRole('article', { name: 'Response' }).waitFor();
  await reader.getByText('You may read this conversation, but not write in it.').waitFor();
  await reader.getByRole('button', { name: 'Why?' }).click();
  const reasons = reader.getByRole('dialog');
  await reasons.getByText('Not met').first().waitFor();
  await reader.keyboard.press('Escape');
  // Continuing is possible in a conversation of the reader's own, by keyboard here.
  const shared = reader.url();
  await reader.getByRole('button', { name: 'Continue in a conversation of your own' }).press('Enter');
  await reader.getByLabel('Message', { exact: true }).waitFor();
  assert.notEqual(reader.url(), shared);
  await reader.getByRole('article', { name: 'You' }).getByText('Rules for guests').waitFor();
  await reader.getByLabel('Message', { exact: true }).fill('And for crews?');
  await reader.keyboard.press('Enter');
  await reader.getByRole('article', { name: 'Response' }).nth(1).getByText('See the tables of your harbour.').waitFor();
  await reader.getByRole('navigation').getByRole('link', { name: 'Rules for guests' }).waitFor();
  await page.getByText('And for crews?').waitFor({ state: 'detached' });
  await reader.goto(project);
  // The button is disabled for assistive technology, and explains itself when it is pressed.
  await reader.getByRole('button', { name: 'Edit the project' }).press('Enter');
  await reasons.getByText('Not met').first().waitFor();
  assert.deepEqual([...page.faults, ...reader.faults], []);
});

for (const way of WAYS) {
  test(`project: create, edit, add, change and remove a member, delete, in all tabs, by ${way}`, async () => {
    const owner = await addMember(server, `owner-${way}`);
    const guest = await addMember(server, `guest-${way}`);
    const ask = await clientOf(server, owner);
    const page = await pageOf(browser, server, owner);
    await page.goto(server.url);
    const other = await openBehind(page, server);
    await other.getByLabel('Message', { exact: true }).waitFor();
    const inList = (tab, name) => tab.getByRole('navigation').getByRole('link', { name, exact: true });

    await activate(page, page.getByRole('button', { name: 'New project' }), way);
    await write(page, page.getByLabel('Name of the project'), `Lighthouse ${way}`, way);
    await activate(page, page.getByRole('dialog').getByRole('button', { name: 'Create' }), way);
    await page.getByRole('heading', { name: `Lighthouse ${way}`, level: 1 }).waitFor();
    const id = new URL(page.url()).pathname.split('/').at(-1);
    await inList(other, `Lighthouse ${way}`).waitFor();
    await other.bringToFront();
    await activate(other, inList(other, `Lighthouse ${way}`), way);
    await other.getByRole('heading', { name: `Lighthouse ${way}`, level: 1 }).waitFor();
    await page.bringToFront();

    await activate(page, page.getByRole('button', { name: 'Edit the project' }), way);
    await write(page, page.getByLabel('Name of the project'), `Beacon ${way}`, way);
    await write(page, page.getByLabel('Instructions'), 'Cite the tide tables.', way);
    await activate(page, page.getByRole('dialog').getByRole('button', { name: 'Save' }), way);
    for (const tab of [page, other]) {
      await inList(tab, `Beacon ${way}`).waitFor();
      await tab.getByRole('heading', { name: `Beacon ${way}`, level: 1 }).waitFor();
      await tab.getByText('Cite the tide tables.').waitFor();
    }

    const members = async () => (await ask('GET', `/api/projects/${id}/members`)).items;
    await activate(page, page.getByRole('button', { name: 'Share' }), way);
    await write(page, page.getByLabel('Add a person'), guest.name, way);
    await activate(page, page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }), way);
    const level = page.getByLabel(`Right of ${guest.name}`);
    await level.waitFor();
    if (way === 'mouse') await level.selectOption('editor');
    else {
      await tabTo(page, level);
      await page.keyboard.press('ArrowDown');
    }
    await until(async () => (await members()).some(member => member.id === guest.id && member.level === 'editor'), 'the guest may edit');
    await activate(page, page.getByRole('button', { name: `Remove ${guest.name}` }), way);
    await level.waitFor({ state: 'detached' });
    assert.equal((await members()).length, 1);
    await page.keyboard.press('Escape');

    await activate(page, page.getByRole('button', { name: 'Edit the project' }), way);
    const remove = page.getByRole('dialog').getByRole('button', { name: 'Delete the project' });
    await activate(page, remove, way);
    await page.getByText('Its conversations stay, without a project.').waitFor();
    await activate(page, remove, way);
    await page.getByText('Project deleted').waitFor();
    for (const tab of [page, other]) await inList(tab, `Beacon ${way}`).waitFor({ state: 'detached' });
    assert.deepEqual([...page.faults, ...other.faults], []);
    await page.context().close();
  });

  test(`project: a member can leave, by ${way}`, async () => {
    const admin = await server.admin();
    const guest = await addMember(server, `leaver-${way}`);
    const { id } = await admin('POST', '/api/projects', { name: `Crew ${way}` });
    await admin('POST', `/api/projects/${id}/members`, { members: [{ kind: 'user', id: guest.id, level: 'viewer' }] });
    const page = await pageOf(browser, server, guest);
    await page.goto(`${server.url}/projects/${id}`);
    await activate(page, page.getByRole('button', { name: 'Share' }), way);
    await activate(page, page.getByRole('dialog').getByRole('button', { name: 'Leave the project' }), way);
    await page.waitForURL(url => url.pathname === '/');
    await page.getByRole('navigation').getByRole('link', { name: `Crew ${way}` }).waitFor({ state: 'detached' });
    assert.deepEqual(page.faults, []);
    await page.context().close();
  });
}
