// The console at the width of a phone, where a finger is the pointer and the keyboard is a part of the screen.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, openPage, Server, signIn, until } from '../harness.js';
import { addSamples } from '../sample.js';

let server;
let browser;
let page;
let sample;

before(async () => {
  [server, browser] = await Promise.all([Server.start(), launch()]);
  sample = await addSamples(await server.admin());
  page = await openPage(await browser.newContext({ viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true, reducedMotion: 'reduce' }), server);
  await signIn(page, server);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const field = () => page.getByLabel('Message', { exact: true });
const newConversation = () => page.getByRole('link', { name: 'New conversation' });

test('phone: Enter begins a line, in a message and in one that is edited; a button sends', async () => {
  await page.goto(server.url);
  await field().tap();
  await page.keyboard.type('Two lines:');
  await page.keyboard.press('Enter');
  await page.keyboard.type('this is the second');
  assert.equal(await field().inputValue(), 'Two lines:\nthis is the second');
  await page.getByRole('button', { name: 'Send' }).tap();
  await page.getByRole('article', { name: 'Response' }).getByText('See the tables of your harbour.').waitFor();

  await page.getByRole('button', { name: 'Edit', exact: true }).tap();
  const editor = page.getByLabel('Edit the message');
  await editor.press('Enter');
  await page.keyboard.type('and a third');
  assert.equal(await editor.inputValue(), 'Two lines:\nthis is the second\nand a third');
  // With a keyboard that is not a part of the screen.
  await editor.press('Control+Enter');
  await page.getByRole('button', { name: 'Version 2 of 2. Compare the versions' }).waitFor();
  assert.deepEqual(page.faults, []);
});

test('phone: a conversation leads to a new one without the navigation', async () => {
  await page.goto(`${server.url}/conversations/${sample.conversation}`);
  await page.getByText('Tomorrow at noon, the').waitFor();
  await newConversation().tap();
  await page.waitForURL(url => url.pathname === '/');
  await field().waitFor();
  assert.equal(await newConversation().count(), 0);
  assert.deepEqual(page.faults, []);
});

test('phone: a dot at the navigation tells that something is unread', async () => {
  const admin = await server.admin();
  await page.goto(`${server.url}/conversations/${sample.conversation}`);
  const opener = page.getByRole('button', { name: 'Open the navigation' });
  const dot = () => opener.evaluate(element => getComputedStyle(element.parentElement, '::after').content);
  await opener.waitFor();
  await admin('PUT', '/api/notifications/read-all');
  await until(async () => (await dot()) === 'none', 'everything is read');
  await admin('POST', '/api/notifications/send', { everyone: true, type: 'message', severity: 'info', title: 'Storm', body: '' });
  await until(async () => (await dot()) === '""', 'the dot is there');
  // The title has its room.
  assert.ok((await page.getByRole('heading', { level: 1 }).boundingBox()).width >= 120);
  await opener.tap();
  await page.getByRole('link', { name: '1 unread notification' }).waitFor();
  await page.keyboard.press('Escape');
});

test('phone: the actions of a response are in one line, its versions above them', async () => {
  await page.goto(`${server.url}/conversations/${sample.conversation}`);
  const response = page.getByRole('article', { name: 'Response' }).filter({ has: page.getByRole('button', { name: /Version 2 of 2/ }) });
  await response.getByRole('button', { name: 'Cost and tokens' }).scrollIntoViewIfNeeded();
  const tops = await Promise.all(['Copy', 'Write the response again', 'Answer with another model', 'Good response', 'Bad response', 'Cost and tokens'].map(async name => (await response.getByRole('group').getByRole('button', { name }).boundingBox()).y));
  assert.equal(new Set(tops).size, 1, tops.join(', '));
  assert.ok((await response.getByRole('button', { name: /Version 2 of 2/ }).boundingBox()).y < tops[0]);
  assert.deepEqual(page.faults, []);
});
