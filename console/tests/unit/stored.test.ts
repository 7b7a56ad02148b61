import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_ANSWER, sourcesByNumber, type AnswerPart } from '../../src/live/answer';
import { fold } from '../../src/live/fold';
import { partsOf } from '../../src/live/stored';
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
