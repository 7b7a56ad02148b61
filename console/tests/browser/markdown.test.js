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

const response = page => page.getByRole('article', { name: 'Response' }).last();

async function answered(page, text) {
  const taken = server.provider.next();
  await page.getByLabel('Message', { exact: true }).fill('manual: write');
  await page.keyboard.press('Enter');
  const answer = await taken;
  answer.write(text);
  answer.end();
  await page.getByRole('button', { name: 'Write the response again' }).last().waitFor();
}

async function signedIn(options = {}) {
  const page = await openPage(await browser.newContext(options), server);
  await signIn(page, server);
  return page;
}

const focused = page => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));

test('footnotes: a reference leads to its footnote and back, by mouse and by keyboard', async () => {
  const page = await signedIn();
  await answered(page, 'High tide[^1] and low tide[^low].\n\n[^1]: At *noon*.\n[^low]: At six.\n');
  const address = page.url();
  await response(page).getByRole('button', { name: 'Footnote 1', exact: true }).click();
  assert.equal(await focused(page), 'Footnote 1');
  await response(page).getByRole('note', { name: 'Footnote 1' }).getByText('At noon.').waitFor();
  await response(page).getByRole('button', { name: 'Back to the reference of footnote 1' }).click();
  await response(page).getByRole('button', { name: 'Footnote low', exact: true }).press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('role')), 'note');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  assert.deepEqual([await focused(page), await page.evaluate(() => document.activeElement.tagName)], ['Footnote low', 'BUTTON']);
  assert.equal(page.url(), address);
  assert.deepEqual(page.faults, []);
});

test('images: those of other hosts are not loaded, but can be opened; those in the text are shown', async () => {
  const page = await signedIn();
  await answered(page, '![a map](https://example.org/map.png)\n\n![a dot](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==)\n');
  const link = response(page).getByRole('link', { name: 'Open the image “a map” from example.org' });
  assert.equal(await link.getAttribute('href'), 'https://example.org/map.png');
  assert.match(await link.getAttribute('rel'), /noopener noreferrer/);
  assert.equal(await response(page).getByRole('img', { name: 'a dot' }).evaluate(image => image.naturalWidth), 1);
  // A request to another host would be a fault.
  assert.deepEqual(page.faults, []);
});

test('texts from right to left, wide tables and long words fit a phone', async () => {
  const page = await signedIn({ viewport: { width: 320, height: 640 } });
  const wide = Array.from({ length: 12 }, (_, at) => `column ${at}`).join(' | ');
  await answered(page, `يرتفع **المد** مرتين.\n\nHigh tide.\n\n| ${wide} |\n|${'---|'.repeat(12)}\n| ${wide} |\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n${'long'.repeat(100)}\n`);
  const directions = await response(page).locator('.prose p').evaluateAll(paragraphs => paragraphs.map(paragraph => getComputedStyle(paragraph).direction));
  assert.deepEqual(directions, ['rtl', 'ltr', 'ltr']);
  const tables = response(page).getByRole('group', { name: 'Table' });
  assert.deepEqual(await tables.evaluateAll(all => all.map(table => table.scrollWidth > table.clientWidth)), [true, false]);
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0);
  await tables.first().focus();
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction(() => document.querySelector('.table').scrollLeft > 0);
  assert.deepEqual(page.faults, []);
});
