import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, openPage, Server, signIn, until } from '../harness.js';
import { addLongConversation } from '../sample.js';

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

/** Opens a path with an empty cache until a locator is there. Returns what was requested, and the bytes that were received. */
async function firstLoad(path, ready) {
  const context = await browser.newContext();
  const page = await openPage(context, server);
  await signIn(page, server);
  await page.close();
  const fresh = await openPage(context, server);
  const client = await context.newCDPSession(fresh);
  await client.send('Network.enable');
  await client.send('Network.setCacheDisabled', { cacheDisabled: true });
  const requests = new Map();
  client.on('Network.requestWillBeSent', ({ requestId, request }) => requests.set(requestId, { url: request.url, bytes: 0 }));
  client.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (requests.has(requestId)) requests.get(requestId).bytes = encodedDataLength;
  });
  await fresh.goto(server.url + path);
  await ready(fresh).waitFor();
  const list = [...requests.values()].filter(({ url }) => url.startsWith('http'));
  const bytes = list.reduce((sum, request) => sum + request.bytes, 0);
  assert.deepEqual(fresh.faults, []);
  await context.close();
  return { bytes, paths: list.map(({ url }) => new URL(url).pathname) };
}

test('first load: at most 150 KB compressed and 12 requests until the chat can be used', async () => {
  const { bytes, paths } = await firstLoad('/', page => page.getByRole('button', { name: /^Model: tide/ }));
  assert.ok(paths.length <= 12, `${paths.length} requests: ${paths.join(', ')}`);
  assert.ok(bytes <= 150 * 1024, `${bytes} bytes`);
});

test('first load of a conversation: at most 200 KB compressed and 15 requests until its messages are shown', async () => {
  const { id, messages } = await addLongConversation(await server.admin(), 40);
  const { bytes, paths } = await firstLoad(`/conversations/${id}`, page => page.locator(`[data-message="${messages.at(-1).id}"]`));
  assert.ok(paths.length <= 15, `${paths.length} requests: ${paths.join(', ')}`);
  assert.ok(bytes <= 200 * 1024, `${bytes} bytes`);
});

test('10,000 messages: at most 1,500 elements, at any place, and the place stays', async () => {
  const { id, messages } = await addLongConversation(await server.admin(), 10_000);
  const page = await openPage(await browser.newContext({ viewport: { width: 1280, height: 900 } }), server);
  await signIn(page, server);
  await page.goto(`${server.url}/conversations/${id}`);
  await page.getByText(`Answer ${messages.length - 1}.`).waitFor();
  const scroller = page.getByRole('region', { name: 'Messages' });
  const elements = () => page.evaluate(() => document.querySelectorAll('*').length);
  const most = [await elements()];
  for (const part of [0.5, 0.25, 0.75, 0.001, 0]) {
    await scroller.evaluate((element, part) => element.scrollTo(0, element.scrollHeight * part), part);
    await until(() => page.evaluate(() => {
      const { top } = document.querySelector('.scroller').getBoundingClientRect();
      return [...document.querySelectorAll('[data-message]')].some(item => item.getBoundingClientRect().top <= top + 80 && item.getBoundingClientRect().bottom > top + 20);
    }), 'a message is at the top of the view');
    most.push(await elements());
  }
  assert.ok(Math.max(...most) <= 1500, `${most.join(', ')} elements`);
  await page.getByText('Question 0', { exact: true }).waitFor();

  // A link to a message opens it at the top, and it stays there while heights become known.
  const target = messages[4321];
  await page.goto(`${server.url}/conversations/${id}?m=${target.id}`);
  const item = page.locator(`[data-message="${target.id}"]`);
  await item.waitFor();
  await until(async () => {
    const [box, view] = [await item.boundingBox(), await scroller.boundingBox()];
    return box && view && Math.abs(box.y - view.y - 16) < 4;
  }, 'the message is at the top of the view');
});
