import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, openPage, Server, signIn } from '../harness.js';
import { serveConsole } from '../serve-console.js';

let server;
let proxy;
let browser;

before(async () => {
  server = await Server.start();
  proxy = await serveConsole(() => server.api, '/ai');
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await proxy?.close();
  await server?.stop();
});

test('base path: the console works below a path of a proxy', async () => {
  const behind = { url: proxy.url, password: server.password };
  const page = await openPage(await browser.newContext(), behind);
  await signIn(page, behind);
  assert.equal(new URL(page.url()).pathname, '/ai/');
  await page.getByLabel('Message', { exact: true }).fill('How do tides work?');
  await page.keyboard.press('Enter');
  await page.getByRole('article', { name: 'Response' }).getByText('See the tables of your harbour.').waitFor();
  assert.match(new URL(page.url()).pathname, /^\/ai\/conversations\/[0-9a-f-]{36}$/);
  await page.reload();
  await page.getByRole('article', { name: 'Response' }).getByText('See the tables of your harbour.').waitFor();
  await page.getByRole('navigation').getByRole('link', { name: 'New conversation' }).click();
  await page.getByRole('heading', { name: /Administrator/ }).waitFor();
  assert.equal(new URL(page.url()).pathname, '/ai/');
  assert.deepEqual(page.faults, []);
});
