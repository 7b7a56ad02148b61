import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, openPage, Server, signIn } from '../harness.js';

const TABS = 12;

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

test('12 tabs over HTTP/1.1: each shows its live response, and other requests are answered', async () => {
  const browserContext = await browser.newContext();
  const first = await openPage(browserContext, server);
  await signIn(first, server);
  const tabs = [];
  for (let at = 0; at < TABS; at++) {
    const page = await openPage(browserContext, server);
    await page.goto(server.url);
    await page.getByLabel('Message', { exact: true }).fill(`manual: tab ${at}`);
    const taken = server.provider.next();
    await page.keyboard.press('Enter');
    tabs.push({ page, answer: await taken });
  }
  for (const round of ['one', 'two', 'three']) {
    for (const [at, { answer }] of tabs.entries()) answer.write(`${round}-${at} `);
    for (const [at, { page }] of tabs.entries()) await page.getByRole('article', { name: 'Response' }).getByText(`${round}-${at}`).waitFor();
  }
  await first.goto(`${server.url}/memories`);
  await first.getByRole('heading', { name: 'Memories', level: 1 }).waitFor();
  for (const { answer } of tabs) answer.end();
  for (const { page } of tabs) {
    await page.getByRole('button', { name: 'Write the response again' }).waitFor();
    assert.deepEqual(page.faults, []);
  }
});
