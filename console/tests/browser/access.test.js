// Every control that is not available, and every refusal of the server, leads in one step to its reasons: for people with
// different rights, on every screen, by mouse and by keyboard.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { activate, tabTo, WAYS } from '../hands.js';
import { launch, Server, until } from '../harness.js';
import { addMember, administrator, clientOf, pageOf, switchOff } from '../people.js';
import { addSamples } from '../sample.js';

const read = path => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
const PATTERNS = read('../../src/shell/screens.json');
/** Method, expression for the path, and id of every operation. */
const OPERATIONS = Object.entries(read('../../../openapi.json').paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId }]) => [method, new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`), operationId]),
);
const EVERYTHING = ['assistants', 'audio', 'automations', 'catalog', 'chat', 'conversations', 'knowledge-bases', 'memories', 'projects', 'skills', 'video'];
const NOWHERE = '01a00000-0000-7000-8000-000000000000';

const PEOPLE = [
  'a member with the right to read', 'a member without rights on objects', 'an editor', 'a member without several features',
  'a member without any feature', 'an administrator without rights on objects', 'the first administrator',
];

let server;
let browser;
let sample;
let people;

before(async () => {
  server = await Server.start();
  browser = await launch();
  const admin = await server.admin();
  sample = await addSamples(admin);
  const [viewer, member, author, other, bare, chief] = [
    await addMember(server, 'viewer'), await addMember(server, 'member'), await addMember(server, 'author', 'editor'),
    await addMember(server, 'other'), await addMember(server, 'bare'), await addMember(server, 'chief', 'tenant_admin'),
  ];
  await switchOff(server, ['memories', 'projects', 'assistants', 'video'], [other, bare]);
  await switchOff(server, EVERYTHING.filter(feature => !['memories', 'projects', 'assistants', 'video'].includes(feature)), [bare]);
  await admin('POST', `/api/projects/${sample.project}/members`, { members: [{ kind: 'user', id: viewer.id, level: 'viewer' }, { kind: 'user', id: author.id, level: 'editor' }] });
  await admin('POST', `/api/projects/${sample.project}/conversations/${sample.conversation}`);
  // The creation of assistants needs the role of an editor.
  const assistant = await (await clientOf(server, author))('POST', '/api/assistants', { name: 'Harbour master', description: 'Knows the tides', visibility: 'tenant' });
  await admin('PUT', `/api/control-tower/assistants/${assistant.id}/disable`, { reason: 'Under review' }).catch(() => {});
  sample.assistant = assistant.id;
  for (const person of [viewer, member, author, other]) {
    await (await clientOf(server, person))('POST', '/api/conversations', { title: `A conversation of ${person.name}` });
  }
  people = Object.fromEntries([viewer, member, author, other, bare, chief, administrator(server)].map((person, at) => [PEOPLE[at], person]));
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

/** Whether something is shown, once the page has settled. */
async function present(page, locator) {
  await settled(page);
  return locator.first().isVisible();
}

/** What is opened on screens, if the person can: the path, and the steps. A step that is not possible ends it. */
const PLACES = () => [
  ['the choice of a model', '/', async page => {
    const button = page.getByRole('button', { name: /^Model:/ });
    if (await present(page, button)) await button.click();
  }],
  ['the choice of an assistant', '/', async page => {
    const button = page.getByRole('button', { name: /^Assistant:/ });
    if (await present(page, button)) await button.click();
  }],
  ['moving a conversation', '/', async page => {
    const link = page.getByRole('navigation').getByRole('link', { name: /^A conversation of/ });
    if (!(await present(page, link))) return;
    await link.hover();
    await page.getByRole('button', { name: /^Actions for A conversation of/ }).click();
    const entry = page.getByRole('menuitem', { name: 'Move to a project' });
    if (await present(page, entry)) await entry.click();
  }],
  ['the members of a project', `/projects/${sample.project}`, async page => {
    const button = page.getByRole('button', { name: 'Share' });
    if (await present(page, button)) await button.click();
  }],
  ['editing a project', `/projects/${sample.project}`, async page => {
    const button = page.getByRole('button', { name: 'Edit the project', disabled: false });
    if (await present(page, button)) await button.click();
  }],
  ['versions of a response', `/conversations/${sample.conversation}`, async page => {
    if (await present(page, page.getByText('Tomorrow at noon, the'))) await page.locator('.scroller').evaluate(element => element.scrollTo(0, 0));
  }],
  ['finding in a conversation', `/conversations/${sample.conversation}`, async page => {
    if (!(await present(page, page.getByText('Tomorrow at noon, the')))) return;
    await page.keyboard.press('Control+f');
    await page.getByRole('search').waitFor();
  }],
  ['an empty message', `/conversations/${sample.conversation}`, async page => {
    const button = page.getByRole('article').getByRole('button', { name: 'Edit', exact: true });
    if (!(await present(page, button))) return;
    await button.first().click();
    await page.getByLabel('Edit the message').fill('');
  }],
  ['a token without scopes', '/settings/tokens', async page => {
    const box = page.getByRole('checkbox', { name: /llm:use/ });
    if (await present(page, box)) await box.uncheck();
  }],
  ['an object that does not exist', `/conversations/${NOWHERE}`],
  ...PATTERNS.filter(pattern => !['/login', '/login/forgotten', '/join', '/why'].includes(pattern)).map(pattern => {
    const id = { '/conversations/:id': sample.conversation, '/projects/:id': sample.project, '/assistants/:id': sample.assistant }[pattern] ?? NOWHERE;
    return [pattern, pattern.replace(':section', 'security').replace(':id', id)];
  }),
];

/** Requests of a page that have no response yet. */
const pending = new WeakMap();

function follow(page) {
  const requests = new Set();
  pending.set(page, requests);
  page.on('request', request => requests.add(request));
  page.on('requestfinished', request => requests.delete(request));
  page.on('requestfailed', request => requests.delete(request));
}

/** Waits until nothing is loaded any more. */
async function settled(page) {
  await until(async () => {
    const isQuiet = async () => pending.get(page).size === 0 && !(await page.evaluate(() => document.body.innerText.includes('Loading…')));
    if (!(await isQuiet())) return false;
    await page.evaluate(() => new Promise(done => setTimeout(done, 30)));
    return isQuiet();
  }, `${page.url()} is loaded`);
}

/** Opens a place. Returns the operations that were refused. */
async function open(page, [, path, prepare], fresh = true) {
  const refused = new Set();
  const note = response => {
    const { pathname } = new URL(response.url());
    if (response.status() !== 403 || !pathname.startsWith('/api/')) return;
    const method = response.request().method().toLowerCase();
    refused.add(OPERATIONS.find(([verb, expression]) => verb === method && expression.test(pathname))?.[2] ?? pathname);
  };
  page.on('response', note);
  // What was opened before is closed by loading the page again. Otherwise going on within the page is faster.
  if (fresh) await page.goto(server.url + path);
  else {
    await page.evaluate(path => {
      history.pushState(null, '', path);
      dispatchEvent(new PopStateEvent('popstate'));
    }, path);
  }
  await page.getByRole('navigation').first().waitFor();
  await prepare?.(page);
  await settled(page);
  page.off('response', note);
  return refused;
}

const DISABLED = ':is(:disabled, [aria-disabled="true"]):visible';

/** What can be used: the dialog that is open, or the page. */
async function scopeOf(page) {
  const dialog = page.locator('dialog:modal');
  return (await dialog.count()) > 0 ? dialog.last() : page;
}

/** Closes messages of earlier explanations, which would count as that of the next one. */
const clear = page => page.evaluate(() => document.querySelectorAll('.toasts button[title="Dismiss"]').forEach(button => button.click()));

const rules = page => page.getByRole('dialog', { name: 'The rules for this action' });

/** Checks that the dialog with the rules gives a reason, closes it, and returns the operation that it is about. */
async function rulesShown(page) {
  const dialog = rules(page);
  await dialog.getByRole('listitem').first().waitFor();
  const text = await dialog.innerText();
  const operation = /(?:Not met|The reason is another one: \S)/.test(text) ? /rules for ([\w-]+\.[\w.-]+\w)/.exec(text)?.[1] : undefined;
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  return operation;
}

/** Uses a control that is not available, and returns what is wrong with its explanation. */
async function explanationOf(page, control, way) {
  if (await control.evaluate(element => element.matches(':disabled'))) return 'is disabled, so it cannot explain itself';
  const isOption = (await control.getAttribute('role')) === 'option';
  const sentence = isOption ? null : await control.getAttribute('title');
  if (way === 'mouse') await control.click({ force: true });
  else if (isOption) {
    const selected = () => control.evaluate(element => element.getAttribute('aria-selected') === 'true');
    for (let count = 0; count < 100 && !(await selected()); count++) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
  } else {
    await tabTo(page, control);
    await page.keyboard.press('Enter');
  }
  try {
    const dialog = rules(page);
    const told = sentence ? page.getByRole('status').getByText(sentence, { exact: true }) : undefined;
    await (told ? told.or(dialog) : dialog).first().waitFor();
    if (!(await dialog.isVisible())) return undefined;
    if (!(await rulesShown(page))) return 'shows no reason';
    return undefined;
  } catch (error) {
    return `does not show its reasons: ${String(error).split('\n')[0]}`;
  }
}

const seen = { controls: 0, refusals: 0 };

/** Checks one place as one person, by mouse and by keyboard. Returns what is wrong. */
async function check(page, place, { isClean, isFirst }) {
  const faults = [];
  const refused = await open(page, place, !isClean);
  const controls = async () => (await scopeOf(page)).locator(DISABLED);
  const count = await (await controls()).count();
  for (const way of count > 0 ? WAYS : []) {
    for (let at = 0; at < count; at++) {
      // The explanation may have closed what was open.
      if ((await (await controls()).count()) !== count) await open(page, place);
      await clear(page);
      const control = (await controls()).nth(at);
      const name = (await control.getAttribute('aria-label')) ?? (await control.innerText());
      const fault = await explanationOf(page, control, way);
      if (fault) faults.push(`“${name}”, by ${way}, ${fault}`);
    }
  }
  seen.controls += count;
  if (count > 0 && (await (await controls()).count()) !== count) await open(page, place);
  const scope = await scopeOf(page);
  // The navigation is the same everywhere.
  const buttons = (scope === page && !isFirst ? page.locator('#content') : scope).getByRole('button', { name: 'Why?' });
  const explained = new Set();
  for (const way of WAYS) {
    explained.clear();
    for (let at = 0; at < (await buttons.count()); at++) {
      await activate(page, buttons.nth(at), way);
      const operation = await rulesShown(page).catch(() => undefined);
      if (operation) explained.add(operation);
      else faults.push(`Why?, by ${way}, shows no reason`);
    }
  }
  const areas = new Set([...explained].map(operation => String(operation).split('.')[0]));
  for (const operation of refused) {
    // What is behind a dialog is looked at without it, too.
    if (scope === page && !(operation === 'conversations.conversations' && !isFirst) && !areas.has(operation.split('.')[0])) faults.push(`${operation} was refused, and nothing on the screen explains it`);
  }
  seen.refusals += refused.size;
  return faults;
}

describe('access: whatever is refused shows its reasons in one step, by mouse and by keyboard', { concurrency: 3 }, () => {
  for (const who of PEOPLE) {
    test(who, async () => {
      const page = await pageOf(browser, server, people[who]);
      follow(page);
      const faults = [];
      let [isClean, isFirst] = [false, true];
      for (const place of PLACES()) {
        faults.push(...(await check(page, place, { isClean, isFirst })).map(fault => `${place[0]}: ${fault}`));
        [isClean, isFirst] = [!place[2], false];
      }
      await page.context().close();
      assert.deepEqual([...faults, ...page.faults], []);
    });
  }
});

test('access: the sample contains controls and refusals, so that the test above cannot pass by seeing nothing', () => {
  assert.ok(seen.controls >= 20 && seen.refusals >= 20, JSON.stringify(seen));
});
