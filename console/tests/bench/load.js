// How long it takes until the chat can be used: the first load, a load from the cache, and both with a slow processor.

import { openPage } from '../harness.js';
import { appearance, bench, lookForAfterLoads, ms, throttle } from './bench.js';

const ROUNDS = 9;
/** The choice of a model is the last thing that the screen waits for. */
const USABLE = ['button[aria-label^="Model:"]', ''];

await bench('Usable after the navigation began', async ({ server, context }) => {
  const measure = async (isCold, rate) => {
    const page = await openPage(context, server);
    await lookForAfterLoads(page, ...USABLE);
    if (rate > 1) await throttle(page, rate);
    const devtools = await context.newCDPSession(page);
    await devtools.send('Network.enable');
    await devtools.send('Network.setCacheDisabled', { cacheDisabled: isCold });
    // The first round fills the cache, also that of compiled code.
    const times = [];
    for (let round = 0; round <= ROUNDS; round++) {
      await page.goto(server.url);
      const end = await appearance(page);
      times.push(end - (await page.evaluate(() => performance.timeOrigin)));
    }
    await page.close();
    return ms(times.slice(1));
  };
  return [
    ['without a cache', await measure(true, 1), '≤ 1000 ms'],
    ['without a cache, processor throttled 4 times', await measure(true, 4), '≤ 2000 ms'],
    ['with the cache', await measure(false, 1), '≤ 400 ms'],
    ['with the cache, processor throttled 4 times', await measure(false, 4)],
  ];
});
