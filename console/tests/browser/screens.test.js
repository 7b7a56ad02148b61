import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { launch, openPage, Server, signIn } from '../harness.js';
import { PICTURE } from '../media.js';
import { addSamples } from '../sample.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const SHOTS = process.env.SCREENSHOTS;

let server;
let browser;
let sample;

before(async () => {
  server = await Server.start();
  browser = await launch();
  const admin = await server.admin();
  sample = await addSamples(admin);
  sample.base = (await admin('POST', '/api/knowledge-bases', { name: 'Harbour rules', description: 'What is allowed in the harbour' })).id;
  for (const [severity, title, link] of [['info', 'Your video is ready', '/video'], ['warning', 'Storm from the west', null], ['error', 'Morning digest failed', '/automations']]) {
    await admin('POST', '/api/notifications/send', { everyone: true, type: 'message', severity, title, body: severity === 'warning' ? 'Reef the sails.' : 'Open it to see more.', ...(link ? { link } : {}) });
  }
  if (SHOTS) mkdirSync(SHOTS, { recursive: true });
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const openSidebar = async page => {
  await page.getByLabel('Message', { exact: true }).waitFor();
  const button = page.getByRole('button', { name: 'Open the navigation' });
  if (await button.isVisible()) await button.click();
};

const openSearch = async (page, text) => {
  await openSidebar(page);
  await page.getByRole('button', { name: 'Search conversations' }).click();
  await page.getByRole('navigation').getByRole('searchbox').fill(text);
};

/** Screens that are shown without an account: name, path, and what to do before it is looked at. */
const PUBLIC = [
  ['sign-in', '/login', page => page.getByText('Forgot your password?').click()],
  ['forgotten', '/login/forgotten', page => page.getByLabel('E-mail address').waitFor()],
  ['sign-up', '/join#tenant=', page => page.getByLabel('Short name of the tenant').waitFor()],
  ['broken-link', '/join#invitation=unl_nothing', page => page.getByText('This link does not work').waitFor()],
];

const PRIVATE = [
  ['new', '/', page => page.getByLabel('Message', { exact: true }).waitFor()],
  ['conversation', () => `/conversations/${sample.conversation}`, page => page.getByText('Tomorrow at noon, the').waitFor()],
  ['conversation-top', () => `/conversations/${sample.conversation}`, async page => {
    await page.getByText('Tomorrow at noon, the').waitFor();
    await page.locator('.scroller').evaluate(element => element.scrollTo(0, 0));
    await page.getByText('Used web_search').click();
  }],
  ['sources', () => `/conversations/${sample.conversation}`, async page => {
    await page.getByText('Tomorrow at noon, the').waitFor();
    await page.getByRole('button', { name: /Tide tables 2026/ }).click();
    await page.getByRole('complementary', { name: 'Sources' }).locator('mark').getByText('Bergen: mean range 0.9 m').waitFor();
  }],
  ['usage', () => `/conversations/${sample.conversation}`, page => page.getByRole('button', { name: 'Cost and tokens' }).last().click()],
  ['compare', () => `/conversations/${sample.conversation}`, async page => {
    await page.getByRole('button', { name: /Version 2 of 2/ }).click();
    await page.getByRole('dialog').getByText(/only in the first/).waitFor();
  }],
  ['form', () => `/conversations/${sample.form}`, page => page.getByRole('region', { name: 'May this notice go out?' }).getByRole('button', { name: 'Send it' }).waitFor()],
  ['attachments', () => `/conversations/${sample.conversation}`, async page => {
    await page.getByText('Tomorrow at noon, the').waitFor();
    const file = (name, mimeType, content) => ({ name, mimeType, buffer: Buffer.from(content) });
    await page.locator('form input[type=file]').setInputFiles([{ name: 'harbour.png', mimeType: 'image/png', buffer: PICTURE }, file('tables.txt', 'text/plain', 'Bergen'), file('empty.txt', 'text/plain', '')]);
    await page.getByText('The file is empty').waitFor();
  }],
  ['assistant-picker', '/', page => page.getByRole('button', { name: /^Assistant:/ }).click()],
  ['outline', () => `/conversations/${sample.conversation}`, async page => {
    await page.getByRole('button', { name: 'Outline' }).click();
    await page.getByRole('option', { name: 'How do tides work?' }).waitFor();
  }],
  ['find', () => `/conversations/${sample.conversation}`, async page => {
    await page.getByRole('button', { name: 'Find in the conversation' }).click();
    await page.getByRole('search').getByRole('searchbox').fill('tide');
    await page.getByRole('search').getByText('1 of').waitFor();
  }],
  ['model-picker', '/', page => page.getByRole('button', { name: /^Model:/ }).click()],
  ['navigation', '/', openSidebar],
  ['search', '/', async page => {
    await openSearch(page, 'tide');
    await page.getByRole('navigation').getByRole('region', { name: 'In messages' }).waitFor();
  }],
  ['search-nothing', '/', async page => {
    await openSearch(page, 'zebra');
    await page.getByText('No conversation contains these words.').waitFor();
  }],
  ['menu', '/', async page => {
    await openSidebar(page);
    await page.getByRole('link', { name: 'Storm surge of 1953' }).hover();
    await page.getByRole('button', { name: 'Actions for Storm surge of 1953' }).click();
  }],
  ['palette', '/', async page => {
    await page.getByLabel('Message', { exact: true }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Commands' }).waitFor();
  }],
  ['shortcuts', '/memories', async page => {
    await page.getByText('I live in Bergen.').waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  }],
  ['memories', '/memories', page => page.getByText('I live in Bergen.').waitFor()],
  ['project', () => `/projects/${sample.project}`, page => page.getByText('No conversations yet').waitFor()],
  ['settings-profile', '/settings', page => page.getByLabel('Name').waitFor()],
  ['settings-look', '/settings/look', page => page.getByLabel('Language').waitFor()],
  ['settings-responses', '/settings/responses', page => page.getByLabel('Use memories in responses').waitFor()],
  ['settings-security', '/settings/security', page => page.getByLabel('Current password').waitFor()],
  ['settings-tokens', '/settings/tokens', page => page.getByText('You have no API tokens.').waitFor()],
  ['notifications', '/notifications', page => page.getByText('Reef the sails.').waitFor()],
  ['notifications-unread', '/notifications', async page => {
    await page.getByText('Reef the sails.').waitFor();
    await page.getByRole('button', { name: 'Unread', exact: true }).click();
    await page.getByText('Reef the sails.').waitFor();
  }],
  ['summary', () => `/knowledge-bases/${sample.base}`, page => page.getByText('the console has no screen for this yet').waitFor()],
  ['summary-list', '/knowledge-bases', page => page.getByRole('link', { name: 'Harbour rules', exact: true }).waitFor()],
  ['summary-empty', '/video', page => page.getByText('There is nothing in this list').waitFor()],
  ['summary-numbers', '/usage', page => page.getByText('This month').waitFor()],
  ['summary-gone', '/automations/01a00000-0000-7000-8000-000000000000', page => page.getByRole('button', { name: 'Why?' }).waitFor()],
  ['explained', '/settings/tokens', async page => {
    await page.getByRole('checkbox', { name: /^llm:use/ }).uncheck();
    await page.getByRole('button', { name: 'Create a token' }).press('Enter');
    await page.getByRole('status').getByText('Choose at least one scope.').waitFor();
  }],
  ['why', '/why?operation=control-tower.get_kpis', page => page.getByRole('dialog').getByRole('listitem').first().waitFor()],
  ['not-found', '/conversations/a/b/c', page => page.getByText('There is nothing at this address').waitFor()],
  ['gone', '/conversations/01a00000-0000-7000-8000-000000000000', page => page.getByRole('button', { name: 'Why?' }).waitFor()],
];

/** What axe finds; in a second theme, only what depends on colours. */
async function violations(page, isFirst) {
  if (isFirst) await page.evaluate(AXE);
  const only = isFirst ? { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] } : { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };
  const result = await page.evaluate(only => globalThis.axe.run(document, { runOnly: only }), only);
  return result.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target, failureSummary }) => `${target.join(' ')} ${failureSummary.split('\n').slice(1, 3).join(' ')}`).slice(0, 4).join(' | ')}`);
}

describe('screens: no violation of WCAG A or AA, no report of the policy, no sideways scrolling, in both themes', { concurrency: true }, () => {
  for (const [width, height] of [[1280, 800], [320, 640]]) {
    test(`at ${width} px`, async () => {
      const context = await browser.newContext({ colorScheme: 'light', viewport: { width, height }, reducedMotion: 'reduce', hasTouch: width < 500 });
      const page = await openPage(context, server);
      const found = [];
      const look = async ([name, path, prepare]) => {
        await page.emulateMedia({ colorScheme: 'light' });
        await page.goto('about:blank');
        await page.goto(server.url + (typeof path === 'function' ? path() : path));
        try {
          await prepare(page);
        } catch (error) {
          if (SHOTS) await page.screenshot({ path: join(SHOTS, `failed-${name}-${width}.png`) });
          found.push(`${name}: ${String(error).split('\n')[0]}`);
          return;
        }
        const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        if (excess > 0) found.push(`${name}: the page is ${excess} px wider than the window`);
        for (const theme of ['light', 'dark']) {
          await page.emulateMedia({ colorScheme: theme });
          if (SHOTS) await page.screenshot({ path: join(SHOTS, `${name}-${theme}-${width}.png`) });
          for (const violation of await violations(page, theme === 'light')) found.push(`${name}, ${theme}: ${violation}`);
        }
      };
      for (const screen of PUBLIC) await look(screen);
      await signIn(page, server);
      for (const screen of PRIVATE) await look(screen);
      assert.deepEqual([...found, ...page.faults], []);
      await context.close();
    });
  }
});
