// Conversations with everything that the chat can show.

import { addDocument, placeOf } from './knowledge.js';
import { pdf } from './media.js';

const ANSWER = `The tide rises and falls **twice a day**, because the earth turns below two bulges of water. [1] In Bergen
the range is about 1.5 m; in the Bay of Fundy it is more than ten times that. [2]

## How high it gets

| place | range | kind |
|---|---:|---|
| Bergen | 1.5 m | semidiurnal |
| Bay of Fundy | 16 m | semidiurnal |
| Gulf of Mexico | 0.5 m | diurnal |

The height follows $h(t) = A \\cos(\\omega t + \\varphi)$, where the period is 12 h 25 min:

$$\\omega = \\frac{2\\pi}{12.42\\,\\mathrm{h}}$$

1. The moon pulls the near side most.
2. The far side is left behind, so the water bulges there, too.
   - At new and full moon, the sun adds to it: *spring tide*.
   - At half moon it works against it: *neap tide*.

\`\`\`rust
/// Height of the water in metres, some hours after high tide.
fn height(amplitude: f64, hours: f64) -> f64 {
    amplitude * (hours / 12.42 * std::f64::consts::TAU).cos()
}
\`\`\`

> Time and tide wait for no man.

See the tables of your harbour before you sail.`;

const CITED = 'Bergen: mean range 0.9 m, spring range 1.5 m.';
const TABLES = pdf([
  ['Tide tables 2026', '', 'Heights are in metres above chart datum, times in UTC + 1.', 'Observed heights differ from the predicted ones by up to 0.3 m in a storm.'],
  ['Norway', '', 'Stavanger: mean range 0.4 m, spring range 0.6 m.', CITED, 'Tromso: mean range 1.8 m, spring range 2.6 m.', '', 'The western coast has two high tides a day, about 12 hours and 25 minutes apart.', 'At new and full moon their range is largest.'],
]);

/** A workflow that asks a person. */
const NOTICE = {
  schema: 1,
  inputs: {},
  nodes: [
    { id: 'start', type: 'start' },
    {
      id: 'review', type: 'human', in: { title: 'May this notice go out?', message: 'Spring tide on **Thursday**: the lower quay is closed from 10 to 14 h.' },
      config: {
        fields: [
          { name: 'quay', label: 'Quay', type: 'string', options: ['Lower quay', 'Upper quay'], default: 'Lower quay' },
          { name: 'copies', label: 'Copies', type: 'integer', required: true, default: 12 },
          { name: 'urgent', label: 'By radio, too', type: 'boolean' },
          { name: 'map', label: 'Map', type: 'file' },
        ],
        actions: [{ name: 'approve', label: 'Send it' }, { name: 'reject', label: 'No' }],
        expires_ms: 86_400_000,
      },
    },
    { id: 'done', type: 'end', in: { text: '{{ review.action }}' } },
  ],
  edges: [{ from: 'start', to: 'review' }, { from: 'review', port: 'approve', to: 'done' }, { from: 'review', port: 'reject', to: 'done' }, { from: 'review', port: 'expired', to: 'done' }],
};

let count = 0;
/** An id that sorts after those before it, as the server's own do. */
function nextId() {
  const time = (Date.now() + count++).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`;
}

/** Adds a conversation with reasoning, a tool call, sources, mathematics, code, a table and versions. */
export async function addSamples(admin) {
  const project = await admin('POST', '/api/projects', { name: 'Harbour handbook', instructions: 'Answer in metric units. Cite the tide tables.' });
  const { id } = await admin('POST', '/api/conversations', { title: 'Tides in Bergen' });
  const ids = Array.from({ length: 6 }, nextId);
  const library = await admin('POST', '/api/knowledge-bases', { name: 'Harbour library' });
  const tables = await addDocument(admin, library.id, 'Tide tables 2026.pdf', 'application/pdf', TABLES);
  const place = { number: 1, ...(await placeOf(admin, library.id, tables.id, CITED)) };
  const text = value => [{ type: 'text', text: value }];
  await admin('PUT', `/api/conversations/${id}/payload`, {
    messages: [
      { id: ids[0], role: 'user', parts: text('How do tides work?') },
      { id: ids[1], parent_id: ids[0], role: 'assistant', model: 'openai/tide-1', parts: text('The tide rises and falls **twice a day**, because the moon pulls the water.\n\n## How high it gets\n\nIn Bergen the range is about 1 m.\n\nSee the tables of your harbour.'), cost_nanos: 1200000 },
      {
        id: ids[2], parent_id: ids[0], role: 'assistant', model: 'openai/tide-1', cost_nanos: 3400000,
        parts: [
          { type: 'reasoning', text: 'The user asks about tides. I look up the range at Bergen first, then explain the two bulges.' },
          { type: 'tool_call', call_id: 'call-1' },
          { type: 'source', title: 'Tide tables 2026', document_id: tables.id, snippet: CITED, place },
          { type: 'source', title: 'Bay of Fundy', url: 'https://example.org/fundy', snippet: 'The highest tides in the world.', place: { number: 2 } },
          { type: 'text', text: ANSWER },
        ],
        tool_calls: [{ call_id: 'call-1', name: 'web_search', arguments: { query: 'tidal range Bergen' }, output: { results: 3 } }],
        usage: { input_tokens: 1840, output_tokens: 512, cached_tokens: 1024, reasoning_tokens: 96 },
      },
      { id: ids[3], parent_id: ids[2], role: 'user', parts: text('And tomorrow?') },
      { id: ids[4], parent_id: ids[3], role: 'assistant', model: 'openai/tide-1', parts: text('Tomorrow at noon, the') },
    ],
  });
  for (const title of ['Neap tide and spring tide', 'Packing list for the fjord', 'Translate the harbour rules', 'Storm surge of 1953']) {
    await admin('POST', '/api/conversations', { title });
  }
  await admin('POST', '/api/memories', { content: 'I live in Bergen.' });
  await admin('POST', '/api/memories', { content: 'I sail a 26-foot boat, and prefer metric units.' });
  const notices = await admin('POST', '/api/assistants', { name: 'Harbour notices', description: 'Asks before a notice goes out.', type: 'workflow', workflow: NOTICE });
  const run = await admin('POST', `/api/workflows/${notices.id}/runs`, { mode: 'wait', inputs: {} });
  return { conversation: id, project: project.id, form: run.conversation_id };
}

/** Adds a conversation of many messages in one branch. */
export async function addLongConversation(admin, count) {
  const { id } = await admin('POST', '/api/conversations', { title: `${count} messages` });
  const messages = [];
  for (let at = 0; at < count; at++) {
    const isUser = at % 2 === 0;
    const content = isUser ? `Question ${at}` : `Answer ${at}. ${'High tide at noon. '.repeat(at % 6)}\n- a`;
    messages.push({ id: nextId(), parent_id: messages.at(-1)?.id ?? null, role: isUser ? 'user' : 'assistant', content });
  }
  await admin('PUT', `/api/conversations/${id}/payload`, { messages });
  return { id, messages };
}
