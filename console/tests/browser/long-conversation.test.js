import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openPage } from '../harness.js';
import { address, admin, field, isAtTop, item, long, scroller, server, settled, signedIn, start, stop } from '../long.js';
import { addLongConversation } from '../sample.js';

before(() => start());
after(stop);

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
  const [seen, step] = [new Map(), 650];
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
