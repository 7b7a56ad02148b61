import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openPage, until } from '../harness.js';
import { address, admin, field, isAtTop, item, server, signedIn, start, stop } from '../long.js';
import { addLongConversation } from '../sample.js';

before(() => start(0));
after(stop);

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
