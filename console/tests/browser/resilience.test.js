// What happens to pages when the server, the network, the computer or the session fails them.

import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { launch, openPage, Server, signIn, until } from '../harness.js';

let server;
let browser;
let context;

before(async () => {
  server = await Server.start();
  browser = await launch();
});
afterEach(() => context?.close());
after(async () => {
  await browser?.close();
  await server?.stop();
});

const field = page => page.getByLabel('Message', { exact: true });
const lastResponse = page => page.getByRole('article', { name: 'Response' }).last();
const offline = page => page.getByText('No connection to the server');
const complete = page => page.getByRole('button', { name: 'Write the response again' }).waitFor();

async function shows(page, text) {
  const shown = async () => (await lastResponse(page).locator('.prose').allInnerTexts().catch(() => [])).join('').replace(/\s+/g, ' ').trim();
  await until(async () => (await shown()) === text, `the page shows ${JSON.stringify(text)}`);
}

/** A page in which an answer has begun, which the test writes. */
async function withAnswer(text) {
  context = await browser.newContext();
  const page = await openPage(context, server);
  await signIn(page, server);
  const taken = server.provider.next();
  await field(page).fill('manual: go on');
  await page.keyboard.press('Enter');
  const answer = await taken;
  answer.write(text);
  await shows(page, text.trim());
  return { page, answer };
}

async function openedTwice(page) {
  const other = await openPage(context, server);
  await other.goto(page.url());
  return other;
}

test('server killed and started again: an answer goes on in three tabs', async () => {
  const { page } = await withAnswer('Before. ');
  const tabs = [page, await openedTwice(page), await openedTwice(page)];
  for (const tab of tabs) await shows(tab, 'Before.');
  await server.kill();
  for (const tab of tabs) await offline(tab).waitFor();
  const continued = server.provider.next();
  await server.run();
  const next = await continued;
  next.write('After.');
  for (const tab of tabs) await shows(tab, 'Before. After.');
  next.end();
  for (const tab of tabs) {
    await complete(tab);
    await offline(tab).waitFor({ state: 'hidden' });
    assert.deepEqual(tab.faults, []);
  }
});

test('server killed twice within an answer, once while a page is loaded: the page shows the whole answer', async () => {
  const { page } = await withAnswer('One. ');
  for (const text of ['One. Two.', 'One. Two. Three.']) {
    const continued = server.provider.next();
    await server.kill();
    await server.run();
    const next = await continued;
    await page.reload();
    next.write(`${text.split(' ').at(-1)} `);
    await shows(page, text);
    if (text.endsWith('Three.')) next.end();
  }
  await complete(page);
  assert.deepEqual(page.faults, []);
});

test('network lost and found again: the page tells, and then shows what was written in between', async () => {
  const { page, answer } = await withAnswer('Before. ');
  await context.setOffline(true);
  await offline(page).waitFor();
  answer.write('In between. ');
  await field(page).fill('a draft');
  await context.setOffline(false);
  await offline(page).waitFor({ state: 'hidden' });
  await shows(page, 'Before. In between.');
  answer.write('After.');
  await shows(page, 'Before. In between. After.');
  answer.end();
  await complete(page);
  assert.equal(await field(page).inputValue(), 'a draft');
});

test('network lost while a page is loaded: a part that is missing can be loaded later', async () => {
  const { page, answer } = await withAnswer('Text.');
  answer.end();
  await complete(page);
  await context.setOffline(true);
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Settings' }).click();
  await page.getByText('The server cannot be reached').waitFor();
  await context.setOffline(false);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
});

test('page frozen while the server restarts: it continues when it wakes up', async () => {
  const { page } = await withAnswer('Before. ');
  const devtools = await context.newCDPSession(page);
  await devtools.send('Page.setWebLifecycleState', { state: 'frozen' });
  const continued = server.provider.next();
  await server.kill();
  await server.run();
  const next = await continued;
  next.write('While asleep. ');
  await devtools.send('Page.setWebLifecycleState', { state: 'active' });
  await shows(page, 'Before. While asleep.');
  next.write('After.');
  await shows(page, 'Before. While asleep. After.');
  next.end();
  await complete(page);
  assert.deepEqual(page.faults, []);
});

test('session ended elsewhere during an answer: the sign-in leads back to the answer, which has gone on', async () => {
  const { page, answer } = await withAnswer('Before. ');
  const address = page.url();
  const admin = await server.admin();
  await admin('POST', '/api/auth/logout/', { all: true });
  await page.waitForURL('**/login?next=*');
  answer.write('Unseen. ');
  await page.getByLabel('E-mail address').fill('admin@localhost');
  await page.getByLabel('Password', { exact: true }).fill(server.password);
  await page.keyboard.press('Enter');
  await page.waitForURL(address);
  await shows(page, 'Before. Unseen.');
  answer.write('After.');
  await shows(page, 'Before. Unseen. After.');
  answer.end();
  await complete(page);
  assert.deepEqual(page.faults, []);
});

test('access token expired in two tabs at once: no renewal is refused, and both go on', async () => {
  const { page } = await withAnswer('Before. ');
  const other = await openedTwice(page);
  await shows(other, 'Before.');
  const renewals = [];
  context.on('response', response => response.url().includes('/api/auth/refresh') && renewals.push(response.status()));
  // As browsers remove a cookie that has expired. The connection is lost in the same moment.
  await context.clearCookies({ name: 'understudy_access' });
  const continued = server.provider.next();
  await server.kill();
  await server.run();
  const next = await continued;
  next.write('After.');
  for (const tab of [page, other]) await shows(tab, 'Before. After.');
  next.end();
  for (const tab of [page, other]) await complete(tab);
  assert.ok(renewals.length > 0 && renewals.every(status => status === 200), renewals.join());
  await other.reload();
  await shows(other, 'Before. After.');
});

test('server updated: a page of the former version offers to reload', async () => {
  const { page, answer } = await withAnswer('Text.');
  answer.end();
  await complete(page);
  // Requests for files of this version get what a server of another version responds.
  await context.route('**/console/*/*', route => route.continue({ url: route.request().url().replace(/\/console\/\w+\//, '/console/0123456789abcdef/') }));
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Settings' }).click();
  await page.getByRole('status').getByText('The server has been updated').waitFor();
  await page.goBack();
  await field(page).fill('a draft');
  await context.unroute('**/console/*/*');
  await page.getByRole('button', { name: 'Reload' }).click();
  await field(page).waitFor();
  assert.equal(await field(page).inputValue(), 'a draft');
  await page.getByText('The server has been updated').waitFor({ state: 'hidden' });
});

test('server updated: a page that was connected notices it when it connects again', async () => {
  const { page } = await withAnswer('Before. ');
  await context.route('**/console/*/*', route => route.continue({ url: route.request().url().replace(/\/console\/\w+\//, '/console/0123456789abcdef/') }));
  const continued = server.provider.next();
  await server.kill();
  await server.run();
  (await continued).write('After.');
  await page.getByRole('status').getByText('The server has been updated').waitFor();
  await shows(page, 'Before. After.');
});

test('conversation deleted elsewhere: the page that shows it says so', async () => {
  const { page, answer } = await withAnswer('Text.');
  answer.end();
  await complete(page);
  const admin = await server.admin();
  await admin('DELETE', `/api${new URL(page.url()).pathname}`);
  await page.getByText('There is nothing at this address').waitFor();
});
