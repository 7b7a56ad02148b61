import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, openPage, Server, signIn, until } from '../harness.js';
import { addLongConversation } from '../sample.js';

let server;
let browser;
let admin;
/** 10,000 messages in one branch. */
let long;

before(async () => {
  server = await Server.start();
  browser = await launch();
  admin = await server.admin();
  long = await addLongConversation(admin, 10_000);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

/** A signed-in page that records which pages of messages it requests. */
async function signedIn() {
  const page = await openPage(await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' }), server);
  page.reads = [];
  page.on('request', request => {
    const url = new URL(request.url());
    if (/^\/api\/conversations\/[0-9a-f-]{36}(\/messages)?$/.test(url.pathname) && request.method() === 'GET') page.reads.push(url);
  });
  await signIn(page, server);
  return page;
}

const address = (conversation, message) => `${server.url}/conversations/${conversation.id}${message ? `?m=${message.id}` : ''}`;
const scroller = page => page.getByRole('region', { name: 'Messages', exact: true });
const item = (page, message) => page.locator(`[data-message="${message.id}"]`);
const field = page => page.getByLabel('Message', { exact: true });

async function runCommand(page, name) {
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Commands' }).getByRole('combobox').waitFor();
  await page.keyboard.type(name);
  await page.keyboard.press('Enter');
}

/** Waits until a message is at the top of the view, where it stays. */
async function isAtTop(page, message) {
  await item(page, message).waitFor();
  let since = 0;
  await until(async () => {
    const [box, view] = [await item(page, message).boundingBox(), await scroller(page).boundingBox()];
    since = box && view && Math.abs(box.y - view.y - 16) < 4 ? since + 1 : 0;
    return since > 4;
  }, `message ${message.id} is at the top of the view`);
}

/** The messages in the view with their tops, once all of them are loaded and nothing moves. */
async function settled(page) {
  let former = '';
  return until(async () => {
    const found = await page.evaluate(async () => {
      // What is between two frames is never painted: sizes are observed at the end of a frame.
      await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
      const view = document.querySelector('.scroller').getBoundingClientRect();
      const inView = element => element.getBoundingClientRect().bottom > view.top && element.getBoundingClientRect().top < view.bottom;
      if ([...document.querySelectorAll('.skeleton')].some(inView)) return undefined;
      return [...document.querySelectorAll('[data-message]')].filter(inView).map(element => ({ id: element.dataset.message, place: Number(element.dataset.place), top: element.getBoundingClientRect().top, text: element.innerText }));
    });
    const isSettled = found !== undefined && JSON.stringify(found) === former;
    former = JSON.stringify(found);
    return isSettled && found;
  }, 'the view is settled');
}

test('opening a long conversation reads its settings and the last page only', async () => {
  const page = await signedIn();
  await page.goto(address(long));
  await page.getByText('Answer 9999.').waitFor();
  await settled(page);
  assert.deepEqual(page.reads.map(({ pathname, search }) => pathname.split('/').slice(4).join('/') + search), ['?include_messages=false', 'messages?limit=50']);
  assert.deepEqual(page.faults, []);
});

test('scrolling to the top shows every message once, in order, and nothing jumps', async () => {
  const count = 700;
  const { id, messages } = await addLongConversation(admin, count);
  const page = await signedIn();
  await page.goto(address({ id }));
  await page.getByText(`Answer ${count - 1}.`).waitFor();
  const [seen, step] = [new Map(), 500];
  let before = await settled(page);
  for (;;) {
    for (const { id, place, text } of before) {
      assert.equal(id, messages[place].id);
      assert.ok(text.includes(messages[place].content.split('.')[0]), text);
      seen.set(place, id);
    }
    const places = before.map(({ place }) => place);
    assert.deepEqual(places, places.map((_, at) => places[0] + at), 'one after the other');
    const top = await scroller(page).evaluate(element => element.scrollTop);
    if (top === 0) break;
    await scroller(page).evaluate((element, step) => element.scrollBy(0, -step), step);
    const now = await settled(page);
    if (top >= 2 * step) {
      const both = now.find(({ id }) => before.some(other => other.id === id));
      const moved = both.top - before.find(({ id }) => id === both.id).top;
      assert.ok(Math.abs(moved - step) <= 2, `message ${both.place} moved by ${moved} instead of ${step}`);
    }
    before = now;
  }
  assert.equal(seen.size, count);
  // No message was read twice: each page begins where another one ends.
  const limits = page.reads.filter(({ pathname }) => pathname.endsWith('/messages')).map(({ searchParams }) => Number(searchParams.get('limit')));
  assert.equal(limits.reduce((sum, limit) => sum + limit, 0), count);
  assert.deepEqual(page.faults, []);
});

test('a link to a message opens it among those around it, also after a reload', async () => {
  const page = await signedIn();
  const target = long.messages[4321];
  await page.goto(address(long, target));
  await isAtTop(page, target);
  assert.equal(await page.evaluate(() => document.activeElement.dataset.message), target.id);
  await page.reload();
  await isAtTop(page, target);
  await page.getByRole('button', { name: 'Go to the end' }).click();
  await page.getByText('Answer 9999.').waitFor();
  assert.deepEqual(page.faults, []);
});

test('a link to a message that does not exist says so, and shows the end', async () => {
  const page = await signedIn();
  await page.goto(address(long, { id: crypto.randomUUID() }));
  await page.getByText('Answer 9999.').waitFor();
  await page.getByRole('alert').getByText('This message does not exist any more.').waitFor();
});

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

/** Adds a second version of a message in the middle, and what follows it. Returns the messages of the other branch. */
async function addFork({ id, messages }, at, length) {
  const fork = [];
  for (let number = 0; number < length; number++) {
    const parent = number === 0 ? messages[at].parent_id : fork.at(-1).id;
    const isUser = (at + number) % 2 === 0;
    fork.push({ id: crypto.randomUUID(), parent_id: parent, role: isUser ? 'user' : 'assistant', content: `Other ${isUser ? 'question' : 'answer'} ${at + number}.` });
  }
  await admin('PUT', `/api/conversations/${id}/payload`, { messages: [...messages, ...fork] });
  await admin('PATCH', `/api/conversations/${id}`, { current_message_id: messages.at(-1).id });
  return fork;
}

test('versions: another one of a message far from the end is shown in its place, with the branch below it', async () => {
  const conversation = await addLongConversation(admin, 600);
  const { id, messages } = conversation;
  const fork = await addFork(conversation, 200, 180);
  const page = await signedIn();
  await page.goto(address(conversation, messages[200]));
  await isAtTop(page, messages[200]);
  const other = await openPage(page.context(), server);
  await other.goto(address(conversation));
  await other.getByText('Answer 599.').waitFor();

  await item(page, messages[200]).hover();
  await item(page, messages[200]).getByRole('button', { name: 'Version 1 of 2. Compare the versions' }).click();
  const dialog = page.getByRole('dialog', { name: 'Compare versions' });
  await dialog.getByText('Other question 200.').waitFor();
  await page.keyboard.press('Escape');
  await item(page, messages[200]).getByRole('button', { name: 'Next version' }).click();
  await item(page, fork[0]).getByText('Other question 200.').waitFor();
  await item(page, fork[1]).getByText('Other answer 201.').waitFor();
  await until(async () => (await admin('GET', `/api/conversations/${id}?include_messages=false`)).current_message_id === fork.at(-1).id, 'the branch is selected');
  // The other tab shows its end, so that it follows to the end of this branch.
  await other.getByText('Other answer 379.').waitFor();
  await other.getByText('Answer 599.').waitFor({ state: 'hidden' });

  await page.getByRole('button', { name: 'Go to the end' }).click();
  await item(page, fork.at(-1)).waitFor();
  await page.reload();
  // The selected branch, although the page was opened by a link to the other one.
  await page.getByText('Other answer 379.').waitFor();
  assert.deepEqual([...page.faults, ...other.faults], []);
});

test('versions: a link to a message of another branch shows it, leaves the selected branch as it is, and questions follow what is shown', async () => {
  const conversation = await addLongConversation(admin, 300);
  const { id, messages } = conversation;
  const fork = await addFork(conversation, 100, 4);
  const page = await signedIn();
  await page.goto(address(conversation, fork[1]));
  await item(page, fork[3]).getByText('Other answer 103.').waitFor();
  assert.equal((await admin('GET', `/api/conversations/${id}?include_messages=false`)).current_message_id, messages.at(-1).id);
  await field(page).fill('What follows?');
  await page.keyboard.press('Enter');
  await page.getByRole('article', { name: 'Response' }).last().getByText('See the tables of your harbour.').waitFor();
  const { items } = await admin('GET', `/api/conversations/${id}/messages?limit=3`);
  assert.deepEqual(items.map(({ position }) => position), [106, 105, 104]);
  assert.equal(items[2].id, fork[3].id);
  assert.deepEqual(page.faults, []);
});

test('an answer is written at the end of a long conversation, whatever is in the view', async () => {
  const conversation = await addLongConversation(admin, 2000);
  const page = await signedIn();
  await page.goto(address(conversation, conversation.messages[10]));
  await isAtTop(page, conversation.messages[10]);
  const reader = await openPage(page.context(), server);
  await reader.goto(address(conversation, conversation.messages[500]));
  await isAtTop(reader, conversation.messages[500]);

  // Elements of a message that is complete are not made again by what follows.
  await page.getByRole('button', { name: 'Go to the end' }).click();
  const settledMessage = item(page, conversation.messages.at(-1)).locator('.prose > *').first();
  await settledMessage.evaluate(element => (element.id = 'made-once'));
  await isAtTop(reader, conversation.messages[500]);
  const taken = server.provider.next();
  await field(page).fill('manual: the end');
  await page.keyboard.press('Enter');
  const answer = await taken;
  answer.write('The tide ');
  const last = tab => tab.getByRole('article', { name: 'Response' }).last();
  await last(page).getByText('The tide').waitFor();
  await page.getByText('Answer 1999.').waitFor();
  // The other tab stays where its reader is, and finds the answer at the end.
  await isAtTop(reader, conversation.messages[500]);
  await reader.getByRole('button', { name: 'Go to the end' }).click();
  await last(reader).getByText('The tide').waitFor();
  answer.write('turns.');
  for (const tab of [page, reader]) await last(tab).getByText('The tide turns.').waitFor();
  assert.equal(await settledMessage.getAttribute('id'), 'made-once');
  // A reload in the middle of the answer.
  await page.goto(address(conversation));
  await last(page).getByText('The tide turns.').waitFor();
  answer.end();
  for (const tab of [page, reader]) await last(tab).getByRole('button', { name: 'Write the response again' }).waitFor();

  // Versions that are made while the page is open.
  await last(page).getByRole('button', { name: 'Write the response again' }).click();
  const second = await server.provider.next();
  second.write('Another answer.');
  second.end();
  for (const tab of [page, reader]) await last(tab).getByRole('button', { name: 'Version 2 of 2. Compare the versions' }).waitFor();
  await field(page).press('ArrowUp');
  await page.getByLabel('Edit the message').fill('How high is it?');
  await page.keyboard.press('Enter');
  for (const tab of [page, reader]) {
    await tab.getByText('How high is it?').waitFor();
    await last(tab).getByText('See the tables of your harbour.').waitFor();
    await tab.getByText('manual: the end').waitFor({ state: 'hidden' });
  }
  assert.deepEqual([...page.faults, ...reader.faults], []);
});

test('a dialog that cannot be loaded says so', async () => {
  const page = await signedIn();
  await page.goto(address(long));
  const usage = page.getByRole('button', { name: 'Cost and tokens' }).last();
  await page.route('**/UsageDialog.js', route => route.abort(), { times: 1 });
  await usage.click();
  await page.getByText('The server has been updated').waitFor();
  await page.getByRole('button', { name: 'Reload' }).click();
  await usage.click();
  await page.getByRole('dialog', { name: 'Cost and tokens' }).waitFor();
  assert.deepEqual(page.faults, []);
});

test('a page that cannot be read is reported, and read again', async () => {
  const page = await signedIn();
  await page.goto(address(long));
  await page.getByText('Answer 9999.').waitFor();
  await page.route('**/messages?*', route => route.abort());
  await scroller(page).evaluate(element => element.scrollTo(0, element.scrollHeight / 2));
  const note = page.getByRole('alert').getByText('The server cannot be reached');
  await note.waitFor();
  await page.unroute('**/messages?*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await note.waitFor({ state: 'hidden' });
  assert.ok((await settled(page)).length > 0);
  assert.deepEqual(page.faults, []);
});
