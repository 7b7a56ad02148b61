import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_ANSWER, STEPS, textOf, type Answer } from '../../src/live/answer';
import type { StreamEvent } from '../../src/live/event';
import { fold } from '../../src/live/fold';
import { journal, merged, numbered, RUN } from './journal';
import { forSeeds, Random } from './seeded';

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) frozen(inner);
  }
  return value;
}

function folded(events: readonly StreamEvent[], from: Answer = NO_ANSWER): Answer {
  const { answer, gap } = fold(frozen(from), events);
  assert.equal(gap, false);
  return answer;
}

test('fold in two steps equals the whole at every split', () => {
  forSeeds(300, (random) => {
    const events = frozen(journal(random));
    const whole = folded(events);
    for (let at = 0; at <= events.length; at += 1) {
      assert.deepEqual(folded(events.slice(at), folded(events.slice(0, at))), whole);
    }
  });
});

test('fold equals the whole when a stream is read again from any earlier position', () => {
  forSeeds(60, (random) => {
    const events = journal(random);
    const whole = folded(events);
    for (let seen = 0; seen <= events.length; seen += 1) {
      const before = folded(events.slice(0, seen));
      for (let after = 0; after <= seen; after += 1) assert.deepEqual(folded(events.slice(after), before), whole);
    }
  });
});

test('fold equals the whole when past deltas are merged, at every position', () => {
  forSeeds(150, (random) => {
    const events = journal(random);
    const whole = folded(events);
    for (let seen = 0; seen <= events.length; seen += 1) {
      const rest = merged(events.slice(seen), seen + random.below(events.length));
      const { answer, gap } = fold(folded(events.slice(0, seen)), rest, { folded: true });
      assert.equal(gap, false);
      assert.deepEqual(answer, whole);
    }
  });
});

test('fold ignores duplicates and events of other runs', () => {
  forSeeds(100, (random) => {
    const events = journal(random);
    const noisy = events.flatMap((event, at) => [event, event, events[random.below(at + 1)]!, { ...event, run_id: 'other', seq: event.seq + 1 }]);
    assert.deepEqual(folded(noisy), folded(events));
  });
});

test('fold detects a missing event, and includes what precedes it', () => {
  forSeeds(50, (random) => {
    const events = journal(random);
    for (let lost = 0; lost < events.length - 1; lost += 1) {
      const { answer, gap } = fold(NO_ANSWER, [...events.slice(0, lost), ...events.slice(lost + 1)]);
      assert.equal(gap, true);
      assert.deepEqual(answer, folded(events.slice(0, lost)));
      assert.deepEqual(folded(events.slice(answer.seq), answer), folded(events));
    }
  });
});

test('fold returns the same object if nothing is new', () => {
  const answer = folded(journal(new Random(1)));
  assert.equal(fold(answer, journal(new Random(1))).answer, answer);
});

test('fold shares parts that do not change', () => {
  const events = numbered([
    { type: 'text.start', data: { part: 'a' } },
    { type: 'text.delta', data: { part: 'a', text: 'one' } },
    { type: 'text.start', data: { part: 'b' } },
    { type: 'text.delta', data: { part: 'b', text: 'two' } },
  ]);
  const before = folded(events.slice(0, 3));
  const after = folded(events.slice(3), before);
  assert.equal(after.parts[0], before.parts[0]);
  assert.equal(textOf(after), 'onetwo');
});

test('fold discards the answer at a reset, but not its cost', () => {
  const events = numbered([
    { type: 'text.start', data: { part: 'a' } },
    { type: 'text.delta', data: { part: 'a', text: 'lost' } },
    { type: 'usage', data: { input_tokens: 1, output_tokens: 2, cost_nanos: 9 } },
    { type: 'run.reset', data: {} },
    { type: 'text.start', data: { part: 'b' } },
    { type: 'text.delta', data: { part: 'b', text: 'new' } },
  ]);
  const answer = folded(events);
  assert.equal(textOf(answer), 'new');
  assert.equal(answer.cost_nanos, 9);
  assert.deepEqual(answer.recoveries, [{ seq: 4, epoch: 1, continued: false }]);
});

test('fold continues the text after a recovery in a new epoch', () => {
  const events = numbered([
    { type: 'run.started', data: { model: 'a/b' } },
    { type: 'text.start', data: { part: 'a' } },
    { type: 'text.delta', data: { part: 'a', text: 'half ' } },
    { type: 'run.recovered', data: { epoch: 2, kept_chars: 5 } },
    { type: 'text.delta', data: { part: 'a', text: 'whole' } },
  ]);
  const answer = folded(events);
  assert.equal(textOf(answer), 'half whole');
  assert.equal(answer.epoch, 2);
  assert.equal(answer.state, 'running');
});

test('fold follows the state of a run', () => {
  const state = (...types: [string, Record<string, unknown>][]) => folded(numbered(types.map(([type, data]) => ({ type, data })))).state;
  const started: [string, Record<string, unknown>] = ['run.started', { model: 'a/b' }];
  assert.equal(NO_ANSWER.state, 'queued');
  assert.equal(state(started), 'running');
  assert.equal(state(started, ['run.waiting', { on: 'human' }]), 'waiting');
  assert.equal(state(started, ['run.paused', { reason: 'breakpoint' }]), 'paused');
  assert.equal(state(started, ['run.waiting', { on: 'human' }], ['run.resumed', {}]), 'running');
  assert.equal(state(started, ['run.cancelling', { by: RUN }], ['run.resumed', {}]), 'cancelling');
});

test('fold closes the parts that were open when the run ended', () => {
  const terminal = { status: 'interrupted', usage: {}, cost_nanos: 0, last_seq: 3, finished_at: '2026-11-27T11:51:29Z', partial: true };
  const answer = folded(numbered([
    { type: 'text.start', data: { part: 'a' } },
    { type: 'text.delta', data: { part: 'a', text: 'cut' } },
    { type: 'run.ended', data: { terminal } },
  ]));
  assert.deepEqual(answer.parts, [{ kind: 'text', id: 'a', step: null, text: 'cut', open: false }]);
  assert.equal(answer.state, 'interrupted');
});

test('fold keeps a bounded number of workflow steps', () => {
  const steps = Array.from({ length: STEPS + 40 }, (_, at) => ({ type: 'node.started', data: { inputs: {}, attempt: 1 }, node_id: 'n', exec_id: `each:${at}/n` }));
  const answer = folded(numbered(steps));
  assert.equal(answer.steps.length, STEPS);
  assert.equal(answer.steps.at(-1)?.id, `each:${STEPS + 39}/n`);
});

test('fold takes events without data, as readers of a workflow receive them', () => {
  const types = ['reasoning.start', 'reasoning.delta', 'tool.call.start', 'tool.call.delta', 'tool.call.ready', 'tool.started', 'tool.progress', 'tool.result', 'node.started', 'node.finished', 'tool.server'];
  const answer = folded(numbered(types.map((type) => ({ type, data: {}, node_id: 'n', exec_id: 'n' }))));
  assert.equal(answer.seq, types.length);
});
