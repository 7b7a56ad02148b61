// A knowledge base with documents whose passages answers cite.

import { pdf } from './media.js';

const HANDBOOK = pdf([
  ['Harbour handbook', '', 'The harbour office is open from eight to six. Guests report on channel 12.', 'Fires on board are reported to the harbour office at once.'],
  ['Tides', '', 'In Bergen the mean range of the tide is 0.9 metres, and the spring range 1.5 metres.', 'The tables of the harbour are printed each January.'],
  ['Lights', '', 'The keeper winds the clockwork of the lighthouse every four hours.', 'The lamp is lit at sunset.'],
]);

const FUNDY = `# Bay of Fundy

${'The bay lies between two provinces of Canada, and is known for its fog and its fish. '.repeat(12)}

## Tidal range

The highest tides in the world are in the Bay of Fundy: their range is up to 16 metres.

## Visitors

${'The flower pots are rocks that stand in the sea at high tide. '.repeat(12)}
`;

/** Adds a file, and waits until it is searchable. Returns the document. */
export async function addDocument(admin, base, name, type, content) {
  const form = new FormData();
  form.append('file', new Blob([content], { type }), name);
  const answer = await admin('POST', `/api/knowledge-bases/${base}/files?wait=true`, form);
  const document = answer.items?.[0] ?? answer;
  if (document.status !== 'ready') throw new Error(`${name} is ${document.status}: ${JSON.stringify(document.error)}`);
  return document;
}

/** Adds a knowledge base with a PDF of three pages and a Markdown text, and an assistant that answers from it. */
export async function addKnowledge(admin) {
  const base = await admin('POST', '/api/knowledge-bases', { name: 'Harbour library', chunk_tokens: 64, overlap: 0 });
  const handbook = await addDocument(admin, base.id, 'handbook.pdf', 'application/pdf', HANDBOOK);
  const fundy = await addDocument(admin, base.id, 'fundy.md', 'text/markdown', FUNDY);
  const assistant = await admin('POST', '/api/assistants', { name: 'Harbour pilot', description: 'Answers from the library of the harbour.', knowledge_bases: [base.id] });
  return { base: base.id, handbook: handbook.id, fundy: fundy.id, assistant: assistant.id };
}

/** The place of a text in a document, as the sources of an answer name it. */
export async function placeOf(admin, base, document, text) {
  const { pages } = await admin('GET', `/api/knowledge-bases/${base}/documents/${document}/text`);
  const page = pages.find(page => page.text.includes(text));
  if (!page) throw new Error(`The document does not contain: ${text}`);
  const start = Array.from(page.text.slice(0, page.text.indexOf(text))).length;
  return { knowledge_base_id: base, page: pages.length > 1 ? page.number : null, start, end: start + Array.from(text).length };
}
