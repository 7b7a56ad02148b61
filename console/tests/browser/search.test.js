import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, openPage, Server, signIn, until } from '../harness.js';

let server;
let browser;
let admin;

before(async () => {
  server = await Server.start();
  browser = await launch();
  admin = await server.admin();
  for (const title of ['Harbour lights', 'Harbour dues', 'Tide tables']) {
    const { id } = await admin('POST', '/api/conversations', { title });
    await admin('PUT', `/api/conversations/${id}/payload`, { messages: [{ id: crypto.randomUUID(), role: 'user', content: `Tell me about ${title.toLowerCase()}, please.` }] });
  }
  for (let number = 0; number < 12; number++) await admin('POST', '/api/conversations', { title: `Lighthouse ${number}` });
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

/** A page with the search of the side bar. */
async function searching() {
  const page = await openPage(await browser.newContext(), server);
  await signIn(page, server);
  const navigation = page.getByRole('navigation');
  await navigation.getByRole('button', { name: 'Search conversations' }).click();
  return { page, navigation, search: navigation.getByRole('searchbox'), titles: navigation.getByRole('region', { name: 'In titles' }) };
}

/** Responds to the first searches of messages with a problem. */
async function refuse(page, times, problem, headers = {}) {
  let count = 0;
  await page.route('**/api/conversations/search?*', route => {
    if (count++ >= times) return route.continue();
    return route.fulfill({ status: 503, headers, contentType: 'application/problem+json', body: JSON.stringify({ type: `urn:understudy:error:${problem.code}`, status: 503, ...problem }) });
  });
  return () => count;
}

test('search: titles match in parts, and are found by the server in pages', async () => {
  const { page, navigation, search, titles } = await searching();
  const requests = [];
  page.on('request', request => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname.endsWith('/api/conversations')) requests.push(searchParams.get('search_in'));
  });
  await search.fill('bour LIG');
  await titles.getByRole('link', { name: 'Harbour lights' }).waitFor();
  assert.equal(await titles.getByRole('link').count(), 1);
  assert.deepEqual(requests, ['title'], 'one request, for the titles');
  await search.fill('house');
  await titles.getByRole('link', { name: 'Lighthouse 11' }).waitFor();
  assert.equal(await titles.getByRole('link').count(), 10);
  await titles.getByRole('button', { name: 'More titles' }).click();
  await titles.getByRole('link', { name: 'Lighthouse 0' }).waitFor();
  assert.equal(await titles.getByRole('link').count(), 12);
  await search.fill('zebra');
  await navigation.getByText('No conversation contains these words.').waitFor();
  await search.press('Escape');
  await navigation.getByRole('link', { name: 'Tide tables' }).waitFor();
  assert.deepEqual(page.faults, []);
});

test('search: an index that is being built is told with its progress, and the search continues by itself', async () => {
  const { page, navigation, search, titles } = await searching();
  const problem = { code: 'indexing', title: 'The messages are being indexed; try again later', detail: 'the messages are being indexed: 42 % are complete', progress: 42 };
  const count = await refuse(page, 1, problem, { 'retry-after': '1' });
  await search.fill('dues please');
  await navigation.getByRole('status').getByText('The messages are being indexed: 42 %').waitFor();
  await navigation.getByRole('link', { name: /harbour dues, please/ }).waitFor();
  assert.equal(count(), 2);
  // Titles do not wait for the index.
  await search.fill('dues');
  await titles.getByRole('link', { name: 'Harbour dues' }).waitFor();
  assert.deepEqual(page.faults, []);
});

test('search: an overloaded server is an error, which can be tried again', async () => {
  const { page, navigation, search } = await searching();
  const problem = { code: 'overloaded', title: 'The server is overloaded; try again later', detail: 'too many requests wait' };
  const count = await refuse(page, 1, problem, { 'retry-after': '1' });
  await search.fill('tables please');
  await navigation.getByRole('alert').getByText('too many requests wait').waitFor();
  assert.equal(await navigation.getByText('The messages are being indexed').count(), 0);
  // It is not repeated by itself.
  await new Promise(done => setTimeout(done, 1500));
  assert.equal(count(), 1);
  await navigation.getByRole('alert').getByRole('button', { name: 'Try again' }).click();
  await navigation.getByRole('link', { name: /tide tables, please/ }).waitFor();
  await until(async () => (await navigation.getByRole('alert').count()) === 0, 'the error is gone');
  assert.deepEqual(page.faults, []);
});
