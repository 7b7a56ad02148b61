import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, openPage, Server, signIn, until } from '../harness.js';

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

async function signedIn() {
  const context = await browser.newContext();
  const page = await openPage(context, server);
  await signIn(page, server);
  return page;
}

const field = page => page.getByLabel('Message', { exact: true });
const lastResponse = page => page.getByRole('article', { name: 'Response' }).last();

async function ask(page, question) {
  await field(page).fill(question);
  await page.keyboard.press('Enter');
}

/** The text of the last response as the page shows it, without white space. */
async function shown(page) {
  return (await lastResponse(page).locator('.prose').allInnerTexts()).join('').replace(/\s+/g, ' ').trim();
}

/** Numbers from 0 to 1 that a seed determines. */
function seeded() {
  let state = Number(process.env.UNDERSTUDY_SEED ?? 20261127) >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

test('chat: a question is answered, and the list of conversations names it', async () => {
  const page = await signedIn();
  await ask(page, 'How do tides work?');
  await lastResponse(page).getByText('See the tables of your harbour.').waitFor();
  await page.getByRole('navigation').getByRole('link', { name: 'How do tides work?' }).waitFor();
  assert.match(page.url(), /\/conversations\/[0-9a-f-]{36}$/);
  assert.deepEqual(page.faults, []);
});

test('chat: reloads at 50 moments of a response show exactly what was written', async () => {
  const page = await signedIn();
  const taken = server.provider.next();
  await ask(page, 'manual: count');
  const answer = await taken;
  // The provider has the question before the page has the address of the conversation.
  await page.waitForURL(/\/conversations\//);
  const random = seeded();
  let expected = '';
  for (let moment = 1; moment <= 50; moment++) {
    // Words of several pieces, so that a moment can be in the middle of a word.
    for (let piece = Math.ceil(random() * 6); piece > 0; piece--) {
      const text = random() < 0.4 ? ' ' : `w${moment}`;
      answer.write(text);
      expected += text;
    }
    answer.write('.');
    expected += '.';
    await page.reload({ waitUntil: 'commit' });
    const normal = expected.replace(/\s+/g, ' ').trim();
    await until(async () => (await shown(page)) === normal, `the page shows ${normal}`);
  }
  answer.end();
  await page.getByRole('button', { name: 'Write the response again' }).waitFor();
  assert.equal(await shown(page), expected.replace(/\s+/g, ' ').trim());
  assert.deepEqual(page.faults, []);
});

test('chat: stop in another tab stops the response in both', async () => {
  const page = await signedIn();
  const taken = server.provider.next();
  await ask(page, 'manual: a long story');
  const answer = await taken;
  answer.write('Once upon a time');
  await until(async () => (await shown(page)) === 'Once upon a time', 'the beginning');
  const other = await openPage(page.context(), server);
  await other.goto(page.url());
  await until(async () => (await shown(other)) === 'Once upon a time', 'the beginning in the other tab');
  await other.getByRole('button', { name: 'Stop the response' }).click();
  for (const tab of [page, other]) {
    await lastResponse(tab).getByText('Stopped').waitFor();
    assert.equal(await shown(tab), 'Once upon a time');
  }
  await answer.closed;
});

test('chat: stop by the Escape key', async () => {
  const page = await signedIn();
  const taken = server.provider.next();
  await ask(page, 'manual: another story');
  (await taken).write('Long ago');
  await until(async () => (await shown(page)) === 'Long ago', 'the beginning');
  await field(page).press('Escape');
  await lastResponse(page).getByText('Stopped').waitFor();
});

test('chat: a second answer and an edited question are versions that can be compared', async () => {
  const page = await signedIn();
  await ask(page, 'What is a neap tide?');
  await page.getByRole('button', { name: 'Write the response again' }).waitFor();
  await page.getByRole('button', { name: 'Write the response again' }).click();
  await page.getByRole('button', { name: 'Version 2 of 2. Compare the versions' }).waitFor();
  await page.getByRole('button', { name: 'Previous version' }).click();
  await page.getByRole('button', { name: 'Version 1 of 2. Compare the versions' }).waitFor();
  await page.getByRole('button', { name: 'Version 1 of 2. Compare the versions' }).click();
  const dialog = page.getByRole('dialog', { name: 'Compare versions' });
  await dialog.getByRole('button', { name: 'Show this version' }).click();
  await page.getByRole('button', { name: 'Version 2 of 2. Compare the versions' }).waitFor();

  await field(page).press('ArrowUp');
  await page.getByLabel('Edit the message').fill('What is a spring tide?');
  await page.keyboard.press('Enter');
  const question = page.getByRole('article', { name: 'You' });
  await question.getByText('What is a spring tide?').waitFor();
  await question.getByRole('button', { name: /Version 2 of 2/ }).waitFor();
  await lastResponse(page).getByText('See the tables of your harbour.').waitFor();
  await page.reload();
  await question.getByText('What is a spring tide?').waitFor();
  await question.getByRole('button', { name: 'Previous version' }).click();
  await question.getByText('What is a neap tide?').waitFor();
  assert.deepEqual(page.faults, []);
});

test('chat: feedback is stored, and can be withdrawn', async () => {
  const page = await signedIn();
  await ask(page, 'Rate this');
  await page.getByRole('button', { name: 'Bad response' }).click();
  await page.getByLabel('What was wrong? (optional)').fill('Too long.');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.reload();
  const bad = page.getByRole('button', { name: 'Bad response' });
  await until(async () => (await bad.getAttribute('aria-pressed')) === 'true', 'the rating is shown after a reload');
  await bad.click();
  await until(async () => (await bad.getAttribute('aria-pressed')) === 'false', 'the rating is withdrawn');
});

test('chat: a file is attached, sent and offered for download', async () => {
  const page = await signedIn();
  await page.locator('input[type=file]').setInputFiles({ name: 'tide.txt', mimeType: 'text/plain', buffer: Buffer.from('High tide at noon.') });
  await page.getByText('tide.txt').waitFor();
  await ask(page, 'When is the tide high?');
  const link = page.getByRole('article', { name: 'You' }).getByRole('link', { name: /tide\.txt/ });
  await link.waitFor();
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
  assert.equal(download.suggestedFilename(), 'tide.txt');
});

test('chat: a message that is sent while its file is transferred has the file', async () => {
  const page = await signedIn();
  await ask(page, 'First');
  await page.getByRole('button', { name: 'Write the response again' }).waitFor();
  let release;
  const held = new Promise(done => (release = done));
  await page.route('**/uploads/*', async route => {
    await held;
    await route.continue();
  });
  const begun = page.waitForRequest('**/uploads/*');
  await page.locator('input[type=file]').setInputFiles({ name: 'tide.txt', mimeType: 'text/plain', buffer: Buffer.from('High tide at noon.') });
  await begun;
  await ask(page, 'When is the tide high?');
  release();
  await page.getByRole('article', { name: 'You' }).getByRole('link', { name: /tide\.txt/ }).waitFor();
});

test('chat: a response keeps its elements when it ends, so that a selection stays', async () => {
  const page = await signedIn();
  const taken = server.provider.next();
  await ask(page, 'manual: paragraphs');
  const answer = await taken;
  answer.write('The first paragraph.\n\nThe second one.');
  await lastResponse(page).getByText('The second one.').waitFor();
  const first = await lastResponse(page).getByText('The first paragraph.').elementHandle();
  answer.end();
  await page.getByRole('button', { name: 'Write the response again' }).waitFor();
  assert.ok(await first.evaluate(element => element.isConnected));
});

test('chat: a refused message stays in the field, with the reason', async () => {
  const page = await signedIn();
  await ask(page, 'First');
  await page.getByRole('button', { name: 'Write the response again' }).waitFor();
  await page.route('**/completion?*', route => route.fulfill({ status: 402, contentType: 'application/problem+json', body: JSON.stringify({ type: 'urn:understudy:error:budget_exhausted', code: 'budget_exhausted', status: 402, title: 'The budget is used up', detail: 'The budget of this month is used up.' }) }));
  await ask(page, 'Second');
  await page.getByRole('alert').getByText('The budget of this month is used up.').waitFor();
  assert.equal(await field(page).inputValue(), 'Second');
});

test('conversations: rename, pin, delete with undo, delete', async () => {
  const page = await signedIn();
  await ask(page, 'Rename me');
  const navigation = page.getByRole('navigation');
  const act = async (title, action) => {
    await navigation.getByRole('link', { name: title, exact: true }).hover();
    await navigation.getByRole('button', { name: `Actions for ${title}` }).click();
    await page.getByRole('menuitem', { name: action }).click();
  };
  await navigation.getByRole('link', { name: 'Rename me' }).waitFor();
  await lastResponse(page).getByText('See the tables').waitFor();
  await act('Rename me', 'Rename');
  await page.getByLabel('Title').fill('Neap tides');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Neap tides' }).waitFor();
  await act('Neap tides', 'Pin');
  await navigation.getByRole('heading', { name: 'Pinned' }).waitFor();
  await act('Neap tides', 'Delete');
  await page.getByRole('button', { name: 'Undo' }).click();
  await navigation.getByRole('link', { name: 'Neap tides' }).click();
  await page.getByRole('heading', { name: 'Neap tides' }).waitFor();
  const address = page.url();
  await act('Neap tides', 'Delete');
  await page.goto(address);
  await page.getByText('There is nothing at this address').waitFor();
});

test('chat: the server is killed in the middle of a response, and the page continues with what the journal has', async () => {
  const page = await signedIn();
  const taken = server.provider.next();
  await ask(page, 'manual: survive');
  const answer = await taken;
  answer.write('Before the crash. ');
  await until(async () => (await shown(page)) === 'Before the crash.', 'the beginning');
  await server.kill();
  await page.getByText('No connection to the server').waitFor();
  const again = server.provider.next();
  await server.run();
  const next = await again;
  next.write('After it.');
  next.end();
  await page.getByRole('button', { name: 'Write the response again' }).waitFor();
  const admin = await server.admin();
  const { messages } = await admin('GET', `/api${new URL(page.url()).pathname}`);
  const stored = messages.at(-1).parts.filter(part => part.type === 'text').map(part => part.text).join('');
  assert.equal(await shown(page), stored.replace(/\s+/g, ' ').trim());
  await page.getByText('No connection to the server').waitFor({ state: 'hidden' });
});

test('conversations: an archived one is in the archive, and comes back from there', async () => {
  const page = await signedIn();
  await ask(page, 'Archive me');
  await page.getByRole('button', { name: 'Write the response again' }).waitFor();
  const navigation = page.getByRole('navigation');
  const link = navigation.getByRole('link', { name: 'Archive me', exact: true });
  const act = async action => {
    await link.hover();
    await navigation.getByRole('button', { name: 'Actions for Archive me' }).click();
    await page.getByRole('menuitem', { name: action }).click();
  };
  await act('Archive');
  await link.waitFor({ state: 'hidden' });
  await navigation.getByRole('button', { name: 'Archived' }).click();
  await link.waitFor();
  await act('Restore from the archive');
  await navigation.getByRole('button', { name: 'Conversations', exact: true }).click();
  await link.waitFor();
});
