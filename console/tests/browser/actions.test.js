import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, openPage, Server, signIn, signInByForm, until } from '../harness.js';

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

async function signedIn(options = {}) {
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'], ...options });
  const page = await openPage(context, server);
  await signIn(page, server);
  return page;
}

const field = page => page.getByLabel('Message', { exact: true });
const responses = page => page.getByRole('article', { name: 'Response' });
const button = (page, name) => page.getByRole('button', { name });

/** Asks a question, and writes the answer that the test gives. */
async function ask(page, question, answer) {
  const taken = server.provider.next();
  await field(page).fill(`manual: ${question}`);
  await page.keyboard.press('Enter');
  await write(taken, answer);
  await responses(page).last().getByText(answer.split('\n')[0].replaceAll('**', '')).waitFor();
  await button(page, 'Write the response again').last().waitFor();
}

async function write(taken, text) {
  const answer = await taken;
  answer.write(text);
  answer.end();
}

/** Presses a button as the keyboard does: it gets the focus, and then the key. */
const press = (locator, key = 'Enter') => locator.focus().then(() => locator.press(key));

/** The text that a highlight of the page marks. */
const marked = (page, name) => page.evaluate(name => [...(CSS.highlights.get(name) ?? [])].map(({ startContainer, startOffset, endOffset }) => startContainer.data.slice(startOffset, endOffset)), name);

test('regenerate: with the same and with another model, by mouse and by keyboard', async () => {
  const page = await signedIn();
  await ask(page, 'which model?', 'The first answer.');
  let taken = server.provider.next();
  await button(page, 'Write the response again').click();
  await write(taken, 'The second answer.');
  await button(page, /Version 2 of 2/).waitFor();

  taken = server.provider.next();
  await button(page, 'Answer with another model').click();
  await page.getByRole('option', { name: /tide-2-mini/ }).click();
  const byMouse = await taken;
  assert.equal(byMouse.request.model, 'tide-2-mini');
  byMouse.write('The third answer.');
  byMouse.end();
  await button(page, /Version 3 of 3/).waitFor();

  taken = server.provider.next();
  await press(button(page, 'Answer with another model'));
  await page.getByRole('combobox', { name: 'Answer with another model' }).fill('tide-1');
  await page.keyboard.press('Enter');
  const byKeyboard = await taken;
  assert.equal(byKeyboard.request.model, 'tide-1');
  byKeyboard.write('The fourth answer.');
  byKeyboard.end();
  await button(page, /Version 4 of 4/).waitFor();

  taken = server.provider.next();
  await press(button(page, 'Write the response again'));
  await write(taken, 'The fifth answer.');
  await button(page, /Version 5 of 5/).waitFor();
  assert.deepEqual(page.faults, []);
});

test('compare: differences between two versions are marked, and also readable as one text', async () => {
  const page = await signedIn();
  await ask(page, 'compare', 'The tide rises **twice** a day.');
  const taken = server.provider.next();
  await button(page, 'Write the response again').click();
  await write(taken, 'The tide rises and falls **twice** a week.');
  await press(button(page, /Version 2 of 2/));
  const dialog = page.getByRole('dialog', { name: 'Compare versions' });
  await dialog.getByText('1 passage only in the first, 2 passages only in the second version').waitFor();
  assert.deepEqual(await marked(page, 'compare-removed'), ['day']);
  assert.deepEqual(await marked(page, 'compare-added'), ['and falls', 'week']);
  await press(dialog.getByLabel('Show as one text'), 'Space');
  await dialog.getByRole('insertion').filter({ hasText: 'Only in the second version: week' }).waitFor();
  await dialog.getByRole('deletion').filter({ hasText: 'Only in the first version: day' }).waitFor();
  await dialog.getByLabel('Show as one text').click();
  await press(dialog.getByRole('button', { name: 'Show this version' }));
  await dialog.waitFor({ state: 'hidden' });
  await button(page, /Version 1 of 2/).waitFor();
  assert.deepEqual(await marked(page, 'compare-added'), []);
  assert.deepEqual(page.faults, []);
});

