import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { until } from '../harness.js';
import { address, isAtTop, long, runCommand, signedIn, start, stop } from '../long.js';

before(() => start());
after(stop);

test('outline: a question is chosen by mouse', async () => {
  const page = await signedIn();
  let requests = 0;
  page.on('request', request => (requests += /\/outline\?/.test(request.url()) ? 1 : 0));
  await page.goto(address(long));
  await page.getByRole('button', { name: 'Outline' }).click();
  const dialog = page.getByRole('dialog', { name: 'Outline' });
  await dialog.getByText('5,000 questions').waitFor();
  // It opens at the question that is in the view.
  await dialog.getByRole('option', { name: 'Question 9998' }).waitFor();
  await dialog.getByRole('listbox').evaluate(element => element.scrollTo(0, 0));
  await dialog.getByRole('option', { name: /^Question 4 / }).click();
  assert.equal(requests, 2, 'the end, and the rest');
  await dialog.waitFor({ state: 'hidden' });
  await isAtTop(page, long.messages[4]);
  await page.getByRole('button', { name: 'Outline' }).click();
  // The whole outline is behind the scroll bar, not in the document.
  await until(() => dialog.getByRole('option', { name: /^Question 4 / }).getAttribute('aria-current'), 'the question in the view is marked');
  const elements = await page.evaluate(() => document.querySelectorAll('*').length);
  assert.ok(elements <= 1500, `${elements} elements`);
  assert.deepEqual(page.faults, []);
});

test('outline: a question is found and chosen by keyboard', async () => {
  const page = await signedIn();
  await page.goto(address(long));
  await page.getByText('Answer 9999.').waitFor();
  await runCommand(page, 'Outline');
  const dialog = page.getByRole('dialog', { name: 'Outline' });
  await dialog.getByText('5,000 questions').waitFor();
  await page.keyboard.type('question 1234');
  await dialog.getByText('1 of 5,000 questions').waitFor({ timeout: 90_000 });
  await dialog.getByRole('option', { name: 'Question 1234', selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await isAtTop(page, long.messages[1234]);
  assert.equal(await page.evaluate(() => document.activeElement.dataset.message), long.messages[1234].id);

  await runCommand(page, 'Outline');
  await dialog.getByRole('option', { name: 'Question 1234', selected: true }).waitFor({ timeout: 90_000 });
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await isAtTop(page, long.messages[1230]);
  assert.deepEqual(page.faults, []);
});
