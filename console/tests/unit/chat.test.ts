import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { OPERATIONS } from '../../src/api/operations';
import { Heights } from '../../src/chat/window';

test('every operation of the console is in the OpenAPI document, with this method and path', () => {
  const { paths } = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8'));
  for (const [id, [method, path]] of Object.entries(OPERATIONS)) assert.equal(paths[path]?.[method]?.operationId, id);
});

test('a window contains what is in the view, and its heights add up', () => {
  const ids = Array.from({ length: 1000 }, (_, at) => `m${at}`);
  const heights = new Heights();
  heights.setItems(ids, at => 50 + (at % 7) * 30);
  for (const scrollTop of [0, 1, 777, 50_000, heights.total - 800]) {
    const { start, end, before, after } = heights.range(scrollTop, 800, 400);
    const top = heights.top(start);
    const bottom = end < ids.length ? heights.top(end) : heights.total;
    assert.ok(top <= Math.max(0, scrollTop - 400) && bottom >= Math.min(heights.total, scrollTop + 1200));
    assert.equal(before, top);
    assert.equal(after, heights.total - bottom);
  }
});

test('an anchor is the topmost item with a measured height, and stays where it is when heights above it become known', () => {
  const heights = new Heights();
  heights.setItems(['a', 'b', 'c', 'd'], () => 100);
  assert.deepEqual(heights.anchor(150, 100), { place: 1, offset: 50 });
  assert.equal(heights.measure(2, 100), false);
  assert.deepEqual(heights.anchor(150, 100), { place: 2, offset: -50 });
  assert.deepEqual(heights.anchor(50, 100), { place: 0, offset: 50 });
  assert.equal(heights.measure(0, 340), true);
  assert.equal(heights.top(1), 340);
  assert.equal(heights.measure(0, 340), false);
  assert.equal(heights.measure(7, 340), false);
});

test('a height stays when its message is unloaded, and is estimated again for another message', () => {
  const heights = new Heights();
  heights.setItems([undefined, undefined, 'c'], at => (at === 2 ? 100 : 150));
  assert.equal(heights.total, 400);
  heights.setItems(['a', 'b', 'c'], () => 70);
  assert.equal(heights.total, 240);
  heights.measure(1, 200);
  heights.setItems(['a', undefined, 'c'], () => 1);
  assert.equal(heights.total, 370);
  heights.setItems(['a', 'b', 'c', 'd'], () => 10);
  assert.equal(heights.total, 380);
  heights.setItems(['a', 'x'], () => 5);
  assert.deepEqual([heights.count, heights.total], [2, 75]);
  heights.setItems(['a', 'x', 'y'], () => 6);
  assert.equal(heights.total, 81);
});
