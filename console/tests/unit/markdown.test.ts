import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Token, Tokens } from 'marked';
import { Blocks, blocksOf } from '../../src/text/blocks';
import { imageAddress } from '../../src/text/links';
import { plainText } from '../../src/text/tokens';

const tokensOf = (text: string): Token[] => blocksOf(text).flatMap(({ tokens }) => tokens).filter(({ type }) => type !== 'space');
const typesOf = (tokens: readonly Token[] | undefined) => (tokens ?? []).map(({ type }) => type);

/** What is shown after each character of a text that is being written. */
function* writing(text: string): Generator<Token[]> {
  const blocks = new Blocks();
  for (let end = 1; end <= text.length; end++) yield blocks.update(text.slice(0, end)).flatMap(({ tokens }) => tokens);
}

test('footnotes: references and footnotes of one and of several lines', () => {
  const [paragraph, first, second] = tokensOf('High[^1] and low[^low tide][^note].\n\n[^1]: At *noon*,\n    or later.\n[^note]: https://example.org\n');
  assert.deepEqual(typesOf((paragraph as Tokens.Paragraph).tokens), ['text', 'footnoteReference', 'text', 'footnoteReference', 'text']);
  assert.equal(first?.type, 'footnote');
  assert.deepEqual([(first as Tokens.Generic).label, plainText((first as Tokens.Generic).tokens)], ['1', 'At noon,\nor later.']);
  assert.deepEqual([(second as Tokens.Generic).label, typesOf((second as Tokens.Generic).tokens)], ['note', ['link']]);
});

test('footnotes: other brackets stay what they are', () => {
  assert.deepEqual(typesOf((tokensOf('[a](https://example.org) and [2]')[0] as Tokens.Paragraph).tokens), ['link', 'text', 'citation']);
  // A footnote is no definition of a link that other texts could refer to.
  assert.equal(plainText(tokensOf('[^a]: https://example.org\n\n[^b]')).trim(), 'https://example.org');
  assert.deepEqual(typesOf(tokensOf('`[^1]`')), ['paragraph']);
});

test('a formula that is half written is shown as one, and other text as text', () => {
  const text = 'Before.\n\n$$\n\\omega = \\frac{2\\pi}{T}\n$$\n\nAfter.';
  let seen = 0;
  for (const tokens of writing(text)) {
    const math = tokens.filter(({ type }) => type === 'math');
    if ((math[0] as { open?: boolean } | undefined)?.open) seen++;
    // The dollar signs and commands do not appear as text while they are written.
    assert.doesNotMatch(plainText(tokens.filter(({ type }) => type === 'paragraph')), /\\frac|\$\$/);
  }
  assert.ok(seen > 10);
  for (const formula of ['$$\nx\n$$', '$$x$$', '\\[\nx\n\\]']) {
    assert.deepEqual(typesOf([...writing(formula)].at(-1)), ['math'], `${formula} is shown as soon as it is complete`);
    assert.deepEqual(typesOf([...writing(`${formula}\n`)].at(-1)), ['math']);
  }
  assert.deepEqual(typesOf(tokensOf(text)), ['paragraph', 'math', 'paragraph']);
  assert.deepEqual(typesOf(tokensOf('It costs $5, or $$ for two')), ['paragraph']);
});

test('lists in lists, tasks, and their numbers', () => {
  const [list] = tokensOf('3. Three\n   - a\n     - b\n   - c\n4. Four\n') as Tokens.List[];
  assert.deepEqual([list?.ordered, list?.start, list?.items.length], [true, 3, 2]);
  const inner = list?.items[0]?.tokens.find(({ type }) => type === 'list') as Tokens.List;
  assert.deepEqual([inner.ordered, inner.items.length], [false, 2]);
  assert.equal(inner.items[0]?.tokens.some(({ type }) => type === 'list'), true);
  const [tasks] = tokensOf('- [x] done\n- [ ] not done\n') as Tokens.List[];
  assert.deepEqual(tasks?.items.map(({ task, checked }) => [task, checked]), [[true, true], [true, false]]);
});

test('tables: narrow, wide, and with missing cells', () => {
  const wide = Array.from({ length: 30 }, (_, at) => `c${at}`).join(' | ');
  const [table] = tokensOf(`| ${wide} |\n|${'---|'.repeat(30)}\n| ${wide} |\n`) as Tokens.Table[];
  assert.deepEqual([table?.type, table?.header.length, table?.rows[0]?.length], ['table', 30, 30]);
  const [narrow] = tokensOf('| a | b |\n|:-:|--:|\n| 1 |\n') as Tokens.Table[];
  assert.deepEqual([narrow?.align, narrow?.rows[0]?.length], [['center', 'right'], 2]);
});

test('images: only those in the text itself are shown, others are links, and scripts are nothing', () => {
  assert.equal(imageAddress('data:image/png;base64,iVBORw0KGgo=')?.kind, 'embedded');
  assert.equal(imageAddress('https://example.org/a.png')?.kind, 'remote');
  for (const address of ['javascript:alert(1)', 'data:image/svg+xml;base64,PHN2Zz4=', 'data:text/html,x', '/relative.png', 'file:///etc/passwd']) assert.equal(imageAddress(address), null, address);
});

test('text from right to left keeps its characters and structure', () => {
  const text = '# المد والجزر\n\nيرتفع **المد** مرتين [1].\n\n- واحد\n- اثنان\n';
  const tokens = tokensOf(text);
  assert.deepEqual(typesOf(tokens), ['heading', 'paragraph', 'list']);
  assert.match(plainText(tokens), /يرتفع المد مرتين/);
});
