import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_ANSWER, sourcesByNumber, type AnswerPart } from '../../src/live/answer';
import { fold } from '../../src/live/fold';
import { partsOf, withForms } from '../../src/live/stored';
import { numbered } from './journal';

const PLACE = { number: 2, knowledge_base_id: 'k', page: 3, start: 0, end: 4, headings: [] };

/** Parts without what a stored message does not have. */
const essence = (parts: readonly AnswerPart[]) =>
  parts.map((part) => ({ ...part, id: '', started_at: null, ended_at: null, input: '', source: 'source' in part ? part.source.title : undefined }));

test('partsOf gives the parts of the live answer that wrote the message', () => {
  const live = fold(NO_ANSWER, numbered([
    { type: 'reasoning.start', data: { part: 'r' } },
    { type: 'reasoning.delta', data: { part: 'r', text: 'Hm' } },
    { type: 'reasoning.end', data: { part: 'r' } },
    { type: 'tool.call.start', data: { call_id: 'c', name: 'search' } },
    { type: 'tool.call.ready', data: { call_id: 'c', name: 'search', arguments: { q: 'tide' } } },
    { type: 'tool.result', data: { call_id: 'c', error: 'none' } },
    { type: 'source', data: { document_id: 'd', title: 'Tides', place: PLACE } },
    { type: 'text.start', data: { part: 't' } },
    { type: 'text.delta', data: { part: 't', text: 'Noon [2]' } },
    { type: 'text.end', data: { part: 't' } },
    { type: 'file', data: { blob_id: 'b', media_type: 'image/png' } },
  ])).answer;
  const stored = partsOf({
    parts: [
      { type: 'reasoning', text: 'Hm' },
      { type: 'tool_call', call_id: 'c' },
      { type: 'source', url: null, document_id: 'd', title: 'Tides', snippet: null, place: PLACE },
      { type: 'text', text: 'Noon [2]' },
      { type: 'file', blob_id: 'b', media_type: 'image/png', filename: null },
    ],
    tool_calls: [{ call_id: 'c', name: 'search', arguments: { q: 'tide' }, output: null, error: 'none' }],
  } as never);
  assert.deepEqual(essence(stored), essence(live.parts));
  assert.equal(sourcesByNumber(stored).get(2)?.source.document_id, 'd');
});

test('partsOf takes a message without parts, and a call without a record', () => {
  assert.deepEqual(partsOf({}), []);
  assert.equal(partsOf({ parts: [{ type: 'tool_call', call_id: 'x' }] })[0]?.id, 'x');
});

test('withForms puts the forms of the answer where they were asked', () => {
  const form = (id: string): object => ({ type: 'form.required', data: { form_id: id, title: id, message: '', fields: [], actions: [], expires_at: null } });
  const text = (id: string): object[] => [{ type: 'text.start', data: { part: id } }, { type: 'text.delta', data: { part: id, text: id } }, { type: 'text.end', data: { part: id } }];
  const { parts } = fold(NO_ANSWER, numbered([
    form('first'), ...text('a'), form('second'), { type: 'file', data: { blob_id: 'x', media_type: 'image/png' } }, ...text('b'), form('third'), ...text('c'),
  ] as never)).answer;
  const names = (list: readonly AnswerPart[]) => list.map((part) => (part.kind === 'form' ? part.form.title : part.kind === 'text' ? part.text : part.kind));
  const stored = partsOf({ parts: [{ type: 'text', text: 'a' }, { type: 'file', blob_id: 'x', media_type: 'image/png', filename: null }, { type: 'text', text: 'b' }, { type: 'text', text: 'c' }] } as never);
  assert.deepEqual(names(withForms(stored, parts)), ['first', 'a', 'second', 'file', 'b', 'third', 'c']);
  // Whatever the message contains, it is shown once, and so is each form.
  assert.deepEqual(names(withForms(stored.slice(0, 1), parts)), ['first', 'a', 'second', 'third']);
  assert.deepEqual(names(withForms([], parts)), ['first', 'second', 'third']);
  assert.equal(withForms(stored, []), stored);
});

test('a submitted form tells who submitted it, and when', () => {
  const { parts } = fold(NO_ANSWER, numbered([
    { type: 'form.required', data: { form_id: 'f', title: '', message: '', fields: [], actions: [], expires_at: null } },
    { type: 'form.submitted', data: { form_id: 'f', action: 'send', fields: {}, by: 'u' } },
  ] as never)).answer;
  assert.equal(parts.length, 1);
  const [part] = parts;
  assert.ok(part?.kind === 'form' && part.submission?.by === 'u' && part.submitted_at !== null && !Number.isNaN(Date.parse(part.submitted_at)));
});
