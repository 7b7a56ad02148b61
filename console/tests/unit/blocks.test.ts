import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Token } from 'marked';
import { Blocks, blocksOf, type Block } from '../../src/text/blocks';
import { noLinks, parseBlocks } from '../../src/text/lexer';
import { plainText } from '../../src/text/tokens';
import { document, sentence } from './markdown';
import { forSeeds, Random } from './seeded';

function streamed(pieces: readonly string[], blocks = new Blocks()): readonly Block[] {
  for (const piece of pieces) blocks.append(piece);
  return blocks.finish();
}

/** Tokens without those that are not shown. */
function shown(tokens: readonly Token[]): readonly Token[] {
  return tokens.filter((token) => token.type !== 'space' && token.type !== 'def');
}

/** What is drawn: types, texts and attributes, but not the source. */
function essence(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(essence);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => key !== 'raw');
  return Object.fromEntries(entries.map(([key, inner]) => [key, essence(inner)]));
}

const DOCUMENT_CASES = 200;

test('blocks of a text do not depend on the pieces in which it arrives', () => {
  forSeeds(DOCUMENT_CASES, (random) => {
    const text = document(random, 1 + random.below(8));
    const whole = blocksOf(text);
    for (const most of [1, 7, 60]) assert.deepEqual(streamed(random.pieces(text, most)), whole);
  });
});

test('blocks of arbitrary characters do not depend on the pieces in which they arrive', () => {
  const alphabet = ['`', '```', '~~~', '$', '$$', '*', '**', '_', '[', ']', '(', ')', '<', '>', '> ', '- ', '1. ', '#', '# ', '|', '\\', '\n', '\n\n', ' ', '    ', 'a', '1', '=', '---', '\t', '&amp;', '!', '\\[', '\\]', '~', ':'];
  forSeeds(2000, (random) => {
    const text = Array.from({ length: 1 + random.below(40) }, () => random.pick(alphabet)).join('');
    const whole = blocksOf(text);
    assert.deepEqual(streamed([...text]), whole, JSON.stringify(text));
    assert.deepEqual(streamed(random.pieces(text, 9)), whole, JSON.stringify(text));
  });
});

test('blocks joined equal the text parsed as a whole', () => {
  forSeeds(DOCUMENT_CASES, (random) => {
    const text = document(random, 1 + random.below(8));
    const apart = blocksOf(text).flatMap((block) => shown(block.tokens));
    const whole = shown(parseBlocks(text, noLinks(), { chars: 0 }));
    assert.deepEqual(essence(apart), essence(whole), text);
  });
});

test('blocks cover the text without gaps', () => {
  forSeeds(DOCUMENT_CASES, (random) => {
    const text = document(random, 1 + random.below(8));
    assert.equal(blocksOf(text).map((block) => block.source).join(''), text);
  });
});

test('blocks that have ended stay the same objects', () => {
  const text = document(new Random(1), 40);
  const blocks = new Blocks();
  let former: readonly Block[] = [];
  for (let end = 1; end <= text.length; end += 3) {
    const now = blocks.update(text.slice(0, end));
    former.filter((block) => block.settled).forEach((block, at) => assert.equal(now[at], block));
    former = now;
  }
});

test('blocks parse at most three times the length of a text, at any size of its pieces', () => {
  const random = new Random(2);
  let text = '';
  while (text.length < 100_000) text += `${document(random, 5)}\n${sentence(random)} ${sentence(random)}\n\n`;
  for (const most of [1, 2, 5, 30, 1000]) {
    const blocks = new Blocks();
    streamed(random.pieces(text, most), blocks);
    assert.ok(blocks.count.chars <= 3 * text.length, `pieces of ${most}: ${blocks.count.chars / text.length} times`);
    assert.ok(blocks.count.chars >= text.length / 2, 'the count must count');
  }
});

test('blocks for the page and for announcements together parse at most three times the length of a text', () => {
  const random = new Random(4);
  let text = '';
  while (text.length < 100_000) text += document(random, 5);
  const [page, announcements] = [new Blocks(), new Blocks()];
  let written = '';
  // 300 pieces arrive between two announcements.
  for (const [at, piece] of random.pieces(text, 80).entries()) {
    written += piece;
    page.update(written);
    if (at % 300 === 0) announcements.update(written);
  }
  page.finish();
  announcements.update(text);
  announcements.finish();
  const parsed = page.count.chars + announcements.count.chars;
  assert.ok(parsed <= 3 * text.length, `${parsed / text.length} times`);
});

for (const [name, unit] of Object.entries({
  paragraph: 'word *emphasis* and `code` ',
  'long line of delimiters': '*a **b _c [d ',
  list: '- item with **bold** words and more\n',
  'nested list': '  - item\n    - inner\n',
  quote: '> quoted *words*\n',
  table: '| a | **b** |\n',
  lines: 'a line of plain text\n',
  'links defined late': '[a][label] [b][label] words.\n\n',
})) {
  test(`blocks parse at most three times the length of an endless ${name}`, () => {
    const text = `${name === 'table' ? '| x | y |\n|---|---|\n' : ''}${unit.repeat(Math.ceil(60_000 / unit.length))}\n\n[label]: https://example.org/\n`;
    const blocks = new Blocks();
    streamed(new Random(3).pieces(text, 8), blocks);
    assert.ok(blocks.count.chars <= 3 * text.length + 8_000, `${blocks.count.chars / text.length} times`);
  });
}

test('blocks of an open code block are parsed when it ends', () => {
  const blocks = new Blocks();
  const code = '```rust\nfn main() {\n';
  assert.deepEqual(essence(blocks.update(code)[0]?.tokens), [{ type: 'code', lang: 'rust', text: 'fn main() {' }]);
  assert.equal(blocks.update(`${code}}\n\`\`\``)[0]?.settled, false);
  assert.deepEqual(essence(blocks.update(`${code}}\n\`\`\``)[0]?.tokens), [{ type: 'code', lang: 'rust', text: 'fn main() {\n}' }]);
  assert.equal(blocks.update(`${code}}\n\`\`\`\n`)[0]?.settled, true);
  assert.equal(blocks.count.chars, 0);
});

test('blocks show half-open emphasis, code and links in their form', () => {
  const tokensOf = (text: string) => {
    const blocks = new Blocks();
    let tokens: readonly Token[] = [];
    for (let end = 1; end <= text.length; end += 1) tokens = blocks.update(text.slice(0, end)).at(-1)!.tokens;
    return (tokens[0] as { tokens: Token[] }).tokens.map((token) => [token.type, plainText([token])]);
  };
  assert.deepEqual(tokensOf('so **it is'), [['text', 'so '], ['strong', 'it is']]);
  assert.equal(tokensOf('run `npm ci')[1]?.[0], 'codespan');
  assert.ok(tokensOf('see [the page](https://exam').every(([, text]) => !text?.includes('http')));
});

test('blocks resolve links that are defined after they are used', () => {
  const blocks = streamed([...'See [the tables][t] now.\n\nMore.\n\n[t]: https://example.org/tides\n']);
  const paragraph = blocks[0]!.tokens[0] as { tokens: Token[] };
  assert.equal((paragraph.tokens[1] as { href: string }).href, 'https://example.org/tides');
});

test('blocks start over if the text does not continue the former one', () => {
  const blocks = new Blocks();
  blocks.update('# One\n\ntext');
  blocks.update('# Two\n\nother');
  assert.deepEqual(blocks.finish(), blocksOf('# Two\n\nother'));
});
