// What the benchmarks share: the server and the browser, times of the page, and tables.

import { launch, openPage, Server, signIn } from '../harness.js';

/** Runs a benchmark with a server, a browser and a page that is signed in, and prints its table. */
export async function bench(title, run) {
  const server = await Server.start();
  const browser = await launch();
  try {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    const page = await openPage(context, server);
    await signIn(page, server);
    const rows = await run({ server, browser, context, page });
    print(title, rows);
  } finally {
    await browser.close();
    await server.stop();
  }
}

/** Prints rows of a name, a value and a goal as a table in Markdown. */
function print(title, rows) {
  console.log(`| ${title} | | goal |\n|---|--:|---|`);
  for (const [name, value, goal = ''] of rows) console.log(`| ${name} | ${value} | ${goal} |`);
}

/** Makes the page as slow as a processor of a fraction of the speed. */
export async function throttle(page, rate) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate });
}

export function percentile(values, part) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

export const median = values => percentile(values, 0.5);

/** A median and, in parentheses, the least and the greatest value. */
export function ms(values) {
  const [middle, least, most] = [median(values), Math.min(...values), Math.max(...values)].map(Math.round);
  return `${middle} ms (${least} to ${most})`;
}

/**
 * Begins to look for an element that matches `selector` and contains `text`, in every frame. `appearance` gives the time at
 * which the frame with it had been drawn, as `Date.now()`, which all processes of the machine share.
 */
export function lookFor(page, selector, text) {
  return page.evaluate(look, [selector, text]);
}

export const appearance = page => page.evaluate(() => globalThis.appeared);

/** Does the same in every document that the page loads from now on. The time is in ms since the document had arrived. */
export async function lookForAfterLoads(page, selector, text) {
  await page.addInitScript(look, [selector, text]);
}

export const appearanceAfterLoad = page => page.evaluate(async () => (await globalThis.appeared) - performance.timeOrigin - performance.getEntriesByType('navigation')[0].responseEnd);

function look([selector, text]) {
  globalThis.appeared = new Promise(done => {
    const find = () => {
      const found = [...document.querySelectorAll(selector)].some(element => element.textContent.includes(text));
      if (found) setTimeout(() => done(performance.timeOrigin + performance.now()));
      else requestAnimationFrame(find);
    };
    find();
  });
}

/** Runs an action, and returns the tasks of the page's main thread in between: their time, and their processor time, in ms. */
export async function tasksDuring(browser, page, action) {
  await browser.startTracing(page, { screenshots: false, categories: ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline'] });
  await action();
  const { traceEvents: events } = JSON.parse((await browser.stopTracing()).toString());
  const threads = events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain');
  const isMain = ({ pid, tid }) => threads.some(thread => thread.pid === pid && thread.tid === tid);
  const tasks = events.filter(event => event.name === 'RunTask' && event.ph === 'X' && isMain(event));
  return { events, tasks: tasks.map(({ dur = 0, tdur = 0 }) => ({ time: dur / 1000, processor: tdur / 1000 })) };
}
