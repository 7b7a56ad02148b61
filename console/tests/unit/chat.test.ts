import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { OPERATIONS } from '../../src/api/operations';
import { MessageTree } from '../../src/chat/tree';
import { Heights } from '../../src/chat/window';

test('every operation of the console is in the OpenAPI document, with this method and path', () => {
  const { paths } = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8'));
  for (const [id, [method, path]] of Object.entries(OPERATIONS)) assert.equal(paths[path]?.[method]?.operationId, id);
});

const message = (id: string, parent_id: string | null, role: 'user' | 'assistant') => ({ id, parent_id, role, created_at: '2026-11-27T12:00:00Z' });

test('a tree gives branches, versions and the latest branch below a message', () => {
  const tree = new MessageTree([
    message('q1', null, 'user'), message('a1', 'q1', 'assistant'), message('a2', 'q1', 'assistant'), message('q2', 'a1', 'user'), message('q3', 'a1', 'user'), message('a3', 'q3', 'assistant'),
  ]);
  assert.deepEqual(tree.branch('a3').map(({ id }) => id), ['q1', 'a1', 'q3', 'a3']);
  assert.deepEqual(tree.versions(message('a1', 'q1', 'assistant')).map(({ id }) => id), ['a1', 'a2']);
  assert.equal(tree.leafBelow('a1'), 'a3');
  assert.equal(tree.leafBelow('a2'), 'a2');
  tree.delete('a3');
  assert.equal(tree.leafBelow('a1'), 'q3');
});

test('a tree with a cycle ends', () => {
  const tree = new MessageTree([message('a', 'b', 'user'), message('b', 'a', 'assistant')]);
  assert.equal(tree.branch('a').length, 2);
  assert.ok(['a', 'b'].includes(tree.leafBelow('a')));
});

test('a window contains what is in the view, and its heights add up', () => {
  const ids = Array.from({ length: 1000 }, (_, at) => `m${at}`);
  const heights = new Heights();
  heights.setItems(ids, ids.map((_, at) => 50 + (at % 7) * 30));
  for (const scrollTop of [0, 1, 777, 50_000, heights.total - 800]) {
    const { start, end, before, after } = heights.range(scrollTop, 800, 400);
    const top = heights.top(`m${start}`) ?? NaN;
    const bottom = end < ids.length ? (heights.top(`m${end}`) ?? NaN) : heights.total;
    assert.ok(top <= Math.max(0, scrollTop - 400) && bottom >= Math.min(heights.total, scrollTop + 1200));
    assert.equal(before, top);
    assert.equal(after, heights.total - bottom);
  }
});

test('an anchor stays where it is when heights above it become known', () => {
  const heights = new Heights();
  heights.setItems(['a', 'b', 'c'], [100, 100, 100]);
  assert.deepEqual(heights.anchor(150), { id: 'b', offset: 50 });
  assert.equal(heights.measure('a', 340), true);
  assert.equal(heights.top('b'), 340);
  assert.equal(heights.measure('a', 340), false);
  heights.setItems(['a', 'x', 'b'], [100, 100, 100]);
  assert.equal(heights.top('b'), 440);
});
