// How long it takes until two tabs show that a response was stopped, from the click in one of them.

import { openPage } from '../harness.js';
import { appearance, bench, lookFor, ms } from './bench.js';

const ROUNDS = 9;

await bench('Stop of a response, from the click', async ({ server, context, page }) => {
  const other = await openPage(context, server);
  const [own, foreign] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    await page.goto(server.url);
    const taken = server.provider.next();
    await page.getByLabel('Message', { exact: true }).fill('manual: a story');
    await page.keyboard.press('Enter');
    (await taken).write('Once upon a time');
    await page.getByText('Once upon a time').waitFor();
    await other.goto(page.url());
    await other.getByText('Once upon a time').waitFor();
    for (const tab of [page, other]) await lookFor(tab, 'article', 'Stopped');
    const clicked = await other.evaluate(() => {
      const button = document.querySelector('button[aria-label="Stop the response"]') ?? document.querySelector('button[title="Stop the response"]');
      const at = performance.timeOrigin + performance.now();
      button.click();
      return at;
    });
    own.push((await appearance(other)) - clicked);
    foreign.push((await appearance(page)) - clicked);
  }
  return [
    ['the tab of the click', ms(own), '≤ 300 ms'],
    ['the other tab', ms(foreign), '≤ 300 ms'],
  ];
});