test('compare: branches of an edited question are compared with the answers that follow, also three of them', async () => {
  const page = await signedIn();
  await ask(page, 'spring', 'A spring tide is high.');
  for (const [kind, answer] of [['neap', 'A neap tide is low.'], ['storm', 'A storm tide is higher.']]) {
    await field(page).press('ArrowUp');
    await page.getByLabel('Edit the message').fill(`manual: ${kind}`);
    const taken = server.provider.next();
    await page.keyboard.press('Enter');
    await write(taken, answer);
    await responses(page).getByText(answer).waitFor();
  }
  const question = page.getByRole('article', { name: 'You' });
  await question.getByRole('button', { name: /Version 3 of 3/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Compare versions' });
  const right = dialog.getByRole('region', { name: 'Version 3 of 3' });
  await right.getByText('A storm tide is higher.').waitFor();
  await dialog.getByRole('region', { name: 'Version 2 of 3' }).getByText('A neap tide is low.').waitFor();
  await dialog.getByRole('region', { name: 'Version 2 of 3' }).getByLabel('Version').selectOption({ label: 'Version 1 of 3' });
  const left = dialog.getByRole('region', { name: 'Version 1 of 3' });
  await left.getByText('A spring tide is high.').waitFor();
  await until(async () => (await marked(page, 'compare-removed')).join(' ') === 'spring spring high', 'the differences to the first version');
  await left.getByRole('button', { name: 'Show this version' }).click();
  await responses(page).getByText('A spring tide is high.').waitFor();
  assert.deepEqual(page.faults, []);
});

test('versions: change with the arrows by keyboard, and survive a reload', async () => {
  const page = await signedIn();
  await ask(page, 'versions', 'One.');
  const taken = server.provider.next();
  await button(page, 'Write the response again').click();
  await write(taken, 'Two.');
  await button(page, /Version 2 of 2/).waitFor();
  await press(button(page, 'Previous version'));
  await responses(page).getByText('One.').waitFor();
  await until(async () => (await page.reload(), true), 'a reload');
  await responses(page).getByText('One.').waitFor();
  await press(button(page, 'Next version'));
  await responses(page).getByText('Two.').waitFor();
});

test('edit: by mouse, by keyboard, and cancelled by Escape', async () => {
  const page = await signedIn();
  await ask(page, 'old words', 'Fine.');
  const question = page.getByRole('article', { name: 'You' });
  await question.hover();
  await question.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Edit the message').fill('manual: new words');
  let taken = server.provider.next();
  await page.getByRole('button', { name: 'Send' }).first().click();
  await write(taken, 'Better.');
  await responses(page).getByText('Better.').waitFor();

  await press(question.getByRole('button', { name: 'Edit' }));
  await page.getByLabel('Edit the message').fill('manual: other words');
  await page.keyboard.press('Escape');
  await question.getByText('manual: new words').waitFor();

  await field(page).press('ArrowUp');
  await page.getByLabel('Edit the message').fill('manual: last words');
  taken = server.provider.next();
  await page.keyboard.press('Enter');
  await write(taken, 'Best.');
  await responses(page).getByText('Best.').waitFor();
  await question.getByRole('button', { name: /Version 3 of 3/ }).waitFor();
});

test('copy: the text of a message and a block of code, by mouse and by keyboard', async () => {
  const page = await signedIn();
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await ask(page, 'copy', 'Some code:\n\n```rust\nlet tide = 1;\n```\n');
  await responses(page).getByRole('button', { name: 'Copy', exact: true }).last().click();
  assert.equal(await clipboard(), 'Some code:\n\n```rust\nlet tide = 1;\n```\n');
  await press(responses(page).locator('figure').getByRole('button', { name: 'Copy' }));
  await responses(page).getByText('Copied').waitFor();
  assert.equal(await clipboard(), 'let tide = 1;');
  const question = page.getByRole('article', { name: 'You' });
  await press(question.getByRole('button', { name: 'Copy' }));
  await until(async () => (await clipboard()) === 'manual: copy', 'the question is copied');
});

test('feedback: with a comment, by keyboard only', async () => {
  const page = await signedIn();
  await ask(page, 'feedback', 'Useful.');
  await press(button(page, 'Good response'), 'Space');
  await page.getByLabel('What was good? (optional)').fill('It is short.');
  await press(page.getByRole('dialog').getByRole('button', { name: 'Save' }));
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  const admin = await server.admin();
  const path = `/api${new URL(page.url()).pathname}`;
  await until(async () => (await admin('GET', path)).messages.at(-1).feedback?.comment === 'It is short.', 'the comment is stored');
  await page.keyboard.press('Enter');
  await until(async () => (await admin('GET', path)).messages.at(-1).feedback === null, 'the button, which has the focus again, withdraws it');
});

test('stop: by the button, by mouse and by keyboard, keeps what was written', async () => {
  const page = await signedIn();
  for (const how of ['click', 'press']) {
    const taken = server.provider.next();
    await field(page).fill(`manual: stop by ${how}`);
    await page.keyboard.press('Enter');
    (await taken).write(`Stopped by ${how}`);
    await responses(page).last().getByText(`Stopped by ${how}`).waitFor();
    // Nothing else can be asked until it ends, which is told, and what was typed stays.
    await field(page).fill('The next one');
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('The response is still being written. Wait for its end, or stop it.').waitFor();
    assert.equal(await field(page).inputValue(), 'The next one');
    await press(page.getByRole('article', { name: 'You' }).last().getByRole('button', { name: 'Edit' }));
    await page.getByRole('status').getByText('The response is being written.', { exact: true }).first().waitFor();
    assert.equal(await page.getByLabel('Edit the message').count(), 0);
    const stop = button(page, 'Stop the response');
    await (how === 'click' ? stop.click() : press(stop));
    await responses(page).last().getByText('Stopped', { exact: true }).waitFor();
    await responses(page).last().getByText(`Stopped by ${how}`).waitFor();
  }
});

test('export: the command writes the branch as Markdown', async () => {
  const page = await signedIn();
  await ask(page, 'export', 'An answer to keep.');
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Commands' }).getByRole('combobox').fill('Markdown');
  const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
  const stream = await download.createReadStream();
  let text = '';
  for await (const piece of stream) text += piece;
  assert.match(text, /## You\n\nmanual: export\n\n## Response \(openai\/tide-1\)\n\nAn answer to keep\./);
});

test('usage: cost and tokens of a response, by mouse and by keyboard', async () => {
  const page = await signedIn();
  await ask(page, 'usage', 'Counted.');
  await button(page, 'Cost and tokens').click();
  const dialog = page.getByRole('dialog', { name: 'Cost and tokens' });
  for (const text of ['openai/tide-1', '120', '80']) await dialog.getByRole('definition').filter({ hasText: text }).first().waitFor();
  const took = dialog.getByRole('definition').filter({ hasText: /^\d+(\.\d+)? sec$/ });
  await took.waitFor();
  await page.reload();
  await press(button(page, 'Cost and tokens'));
  await dialog.waitFor();
  // The journal of the run is read.
  await took.waitFor();
});

test('favourites: models and assistants are added and removed, by mouse and by keyboard', async () => {
  const admin = await server.admin();
  const assistant = await admin('POST', '/api/assistants', { name: 'Harbour pilot' });
  await admin('POST', '/api/assistants', { name: 'Astronomer' });
  const page = await signedIn();
  const favourites = async () => (await admin('GET', '/api/assistants/favourites')).items.map(({ id }) => id);

  await button(page, /^Assistant:/).click();
  const option = page.getByRole('option', { name: /Harbour pilot/ });
  await option.hover();
  await option.getByTitle('Add Harbour pilot to the favourites').click();
  await until(async () => (await favourites()).includes(assistant.id), 'the assistant is a favourite');
  await page.getByRole('listbox', { name: 'Assistant' }).getByText('Favourites').waitFor();
  await page.keyboard.press('Escape');

  // By keyboard: the button below the list belongs to the selected option.
  await press(button(page, /^Assistant:/));
  await page.getByRole('combobox', { name: 'Assistant' }).fill('pilot');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await until(async () => !(await favourites()).includes(assistant.id), 'the assistant is no favourite');
  await button(page, 'Add Harbour pilot to the favourites').waitFor();
  await page.keyboard.press('Escape');
  await until(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')?.startsWith('Assistant:')), 'the button has the focus again');

  await press(button(page, /^Model:/));
  await page.getByRole('combobox', { name: 'Model' }).fill('tide-2');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  const models = async () => (await admin('GET', '/api/users/preferences')).favourite_models;
  await until(async () => (await models()).includes('openai/tide-2-mini'), 'the model is a favourite');
  await page.keyboard.press('Escape');
  await page.reload();
  await button(page, /^Model:/).click();
  await page.getByRole('option', { name: /tide-2-mini/ }).getByTitle('Remove tide-2-mini from the favourites').click();
  await until(async () => (await models()).length === 0, 'the model is no favourite');
  assert.deepEqual(page.faults, []);
});

test('favourites: a conversation is pinned by keyboard, and unpinned by mouse', async () => {
  const page = await signedIn();
  await ask(page, 'pin', 'Pinned.');
  const navigation = page.getByRole('navigation');
  const title = 'manual: pin';
  await press(navigation.getByRole('button', { name: `Actions for ${title}` }));
  await page.getByRole('menuitem', { name: 'Rename' }).waitFor();
  await page.keyboard.press('ArrowDown');
  assert.equal(await page.evaluate(() => document.activeElement.textContent.trim()), 'Pin');
  await page.keyboard.press('Enter');
  await navigation.getByRole('heading', { name: 'Pinned' }).waitFor();
  await page.reload();
  await navigation.getByRole('heading', { name: 'Pinned' }).waitFor();
  await navigation.getByRole('link', { name: title }).hover();
  await navigation.getByRole('button', { name: `Actions for ${title}` }).click();
  await page.getByRole('menuitem', { name: 'Unpin' }).click();
  await navigation.getByRole('heading', { name: 'Pinned' }).waitFor({ state: 'hidden' });
  assert.deepEqual(page.faults, []);
});

test('unavailable: a hidden model, a disabled assistant and a deleted one say why', async () => {
  const admin = await server.admin();
  const { id } = await admin('POST', '/api/conversations', { title: 'With a hidden model', model: 'openai/tide-2-mini' });
  await admin('PUT', '/api/tenant-admin/models/openai%2Ftide-2-mini/visibility', { visibility: 'nobody', users: [], groups: [] });
  const closed = await admin('POST', '/api/assistants', { name: 'Closed office' });
  await admin('POST', `/api/control-tower/overview/${closed.id}/disable`, { reason: 'Its prices are of last year.' });
  const gone = await admin('POST', '/api/assistants', { name: 'Gone' });
  const other = await admin('POST', '/api/conversations', { title: 'With a deleted assistant', assistant_id: gone.id });
  await admin('DELETE', `/api/assistants/${gone.id}`);
  try {
    const page = await signedIn();
    await page.goto(`${server.url}/conversations/${id}`);
    await button(page, 'Model: tide-2-mini').click();
    await page.getByRole('option', { name: /tide-2-mini.*limits who may use it/ }).click({ force: true });
    const dialog = page.getByRole('dialog', { name: 'Why tide-2-mini cannot be chosen' });
    await dialog.getByText('tide-1 answers instead.').waitFor();
    await page.keyboard.press('Escape');

    await press(button(page, /^Assistant:/));
    await page.getByRole('combobox', { name: 'Assistant' }).fill('closed');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Why Closed office cannot be chosen' }).getByText('Its prices are of last year.').waitFor();
    await page.keyboard.press('Escape');

    await page.goto(`${server.url}/conversations/${other.id}`);
    await press(button(page, /^Assistant: Assistant that is not available/));
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'The rules for this action' }).getByText('Not met').first().waitFor();
    assert.deepEqual(page.faults, []);
  } finally {
    await admin('PUT', '/api/tenant-admin/models/openai%2Ftide-2-mini/visibility', { visibility: 'everyone', users: [], groups: [] });
  }
});

test('an origin without TLS: messages are sent and copied, although the browser restricts the page', async () => {
  const plain = await launch(['--host-resolver-rules=MAP harbour.test 127.0.0.1']);
  try {
    const address = new URL(server.url);
    address.hostname = 'harbour.test';
    const page = await openPage(await plain.newContext(), { url: address.origin });
    await signInByForm(page, { url: address.origin, password: server.password });
    assert.equal(await page.evaluate(() => isSecureContext || typeof crypto.randomUUID === 'function' || navigator.clipboard !== undefined), false);
    await ask(page, 'without TLS', 'It works.');
    await responses(page).getByRole('button', { name: 'Copy', exact: true }).click();
    await responses(page).getByRole('button', { name: 'Copied' }).waitFor();
    // What is copied can be pasted.
    await press(field(page), 'Control+v');
    await until(async () => (await field(page).inputValue()) === 'It works.', 'the text is pasted');
    assert.deepEqual(page.faults, []);
  } finally {
    await plain.close();
  }
});
