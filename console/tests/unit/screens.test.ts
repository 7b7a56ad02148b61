import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { OPERATIONS } from '../../src/api/operations';
import { memberOf } from '../../src/overview/member';
import { ENUMERATED, VIEWS } from '../../src/overview/views';
import { de } from '../../src/words/de';
import { en } from '../../src/words/en';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const patterns = JSON.parse(read('../../src/shell/screens.json')) as string[];
/** Paths that are shown without an account. */
const PUBLIC = ['/join', '/login', '/login/forgotten'];

test('screens: every path has a screen or a summary, and nothing else has', () => {
  const own = [...read('../../src/shell/screens.ts').matchAll(/^ {2}'(\/[^']*)':/gm)].map(match => match[1] as string);
  assert.deepEqual([...own, ...Object.keys(VIEWS), ...PUBLIC].sort(), [...patterns].sort());
  assert.deepEqual(patterns, [...patterns].sort());
});

test('screens: the server can read the list as an expression of Rust', () => {
  for (const pattern of patterns) assert.match(pattern, /^\/$|^(\/:?[a-z][a-z-]*)+$/);
});

test('screens: links of notifications have a screen', () => {
  const table = read('../../../docs/notifications.md').split('### Where `link` leads')[1]?.split('\n## ')[0] ?? '';
  const links = [...table.matchAll(/`(\/[a-z/<>-]+)`/g)].map(match => (match[1] as string).replace('<id>', ':id'));
  assert.ok(links.length >= 10, links.join(' '));
  for (const link of links) assert.ok(patterns.includes(link), link);
});

test('summaries: operations take the parameter of the path, facts exist in their responses, and enumerations have words', () => {
  const document = JSON.parse(read('../../../openapi.json'));
  const resolve = (schema: any): any => (schema?.$ref ? resolve(memberOf(document, schema.$ref.slice(2).split('/').join('.'))) : schema);
  const memberSchema = (schema: any, name: string): any => {
    const known = resolve(schema);
    if (known?.properties?.[name]) return known.properties[name];
    for (const variant of [...(known?.oneOf ?? []), ...(known?.anyOf ?? []), ...(known?.allOf ?? [])]) {
      const found = memberSchema(variant, name);
      if (found) return found;
    }
    return undefined;
  };
  const follow = (schema: any, path: string) => path.split('.').reduce((value, name) => memberSchema(value, name), schema);
  const values = new Set<string>();
  /** Checks that a member exists, and collects the values of an enumeration. */
  const check = (schema: any, member: string, where: string) => {
    const found = follow(schema, member);
    assert.ok(found, `${where}: ${member}`);
    const choices: any[] = [found, ...(found.oneOf ?? [])].flatMap(variant => resolve(variant)?.enum ?? []);
    assert.equal(choices.length > 0, ENUMERATED.has(member), `${where}: ${member} is an enumeration, or is not`);
    for (const choice of choices) values.add(choice);
  };
  for (const [pattern, view] of Object.entries(VIEWS)) {
    const [method, path] = OPERATIONS[view.operation];
    assert.equal(path.includes(`{${view.parameter}}`), view.parameter !== undefined, pattern);
    const response = document.paths[path][method].responses['200'].content['application/json'].schema;
    for (const member of [view.name, view.text, ...(view.facts ?? []).map(([member]) => member)]) {
      if (member) check(response, member, pattern);
    }
    if (!view.rows) continue;
    const item = resolve(follow(response, view.rows.in))?.items;
    for (const member of [view.rows.id, view.rows.title, ...view.rows.facts.map(([member]) => member)]) {
      check(item, member, `${pattern}, a row`);
    }
  }
  assert.deepEqual(Object.keys(en.overview.values).sort(), [...values].sort());
});

test('words: German has every text of English, and no other', () => {
  const keysOf = (words: object, prefix = ''): string[] =>
    Object.entries(words).flatMap(([key, value]) => (typeof value === 'object' ? keysOf(value, `${prefix}${key}.`) : [`${prefix}${key}`]));
  assert.deepEqual(keysOf(de).sort(), keysOf(en).sort());
});
