// The client of `use.ts`, whose types `openapi-typescript` generates from the document of the binary.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { Server, binary, email, password } from '../../clients/server.js';

const here = import.meta.dirname;
const build = path.join(here, 'build');
const document = path.join(build, 'openapi.json');
let server, use, client;

/** Runs a program of the package, and fails with its output. */
function run(file, ...options) {
  const command = path.join(here, 'node_modules', file);
  try {
    execFileSync(process.execPath, [command, ...options], { cwd: here, encoding: 'utf8' });
  } catch (failure) {
    assert.fail(`${file} ${options.join(' ')}:\n${failure.stdout}${failure.stderr}`);
  }
}

before(async () => {
  rmSync(build, { recursive: true, force: true });
  mkdirSync(build);
  writeFileSync(document, execFileSync(binary(), ['openapi', '--without-aliases'], { maxBuffer: 64 << 20 }));
  run('openapi-typescript/bin/cli.js', document, '--output', path.join(build, 'schema.d.ts'));
  run('typescript/bin/tsc', '--project', here);
  use = await import('./build/use.js');
  server = await Server.start();
  client = await use.signIn(server.url, email, password);
});
after(() => server?.remove());

/** Parameters of an answer that is still being written while a test looks at it, even on a slow machine. */
const long = { length: 400, pace_ms: 20 };

async function all(events) {
  const found = [];
  for await (const event of events) found.push(event);
  return found;
}

const textOf = events => events.map(event => use.shown(event).text ?? '').join('');

test('the document lists each operation once', () => {
  const { paths, info } = JSON.parse(readFileSync(document, 'utf8'));
  const operations = Object.values(paths).flatMap(item => Object.values(item));
  assert.deepEqual(operations.filter(operation => operation['x-alias-of']), []);
  const whole = JSON.parse(execFileSync(binary(), ['openapi'], { maxBuffer: 64 << 20, encoding: 'utf8' }));
  const ids = Object.values(whole.paths).flatMap(item => Object.values(item)).filter(operation => !operation['x-alias-of']);
  assert.equal(operations.length, ids.length);
  assert.match(execFileSync(binary(), ['--version'], { encoding: 'utf8' }), new RegExp(`\\b${info.version}\\b`));
});

test('an answer is streamed to its end and read back', async () => {
  const { id } = await use.converse(client, 'Generated');
  const events = await all(use.ask(client, id, { message: 'What does the keeper wind?', parameters: { length: 30 } }));
  assert.deepEqual(events.map(event => event.seq), events.map((_, at) => at + 1));
  assert.equal(use.shown(events.at(-1)).end, 'succeeded');
  const text = textOf(events);
  assert.notEqual(text, '');
  const { messages } = await use.readBack(client, id);
  assert.deepEqual(messages.map(message => message.role), ['user', 'assistant']);
  assert.equal(messages[1].parts[0].text, text);
  const half = Math.floor(events.length / 2);
  const rest = await all(use.attach(client, id, events[0].run_id, events[half - 1].seq));
  assert.deepEqual(rest.map(event => event.seq), events.slice(half).map(event => event.seq));
});

test('problems are handled by their codes', async () => {
  const { id } = await use.converse(client, 'Busy');
  const answer = use.ask(client, id, { message: 'Tell me everything.', parameters: long });
  const { value: first } = await answer.next();
  const refused = await all(use.ask(client, id, { message: 'And this.' })).catch(error => error);
  assert.ok(refused instanceof use.ProblemError, `${refused}`);
  assert.equal(refused.problem.code, 'stream_active');
  assert.equal(use.remedy(refused.problem), `wait for ${first.run_id}`);
  assert.ok(['cancelled', 'cancelling'].includes(await use.stop(client, id, first.run_id)));
  assert.equal(use.shown((await all(answer)).at(-1)).end, 'cancelled');

  const { version, feed } = await use.readBack(client, id);
  assert.match(feed, /^\d+-\d+-\d+$/);
  assert.equal((await use.rename(client, id, 'Renamed', version)).title, 'Renamed');
  const stale = await use.rename(client, id, 'Renamed once more', version).catch(error => error);
  assert.equal(stale.problem?.code, 'stale', `${stale}`);
  assert.equal(use.remedy(stale.problem), 'load it again');
  const missing = await use.readBack(client, crypto.randomUUID()).catch(error => error);
  assert.equal(missing.problem?.code, 'not_found', `${missing}`);
});

test('a graph that compiles is accepted', async () => {
  const { workflow } = await use.createWorkflow(client, 'Greeting');
  assert.deepEqual(workflow.nodes.map(node => node.type), use.greeting.nodes.map(node => node.type));
});
