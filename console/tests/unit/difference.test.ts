import assert from 'node:assert/strict';
import { test } from 'node:test';
import { difference, merged } from '../../src/text/difference';
import { sentence } from './markdown';
import { forSeeds } from './seeded';

const parts = (text: string, changes: readonly { start: number; end: number }[]) => changes.map(({ start, end }) => text.slice(start, end));

test('difference: words that only one text has', () => {
  const [first, second] = ['The tide rises twice a day, always.', 'The tide rises and falls twice a day.'];
  const { removed, added, isTotal } = difference(first, second);
  assert.deepEqual(parts(first, removed), [', always']);
  assert.deepEqual(parts(second, added), ['and falls']);
  assert.equal(isTotal, false);
});

test('difference: equal texts, empty texts, and other blanks', () => {
  assert.deepEqual(difference('a b', 'a\n\nb'), { removed: [], added: [], isTotal: false });
  assert.deepEqual(difference('', ''), { removed: [], added: [], isTotal: false });
  assert.deepEqual(difference('', 'new'), { removed: [], added: [{ start: 0, end: 3 }], isTotal: false });
  assert.deepEqual(difference('old', ''), { removed: [{ start: 0, end: 3 }], added: [], isTotal: false });
});

test('difference: what remains without the changes is the same in both texts', () => {
  forSeeds(300, random => {
    const words = (text: string) => text.split(/(\s+)/);
    const first = sentence(random) + sentence(random);
    const second = words(first).filter(() => random.below(8) > 0).join('') + (random.below(2) ? ' in the end' : '');
    const { removed, added } = difference(first, second);
    const without = (text: string, changes: readonly { start: number; end: number }[]) =>
      changes.toReversed().reduce((rest, { start, end }) => rest.slice(0, start) + rest.slice(end), text).replace(/\s+/g, '');
    assert.equal(without(first, removed), without(second, added), `${first}\n${second}`);
  });
});

test('merged: contains both texts', () => {
  assert.deepEqual(merged('high tide at noon', 'low tide at noon.'), [
    { kind: 'removed', text: 'high' },
    { kind: 'added', text: 'low' },
    { kind: 'same', text: ' tide at noon' },
    { kind: 'added', text: '.' },
  ]);
  forSeeds(300, random => {
    const [first, second] = [sentence(random), sentence(random)];
    const of = (kind: string) => merged(first, second).filter(run => run.kind === 'same' || run.kind === kind).map(({ text }) => text).join('').replace(/\s+/g, '');
    assert.equal(of('added'), second.replace(/\s+/g, ''));
    assert.equal(of('removed'), first.replace(/\s+/g, ''));
  });
});

test('difference: long texts that have little in common are compared within bounds', () => {
  const text = (word: string) => Array.from({ length: 20_000 }, (_, at) => `${word}${at}`).join(' ');
  const { isTotal, removed } = difference(text('a'), text('b'));
  assert.equal(isTotal, true);
  assert.equal(removed.length, 1);
});
