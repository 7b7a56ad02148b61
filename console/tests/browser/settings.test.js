import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, openPage, Server, signIn } from '../harness.js';

let server;
let browser;
let page;

before(async () => {
  server = await Server.start();
  browser = await launch();
  page = await openPage(await browser.newContext({ colorScheme: 'light' }), server);
  await signIn(page, server);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

test('settings: the theme chosen in the palette is stored in the account', async () => {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Commands' }).fill('dark');
  const saved = page.waitForResponse(response => response.url().endsWith('/api/users/preferences'));
  await page.keyboard.press('Enter');
  await saved;
  await page.evaluate(() => localStorage.clear());
  await page.reload();
  await page.getByLabel('Message', { exact: true }).waitFor();
  await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark');
});

test('settings: a token is shown once, answers requests, and can be revoked', async () => {
  await page.goto(`${server.url}/settings/tokens`);
  await page.getByLabel('Name of the token').fill('editor');
  await page.getByRole('button', { name: 'Create a token' }).click();
  const token = await page.getByRole('status').getByText(/^und_/).innerText();
  const ask = () => fetch(`${server.api}/api/chat/partner_compatible/v1/models`, { headers: { authorization: `Bearer ${token}` } });
  assert.equal((await ask()).status, 200);
  await page.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('cell', { name: 'Revoked' }).waitFor();
  assert.equal((await ask()).status, 401);
});

test('settings: the language changes at once, and stays', async () => {
  await page.goto(`${server.url}/settings/look`);
  await page.getByLabel('Language').selectOption('de');
  await page.getByRole('heading', { name: 'Einstellungen', level: 1 }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Einstellungen', level: 1 }).waitFor();
  assert.equal(await page.evaluate(() => document.documentElement.lang), 'de');
  assert.deepEqual(page.faults, []);
});
