// A conversation of 10,000 messages: opening, scrolling and typing.

import { addLongConversation } from '../sample.js';
import { appearance, bench, lookForAfterLoads, ms, percentile, tasksDuring } from './bench.js';

const MESSAGES = 10_000;
const ROUNDS = 5;
const SCROLL_MS = 8_000;
const KEYS = 150;
/** A frame at 60 Hz, with the tolerance of the clock. */
const FRAME_MS = 16.7 + 1;

await bench(`Conversation of ${MESSAGES} messages`, async ({ server, browser, page }) => {
  const { id, messages } = await addLongConversation(await server.admin(), MESSAGES);
  const address = `${server.url}/conversations/${id}`;
  await lookForAfterLoads(page, '[data-message]', `Answer ${messages.length - 1}.`);
  const opened = [];
  for (let round = 0; round <= ROUNDS; round++) {
    await page.goto(address);
    const end = await appearance(page);
    opened.push(end - (await page.evaluate(() => performance.timeOrigin)));
  }
  const request = await page.evaluate(path => performance.getEntriesByType('resource').filter(({ name }) => name.includes(path)).map(({ duration }) => duration), `/api/conversations/${id}`);

  // From the end towards the beginning, at 3 screens a second.
  let frames;
  const scrolling = await tasksDuring(browser, page, async () => {
    frames = await page.evaluate(duration => new Promise(done => {
      const scroller = document.querySelector('[role=region]');
      const times = [];
      const begin = performance.now();
      let former = begin;
      const step = now => {
        if (times.length > 0 || now > begin) times.push(now - former);
        former = now;
        scroller.scrollTop -= (scroller.clientHeight * 3) / 60;
        if (now - begin < duration) requestAnimationFrame(step);
        else done(times.slice(1));
      };
      requestAnimationFrame(step);
    }), SCROLL_MS);
  });

  await page.evaluate(() => {
    globalThis.keys = [];
    new PerformanceObserver(list => {
      for (const { name, startTime, processingEnd, duration } of list.getEntries()) if (name === 'keydown') globalThis.keys.push({ handled: processingEnd - startTime, drawn: duration });
    }).observe({ type: 'event', durationThreshold: 16, buffered: false });
  });
  await page.getByLabel('Message', { exact: true }).focus();
  const typing = await tasksDuring(browser, page, async () => {
    for (let key = 0; key < KEYS; key++) {
      await page.keyboard.press('abcdefgh '[key % 9]);
      await new Promise(done => setTimeout(done, 60));
    }
  });
  const keys = await page.evaluate(() => globalThis.keys);
  // Keys that were drawn within the threshold are not reported.
  const drawn = [...keys.map(key => key.drawn), ...Array(Math.max(0, KEYS - keys.length)).fill(8)];
  const busy = ({ tasks }, part) => `${percentile(tasks.filter(({ processor }) => processor > 0.5).map(({ processor }) => processor), part).toFixed(1)} ms`;
  const shareOf = (values, most) => `${((100 * values.filter(value => value <= most).length) / values.length).toFixed(1)} %`;
  return [
    ['opened, from the navigation until the last message is drawn', ms(opened.slice(1)), '≤ 1000 ms'],
    ['of which the request of the conversation', ms(request)],
    ['scrolling: frames within 16.7 ms', shareOf(frames, FRAME_MS), '≥ 99 %'],
    ['scrolling: 99th percentile of the tasks, processor time', busy(scrolling, 0.99)],
    ['typing: key until drawn, 95th percentile', `${percentile(drawn, 0.95)} ms`, '≤ 16 ms'],
    ['typing: 95th percentile of the tasks, processor time', busy(typing, 0.95)],
  ];
});
