// A server with a long conversation, and what its tests do in a page. Each file of tests has a process, and so a server, of its own.

import { launch, openPage, Server, signIn, until } from './harness.js';
import { addLongConversation } from './sample.js';

export let server;
export let browser;
export let admin;
/** A conversation with all of its messages in one branch. */
export let long;

/** Starts the server and the browser. */
export async function start(count = 10_000) {
  [server, browser] = await Promise.all([Server.start(), launch()]);
  admin = await server.admin();
  if (count > 0) long = await addLongConversation(admin, count);
}

export async function stop() {
  await browser?.close();
  await server?.stop();
}

/** A signed-in page that records which pages of messages it requests. */
export async function signedIn() {
  const page = await openPage(await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' }), server);
  page.reads = [];
  page.on('request', request => {
    const url = new URL(request.url());
    if (/^\/api\/conversations\/[0-9a-f-]{36}(\/messages)?$/.test(url.pathname) && request.method() === 'GET') page.reads.push(url);
  });
  await signIn(page, server);
  return page;
}

export const address = (conversation, message) => `${server.url}/conversations/${conversation.id}${message ? `?m=${message.id}` : ''}`;
export const scroller = page => page.getByRole('region', { name: 'Messages', exact: true });
export const item = (page, message) => page.locator(`[data-message="${message.id}"]`);
export const field = page => page.getByLabel('Message', { exact: true });

export async function runCommand(page, name) {
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Commands' }).getByRole('combobox').waitFor();
  await page.keyboard.type(name);
  await page.keyboard.press('Enter');
}

/** Waits until a message is at the top of the view, where it stays. */
export async function isAtTop(page, message) {
  await item(page, message).waitFor();
  let since = 0;
  await until(async () => {
    const [box, view] = [await item(page, message).boundingBox(), await scroller(page).boundingBox()];
    since = box && view && Math.abs(box.y - view.y - 16) < 4 ? since + 1 : 0;
    return since > 4;
  }, `message ${message.id} is at the top of the view`);
}

/** The messages in the view with their tops, once all of them are loaded and nothing moves. */
export async function settled(page) {
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
