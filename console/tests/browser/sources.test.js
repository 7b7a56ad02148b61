import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, openPage, Server, signIn, until } from '../harness.js';
import { addKnowledge } from '../knowledge.js';

let server;
let browser;
let admin;
let library;

before(async () => {
  server = await Server.start();
  browser = await launch();
  admin = await server.admin();
  library = await addKnowledge(admin);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const pane = page => page.getByRole('complementary', { name: 'Sources' });
const response = page => page.getByRole('article', { name: 'Response' }).last();
const numberOf = (request, text) => /^\[?(\d+)/.exec(request.messages.flatMap(({ content }) => [content].flat()).map(part => part.text ?? part).filter(text => typeof text === 'string').join('\n').split(/(?=\[\d+\])/).find(part => part.includes(text)) ?? '')?.[1];

/** Asks the assistant a question, and answers it with a citation of the passage that contains a text. */
async function ask(page, question, passage) {
  await page.goto(`${server.url}/?assistant=${library.assistant}`);
  const taken = server.provider.next();
  await page.getByLabel('Message', { exact: true }).fill(`manual: ${question}`);
  await page.keyboard.press('Enter');
  const answer = await taken;
  const number = numberOf(answer.request, passage);
  assert.ok(number, `the model receives the passage: ${JSON.stringify(answer.request.messages)}`);
  answer.write(`As the library says [${number}].`);
  answer.end();
  await response(page).getByRole('button', { name: 'Write the response again' }).waitFor();
  return number;
}

async function signedIn(viewport = { width: 1280, height: 600 }) {
  const page = await openPage(await browser.newContext({ viewport }), server);
  await signIn(page, server);
  return page;
}

/** Whether an element can be seen in the pane. */
const isInView = (page, locator) => locator.evaluate(element => {
  const [box, frame] = [element.getBoundingClientRect(), element.closest('aside').getBoundingClientRect()];
  return box.top >= frame.top && box.top < frame.bottom;
});

test('source: a citation of a PDF opens its page with the passage highlighted, by mouse and by keyboard', async () => {
  const page = await signedIn();
  const number = await ask(page, 'What is the range of the tide in Bergen?', 'mean range');
  const citation = response(page).locator('.prose').getByRole('button', { name: `Source ${number}`, exact: true });
  await citation.click();
  await pane(page).getByRole('heading', { name: 'handbook.pdf' }).waitFor();
  await pane(page).getByText('Page 2').waitFor();
  const mark = pane(page).locator('mark');
  await mark.getByText('In Bergen the mean range of the tide is 0.9 metres').waitFor();
  // The page is shown as a whole, and other pages are not.
  assert.equal(await pane(page).getByText('winds the clockwork').count(), 0);
  await page.keyboard.press('Escape');
  await pane(page).waitFor({ state: 'hidden' });

  await page.reload();
  await citation.press('Enter');
  await mark.getByText('In Bergen the mean range').waitFor();
  assert.equal(await pane(page).evaluate(element => element.contains(document.activeElement)), true);
  await page.keyboard.press('Escape');
  await pane(page).waitFor({ state: 'hidden' });
  assert.equal(await citation.evaluate(element => element === document.activeElement), true);
  assert.deepEqual(page.faults, []);
});

test('source: a passage in the middle of a long text is scrolled into view, below its headings', async () => {
  const page = await signedIn();
  const number = await ask(page, 'Where are the highest tides in the world?', 'highest tides in the world');
  const chip = response(page).getByRole('list', { name: 'Sources' }).getByRole('button', { name: new RegExp(`^${number} ?fundy.md`) });
  await chip.press('Enter');
  await pane(page).getByText('Bay of Fundy › Tidal range').waitFor();
  const mark = pane(page).locator('mark');
  await mark.getByText('The highest tides in the world are in the Bay of Fundy').waitFor();
  await until(() => isInView(page, mark), 'the passage is in view');
  await pane(page).getByRole('button', { name: 'Back' }).press('Enter');
  const sources = pane(page).getByRole('listitem');
  await sources.first().waitFor();
  assert.ok((await sources.count()) > 1);
  await sources.filter({ hasText: 'The highest tides in the world' }).getByRole('button').click();
  await mark.waitFor();
  await pane(page).getByRole('button', { name: 'Close' }).click();
  await pane(page).waitFor({ state: 'hidden' });
  assert.deepEqual(page.faults, []);
});

test('source: on a phone, the pane covers the conversation and closes again', async () => {
  const page = await signedIn({ width: 360, height: 640 });
  const number = await ask(page, 'What is the range of the tide in Bergen?', 'mean range');
  await response(page).locator('.prose').getByRole('button', { name: `Source ${number}`, exact: true }).click();
  await pane(page).locator('mark').waitFor();
  const box = await pane(page).boundingBox();
  assert.equal(box.width, 360);
  await pane(page).getByRole('button', { name: 'Close' }).click();
  await pane(page).waitFor({ state: 'hidden' });
});

test('source: the passage stays readable when its document is deleted, with the reason', async () => {
  const page = await signedIn();
  const number = await ask(page, 'How often does the keeper wind the clockwork of the lighthouse?', 'winds the clockwork');
  await admin('DELETE', `/api/knowledge-bases/${library.base}/files/${library.handbook}`);
  await response(page).locator('.prose').getByRole('button', { name: `Source ${number}`, exact: true }).click();
  await pane(page).getByText('The keeper winds the clockwork').waitFor();
  await pane(page).getByRole('alert').waitFor();
  await pane(page).getByRole('button', { name: 'Why?' }).press('Enter');
  await page.getByRole('dialog', { name: 'The rules for this action' }).waitFor();
  assert.deepEqual(page.faults, []);
});
