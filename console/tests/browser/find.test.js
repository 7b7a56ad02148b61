import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { until } from '../harness.js';
import { address, admin, isAtTop, long, server, signedIn, start, stop } from '../long.js';

before(() => start());
after(stop);

test('search: a result shows its match, and opens the conversation at the message', async () => {
  const page = await signedIn();
  const navigation = page.getByRole('navigation');
  await navigation.getByRole('button', { name: 'Search conversations' }).click();
  await page.keyboard.type('Answer 4321');
  const result = navigation.getByRole('link', { name: /10000 messages.*Answer 4321/ });
  await result.waitFor();
  assert.deepEqual(await result.locator('mark').allInnerTexts(), ['Answer', '4321.']);
  await result.click();
  await isAtTop(page, long.messages[4321]);
  assert.equal(new URL(page.url()).searchParams.get('m'), long.messages[4321].id);
  // Another result of the same conversation, by keyboard.
  await navigation.getByRole('searchbox').fill('Question 8000');
  await navigation.getByRole('link', { name: /Question 8000/ }).waitFor();
  await navigation.getByRole('searchbox').press('ArrowDown');
  await page.keyboard.press('Enter');
  await isAtTop(page, long.messages[8000]);
  await page.goBack();
  await isAtTop(page, long.messages[4321]);
  assert.deepEqual(page.faults, []);
});

test('search: markup in a message is shown as text', async () => {
  const { id } = await admin('POST', '/api/conversations', { title: 'Lights' });
  await admin('PUT', `/api/conversations/${id}/payload`, { messages: [{ id: crypto.randomUUID(), role: 'user', content: '<b>lighthouse</b> <img src=x onerror=alert(1)>' }] });
  const page = await signedIn();
  const navigation = page.getByRole('navigation');
  await navigation.getByRole('button', { name: 'Search conversations' }).click();
  await page.keyboard.type('lighthouse');
  const result = navigation.getByRole('link', { name: /Lights/ });
  await result.getByText('<b>lighthouse</b> <img src=x onerror=alert(1)>').waitFor();
  assert.deepEqual([await result.locator('mark').allInnerTexts(), await result.locator('b, img').count()], [['lighthouse'], 0]);
  assert.deepEqual(page.faults, []);
});

test('find: messages that are not loaded are found, in the order of the conversation', async () => {
  const page = await signedIn();
  await page.goto(address(long));
  await page.getByText('Answer 9999.').waitFor();
  await page.keyboard.press('Control+f');
  const bar = page.getByRole('search');
  await page.keyboard.type('Answer 7777');
  await bar.getByText('1 of 1').waitFor();
  await isAtTop(page, long.messages[7777]);
  await until(() => page.evaluate(() => CSS.highlights.get('found')?.size > 0), 'the match is marked');
  await bar.getByRole('searchbox').fill('Question 102');
  await bar.getByText('1 of 1').waitFor();
  await isAtTop(page, long.messages[102]);
  await bar.getByRole('searchbox').fill('zebra');
  await bar.getByText('0 of 0').waitFor();
  await page.keyboard.press('Escape');
  await bar.waitFor({ state: 'hidden' });
  assert.deepEqual(page.faults, []);
});
