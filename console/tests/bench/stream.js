// Long tasks of the page while a response of 100 KB arrives at 300 pieces a second.

import { launch, openPage, Server, signIn } from '../harness.js';

const PIECES = 2500;
const server = await Server.start();
const browser = await launch();
try {
  const page = await openPage(await browser.newContext({ viewport: { width: 1280, height: 900 } }), server);
  await signIn(page, server);
  const taken = server.provider.next();
  await page.getByLabel('Message', { exact: true }).fill('manual: a long answer');
  await page.keyboard.press('Enter');
  const answer = await taken;
  await page.evaluate(() => {
    globalThis.longTasks = [];
    new PerformanceObserver(list => globalThis.longTasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask' });
  });
  const begin = Date.now();
  for (let at = 0; at < PIECES; at++) {
    answer.write(at % 60 === 59 ? `.\n\n## Part ${at}\n\n- item with **bold** text\n\n` : 'the tide is high at noon, low at six    ');
    const ahead = begin + (at * 1000) / 300 - Date.now();
    if (ahead > 4) await new Promise(done => setTimeout(done, ahead));
  }
  answer.end();
  await page.getByRole('button', { name: 'Write the response again' }).waitFor();
  const tasks = await page.evaluate(() => globalThis.longTasks);
  const elements = await page.evaluate(() => document.querySelectorAll('*').length);
  console.log(JSON.stringify({ seconds: (Date.now() - begin) / 1000, longTasks: tasks.length, longestMs: Math.max(0, ...tasks), elements }));
} finally {
  await browser.close();
  await server.stop();
}
