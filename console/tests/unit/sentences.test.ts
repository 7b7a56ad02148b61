import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Blocks, blocksOf } from '../../src/text/blocks';
import { SentenceReader, type Announcement } from '../../src/text/sentences';
import { forSeeds } from './seeded';

/** What is announced while a text arrives in pieces. */
function announced(pieces: readonly string[]): Announcement[] {
  const [blocks, reader] = [new Blocks(), new SentenceReader('en')];
  const all = pieces.flatMap((piece) => reader.read(blocks.append(piece)));
  return [...all, ...reader.read(blocks.finish())];
}

const texts = (announcements: readonly Announcement[]) => announcements.map((one) => (one.kind === 'sentence' ? one.text : one.kind));

test('sentences are announced whole, as soon as the next one begins', () => {
  const [blocks, reader] = [new Blocks(), new SentenceReader('en')];
  const after = (piece: string) => texts(reader.read(blocks.append(piece)));
  assert.deepEqual(after('High water is at **no'), []);
  assert.deepEqual(after('on**. '), []);
  assert.deepEqual(after('Low water'), ['High water is at noon.']);
  assert.deepEqual(after(' is at six.\n\n'), []);
  assert.deepEqual(after('# N'), ['Low water is at six.']);
});

test('sentences of a text are announced once and in order, whatever the pieces', () => {
  const text = '# Tides\n\nHigh water. It is *noon* [1]. Go!\n\n- one\n- two\n\n```js\nlet a;\nlet b;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n$$\nx\n$$\n\nThe end.';
  const whole = texts(new SentenceReader('en').read(blocksOf(text)));
  assert.deepEqual(whole, ['Tides', 'High water.', 'It is noon .', 'Go!', 'one', 'two', 'code', 'table', 'formula', 'The end.']);
  forSeeds(50, (random) => assert.deepEqual(texts(announced(random.pieces(text, 6))), whole));
});

test('sentences describe code and tables by their size', () => {
  const announcements = new SentenceReader('en').read(blocksOf('```rust\na\nb\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n'));
  assert.deepEqual(announcements, [
    { kind: 'code', language: 'rust', lines: 2 },
    { kind: 'table', columns: 2, rows: 1 },
  ]);
});

test('sentences that are there already are skipped for a reader who joins later', () => {
  const [blocks, reader] = [new Blocks(), new SentenceReader('en')];
  reader.skip(blocks.append('One. Two. Thr'));
  assert.deepEqual(texts([...reader.read(blocks.append('ee. Four.')), ...reader.read(blocks.finish())]), ['Three.', 'Four.']);
});
