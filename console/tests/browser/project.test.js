import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, openPage, Server, signIn } from '../harness.js';

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

/** Signs in as a new member of the tenant. */
async function newMember(name) {
  const admin = await server.admin();
  const { items } = await admin('POST', '/api/tenant-admin/invitations', { emails: [`${name}@example.org`], role: 'user' });
  const page = await openPage(await browser.newContext(), server);
  await page.goto(`${server.url}/join${new URL(items[0].link).hash}`);
  await page.getByLabel('Your name').fill(name);
  await page.getByLabel('New password').fill(`a-password-for-${name}`);
  await page.getByRole('button', { name: 'Join' }).click();
  await page.getByLabel('Message', { exact: true }).waitFor();
  return page;
}

test('project: a conversation is shared, and the reader learns in one click why they cannot write', async () => {
  const page = await openPage(await browser.newContext(), server);
  await signIn(page, server);
  const reader = await newMember('ada');

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
