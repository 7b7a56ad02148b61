import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BranchItem, Message } from '../../src/api/types';
import { Branch, nextPage } from '../../src/chat/branch';
import { merged } from '../../src/chat/matches';
import { pieces } from '../../src/shell/snippet';
import { forSeeds } from './seeded';

const message = (id: string, parent_id: string | null) => ({ id, parent_id, role: 'user' }) as Message;

/** The messages m1 to m<total>, of which each follows the one before. */
const item = (position: number): BranchItem => ({
  ...(message(`m${position}`, position > 1 ? `m${position - 1}` : null) as BranchItem), position, sibling_number: 1, sibling_ids: [`m${position}`],
});
const items = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => item(to - at));
const branch = (total: number, from = total, to = total) => new Branch({ items: items(from, to), total, leaf_id: `m${total}` });
const ids = (branch: Branch) => Array.from({ length: branch.total }, (_, place) => branch.at(place)?.id ?? '-').join(' ');

/** Reads pages as the server returns them until nothing is missing; returns the requests. */
function readAll(of: Branch, view: { start: number; end: number }, margin: number, limit: number) {
  const requests = [];
  for (let request = nextPage(of, view, margin, limit); request; request = nextPage(of, view, margin, limit)) {
    requests.push(request);
    of.insert(items(Math.max(1, request.before - request.limit), request.before - 1));
    assert.ok(requests.length < 1000);
  }
  return requests;
}

test('a page is requested around the middle of the view, and only once', () => {
  assert.deepEqual(nextPage(branch(1000, 951, 1000), { start: 500, end: 510 }, 15, 50), { before: 531, limit: 50 });
  assert.deepEqual(readAll(branch(1000, 951, 1000), { start: 500, end: 510 }, 15, 50), [{ before: 531, limit: 50 }]);
  assert.equal(nextPage(branch(50, 1, 50), { start: 0, end: 50 }, 15, 50), undefined);
  assert.equal(nextPage(branch(0), { start: 0, end: 10 }, 15, 50), undefined);
  assert.equal(nextPage(branch(1000, 951, 1000), { start: 0, end: 0 }, 15, 50), undefined);
});

test('a page does not repeat what is loaded', () => {
  assert.deepEqual(nextPage(branch(1000, 951, 1000), { start: 955, end: 965 }, 15, 50), { before: 951, limit: 50 });
  const of = branch(100, 91, 100);
  of.insert(items(71, 80));
  assert.deepEqual(nextPage(of, { start: 75, end: 95 }, 15, 50), { before: 91, limit: 10 });
});

test('scrolling to the top reads every message exactly once', () => {
  const of = branch(1234, 1185, 1234);
  let read = of.size;
  for (let top = 1225; top >= 0; top -= 3) for (const { limit } of readAll(of, { start: top, end: top + 8 }, 15, 50)) read += limit;
  assert.equal(read, 1234);
  assert.equal(ids(of), Array.from({ length: 1234 }, (_, at) => `m${at + 1}`).join(' '));
});

test('any views: what they show is loaded, and at most so many messages stay loaded', () => {
  forSeeds(20, random => {
    const of = branch(5000, 4951, 5000);
    for (let round = 0; round < 30; round++) {
      const start = random.below(5000);
      const view = { start, end: Math.min(5000, start + 20) };
      readAll(of, view, 15, 50);
      of.evict(view, 300);
      assert.ok(of.size <= 300);
      for (let place = view.start; place < view.end; place++) assert.equal(of.at(place)?.id, `m${place + 1}`);
      assert.equal(of.at(4999)?.id, 'm5000');
    }
  });
});

test('a branch continues after its end, also if that is not loaded', () => {
  const of = branch(100, 1, 3);
  assert.equal(of.extend([message('q', 'm100'), message('a', 'q')]), true);
  assert.deepEqual([of.total, of.leaf, of.at(100)?.id, of.placeOf('a')], [102, 'a', 'q', 101]);
  assert.deepEqual(of.versionsOf(message('q', 'm100')), ['q']);
  assert.equal(of.extend([message('x', 'unknown')]), false);
  // The versions of m51 are not known, because it is not loaded.
  assert.equal(of.extend([message('x', 'm50')]), false);
});

test('a new version takes the place of what followed', () => {
  const of = branch(4, 1, 4);
  of.addVersion(message('x', 'm2'));
  assert.deepEqual(of.versionsOf(message('m3', 'm2')), ['m3', 'x']);
  assert.equal(of.extend([message('x', 'm2'), message('y', 'x')]), true);
  assert.equal(ids(of), 'm1 m2 x y');
  assert.deepEqual(of.versionsOf(message('x', 'm2')), ['m3', 'x']);
  assert.equal(of.extend([message('first', null)]), true);
  assert.equal(ids(of), 'first');
  assert.deepEqual(of.versionsOf(message('first', null)), ['m1', 'first']);
  const empty = new Branch();
  assert.equal(empty.extend([message('q', null)]), true);
  assert.equal(ids(empty), 'q');
});

test('another branch takes over what both have in common', () => {
  const former = branch(6, 1, 6);
  const next = new Branch({ items: [{ ...item(5), id: 'x' }, item(4)], total: 5, leaf_id: 'x' });
  next.adopt(former);
  assert.equal(ids(next), 'm1 m2 m3 m4 x');
  const foreign = new Branch({ items: [{ ...item(3), id: 'c', parent_id: 'b' }], total: 3, leaf_id: 'c' });
  foreign.adopt(former);
  assert.equal(ids(foreign), '- - c');
});

test('a deleted message makes a branch incomplete, and is no version any more', () => {
  const of = branch(3, 1, 3);
  of.addVersion(message('x', 'm1'));
  assert.equal(of.remove('x'), false);
  assert.deepEqual(of.versionsOf(message('m2', 'm1')), ['m2']);
  assert.equal(of.remove('m2'), true);
});

test('matches are merged, the newest first', () => {
  const match = (id: string, created_at: string) => ({ id, created_at });
  const [a, b, c, d] = [match('1', '2026-01-01'), match('2', '2026-01-02'), match('3', '2026-01-02'), match('4', '2026-01-03')];
  assert.deepEqual(merged([b, a], [d, c, b]).map(({ id }) => id), ['4', '3', '2', '1']);
});

test('the ranges of a snippet count code points', () => {
  assert.deepEqual(pieces({ text: '🌊 high tide 🌊', ranges: [{ start: 2, end: 6 }, { start: 7, end: 11 }] }).map(({ text, isMatch }) => (isMatch ? `[${text}]` : text)).join(''), '🌊 [high] [tide] 🌊');
  assert.deepEqual(pieces({ text: 'tide', ranges: [] }), [{ text: 'tide', isMatch: false }]);
  assert.deepEqual(pieces({ text: 'tide', ranges: [{ start: 0, end: 9 }, { start: 2, end: 3 }] }), [{ text: 'tide', isMatch: true }]);
  const marked = { text: '**twice a tide**, `at` noon. ## How high', ranges: [{ start: 10, end: 14 }] };
  assert.deepEqual(pieces(marked).map(({ text, isMatch }) => (isMatch ? `[${text}]` : text)).join(''), 'twice a [tide], at noon. How high');
});
