// A response of 100 KB that arrives at 300 pieces a second: the tasks of the page's main thread.

import { writeFileSync } from 'node:fs';
import { bench, tasksDuring } from './bench.js';

const CHARS = 100_000;
const PIECE_CHARS = 40;
const PER_SECOND = 300;
const GOAL_MS = 50;

/** A section with what models write. */
const section = number => `## Part ${number}

The tide **rises and falls** twice a day, because the earth turns below \`two\` bulges of water. In [Bergen](https://example.org/bergen) the range
is about 1.5 m; in the *Bay of Fundy* it is more than ten times that. See the tables of your harbour before you sail.

1. The moon pulls the near side **most**.
2. The far side is left behind, so the water bulges there, too.
   - At new and full moon, the sun adds to it.
   - At half moon it works against it.

| place | range | kind |
|---|---:|---|
| Bergen | 1.5 m | semidiurnal |
| Bay of Fundy | 16 m | semidiurnal |

\`\`\`rust
fn height(amplitude: f64, hours: f64) -> f64 {
    amplitude * (hours / 12.42 * std::f64::consts::TAU).cos()
}
\`\`\`

> Time and tide wait for no man.

`;

let text = '';
for (let number = 1; text.length < CHARS; number++) text += section(number);
const pieces = text.match(new RegExp(`[^]{1,${PIECE_CHARS}}`, 'g'));

await bench('Response of 100 KB at 300 pieces/s', async ({ server, browser, page }) => {
  const taken = server.provider.next();
  await page.getByLabel('Message', { exact: true }).fill('manual: a long answer');
  await page.keyboard.press('Enter');
  const answer = await taken;
  let seconds;
  const { tasks, events } = await tasksDuring(browser, page, async () => {
    const begin = Date.now();
    for (const [at, piece] of pieces.entries()) {
      answer.write(piece);
      const ahead = begin + (at * 1000) / PER_SECOND - Date.now();
      if (ahead > 4) await new Promise(done => setTimeout(done, ahead));
    }
    answer.end();
    seconds = (Date.now() - begin) / 1000;
    // The stored message arrives. Locators would compute the roles of all elements in the page, which takes long.
    await new Promise(done => setTimeout(done, 2000));
  });
  await page.getByRole('button', { name: 'Write the response again' }).waitFor();
  if (process.env.TRACE) writeFileSync(process.env.TRACE, JSON.stringify({ traceEvents: events }));
  const elements = await page.evaluate(() => document.querySelectorAll('*').length);
  const long = kind => tasks.filter(task => task[kind] > GOAL_MS).length;
  const longest = kind => Math.max(...tasks.map(task => task[kind])).toFixed(1);
  return [
    ['duration', `${seconds.toFixed(1)} s`],
    ['longest task', `${longest('time')} ms`, `≤ ${GOAL_MS} ms`],
    ['tasks above the goal', long('time'), '0'],
    ['longest task, processor time', `${longest('processor')} ms`],
    ['tasks above the goal, processor time', long('processor')],
    ['processor time of the main thread', `${(tasks.reduce((sum, { processor }) => sum + processor, 0) / 1000).toFixed(1)} s`],
    ['elements', elements],
  ];
});
