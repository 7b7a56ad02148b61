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

async function freshPage(options = {}) {
  return openPage(await browser.newContext(options), server);
}

test('sign-in: a wrong password is refused with the reason, the right one opens the console', async () => {
  const page = await freshPage();
  await page.goto(server.url);
  await page.waitForURL('**/login');
  await page.getByLabel('E-mail address').fill('admin@localhost');
  await page.getByLabel('Password', { exact: true }).fill('not the password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').waitFor();
  assert.equal(await page.getByLabel('E-mail address').inputValue(), 'admin@localhost');
  await page.getByLabel('Password', { exact: true }).fill(server.password);
  await page.keyboard.press('Enter');
  await page.getByLabel('Message', { exact: true }).waitFor();
  assert.equal(new URL(page.url()).pathname, '/');
  assert.deepEqual(page.faults, []);
});

test('sign-in: a deep link is opened after it', async () => {
  const page = await freshPage();
  await page.goto(`${server.url}/memories`);
  await page.waitForURL('**/login?next=*');
  await page.getByLabel('E-mail address').fill('admin@localhost');
  await page.getByLabel('Password', { exact: true }).fill(server.password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Memories', level: 1 }).waitFor();
  assert.equal(new URL(page.url()).pathname, '/memories');
});

test('sign-in: the first start is explained, and a forgotten password without a mail server', async () => {
  const page = await freshPage();
  await page.goto(`${server.url}/login#email=admin@localhost`);
  assert.equal(await page.getByLabel('E-mail address').inputValue(), 'admin@localhost');
  await page.getByText('First start?').click();
  await page.getByText('understudy user password admin@localhost').waitFor();
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await page.getByLabel('E-mail address').fill('ada@example.org');
  await page.getByRole('button', { name: 'Send the link' }).click();
  await page.getByText('understudy user password ada@example.org').waitFor();
  assert.deepEqual(page.faults, []);
});

test('sign-out ends the session in all tabs', async () => {
  const context = await browser.newContext();
  const page = await openPage(context, server);
  await signIn(page, server);
  const other = await openPage(context, server);
  await other.goto(server.url);
  await other.getByLabel('Message', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.waitForURL('**/login');
  await other.waitForURL('**/login');
});

test('join: an invitation creates an account, and its secret leaves the address', async () => {
  const admin = await server.admin();
  const { items } = await admin('POST', '/api/tenant-admin/invitations', { emails: ['ada@example.org'], role: 'user', message: 'Welcome to the harbour.' });
  const page = await freshPage();
  await page.goto(`${server.url}/join#${new URL(items[0].link).hash.slice(1)}`);
  await page.getByText('Welcome to the harbour.').waitFor();
  assert.equal(new URL(page.url()).hash, '');
  await page.getByLabel('Your name').fill('Ada');
  await page.getByLabel('New password').fill('tides-of-bergen-1');
  await page.getByRole('button', { name: 'Join' }).click();
  await page.getByRole('heading', { name: /Ada/ }).waitFor();
  assert.deepEqual(page.faults, []);
});

test('join: a link that does not work says so', async () => {
  const page = await freshPage();
  await page.goto(`${server.url}/join#invitation=unl_nothing`);
  await page.getByRole('heading', { name: 'This link does not work' }).waitFor();
});
