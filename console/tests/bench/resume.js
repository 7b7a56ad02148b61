// A response that is being written: how long it takes until it is visible after a reload, and until it goes on after the
// server was killed and started again.

import { appearance, appearanceAfterLoad, bench, lookFor, lookForAfterLoads, ms } from './bench.js';

const ROUNDS = 5;

await bench('Response that is being written', async ({ server, page }) => {
  /** Asks a question whose answer begins with a text. */
  const ask = async text => {
    await page.goto(server.url);
    const taken = server.provider.next();
    await page.getByLabel('Message', { exact: true }).fill('manual: a long answer');
    await page.keyboard.press('Enter');
    const answer = await taken;
    answer.write(text);
    await page.getByText('The beginning.').waitFor();
    return answer;
  };
  const first = await ask(`${'High tide at noon, low tide at six. '.repeat(100)}\n\nThe beginning.`);

  await lookForAfterLoads(page, 'article[aria-busy] .prose', 'The beginning.');
  const visible = [];
  for (let round = 0; round <= ROUNDS; round++) {
    await page.reload({ waitUntil: 'commit' });
    visible.push(await appearanceAfterLoad(page));
  }

  first.end();

  const live = [];
  for (let round = 0; round < ROUNDS; round++) {
    // A new answer in each round: a run is not continued after any number of crashes.
    await ask('The beginning.');
    const continued = server.provider.next();
    await server.kill();
    await page.getByText('No connection to the server').waitFor();
    await lookFor(page, '.prose', `Round ${round}.`);
    await server.run();
    const ready = Date.now();
    const answer = await continued;
    answer.write(` Round ${round}.`);
    live.push((await appearance(page)) - ready);
    answer.end();
  }
  return [
    ['visible after a reload, from the arrival of the document', ms(visible.slice(1)), '≤ 200 ms'],
    ['goes on after `kill -9`, from the first `/readyz`', ms(live), '≤ 1500 ms'],
  ];
});
