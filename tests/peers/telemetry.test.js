// Traces and metrics as a real OpenTelemetry receiver decodes them (Rotel, https://rotel.dev). It prints the decoded data.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { Server } from '../clients/server.js';

let receiver;
let server;
let printed = '';

async function freePort() {
  const socket = createServer().listen(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  socket.close();
  await once(socket, 'close');
  return port;
}

async function until(what, reached) {
  for (const late = Date.now() + 60_000; Date.now() < late; await sleep(50)) if (reached()) return;
  assert.fail(`waited a minute for ${what}; the receiver printed:\n${printed}`);
}

before(async () => {
  assert.ok(process.env.ROTEL, 'ROTEL is the path of the program rotel-agent, of the Python package rotel');
  const [http, grpc] = [await freePort(), await freePort()];
  const listen = ['--otlp-http-endpoint', `127.0.0.1:${http}`, '--otlp-grpc-endpoint', `127.0.0.1:${grpc}`];
  const print = ['--debug-log', 'traces', '--debug-log', 'metrics', '--debug-log-verbosity', 'detailed'];
  receiver = spawn(process.env.ROTEL, ['start', '--exporter', 'blackhole', ...listen, ...print]);
  for (const stream of [receiver.stdout, receiver.stderr]) stream.on('data', text => (printed += text));
  await until('its start', () => printed.includes('Starting Rotel'));
  const settings = `[telemetry]\nendpoint = "http://127.0.0.1:${http}"\nmetrics_seconds = 1\ncontent_bytes = 200\n`;
  server = await Server.start({ settings });
});

after(async () => {
  await server?.remove();
  receiver?.kill();
});

/** The printed spans: `field` returns the text after a name and a colon, and `attribute` the value of an attribute. */
function spans() {
  return printed.split(/^Span #\d+$/m).slice(1).map(text => ({
    field: name => text.match(new RegExp(`^ +${name} *: *(.*)$`, 'm'))?.[1],
    attribute: name => text.match(new RegExp(`^ +-> ${name.replaceAll('.', '\\.')}: (.*)$`, 'm'))?.[1],
  }));
}

const named = name => spans().find(span => span.field('Name') === name);

test('a receiver decodes the spans of a completion as one trace', async () => {
  const messages = [{ role: 'user', content: 'hello there' }];
  const { id } = await server.call('POST', '/api/chat/completion', { messages });
  const request = 'POST /api/chat/completion';
  await until('three spans', () => [request, 'invoke_agent', 'chat scribe'].every(named));
  const [outer, run, call] = [named(request), named('invoke_agent'), named('chat scribe')];
  assert.equal(new Set([outer, run, call].map(span => span.field('Trace ID'))).size, 1);
  assert.equal(run.field('Parent ID'), outer.field('ID'));
  assert.equal(call.field('Parent ID'), run.field('ID'));
  assert.equal(outer.field('Kind'), 'SPAN_KIND_SERVER');
  assert.equal(call.field('Kind'), 'SPAN_KIND_CLIENT');
  assert.equal(outer.attribute('http.response.status_code'), 'Int(200)');
  assert.equal(run.attribute('understudy.run.id').replaceAll('-', ''), `Str(${id.slice('chatcmpl-'.length)})`);
  assert.equal(call.attribute('gen_ai.usage.input_tokens'), 'Int(2)');
  assert.match(call.attribute('gen_ai.input.messages'), /hello there/);
});

test('a receiver decodes counters and gauges', async () => {
  const metric = name => printed.split(/^Metric #\d+$/m).findLast(text => text.includes(`Name: ${name}\n`)) ?? '';
  await until('a counter', () => metric('understudy_http_requests_total').includes('chat.chat_completion'));
  const counter = metric('understudy_http_requests_total');
  assert.match(counter, /DataType: Sum/);
  assert.match(counter, /IsMonotonic: true/);
  assert.match(counter, /AGGREGATION_TEMPORALITY_CUMULATIVE/);
  assert.match(counter, /status: Str\(2xx\)/);
  assert.match(metric('understudy_build_info'), /DataType: Gauge[^]*Value: 1$/m);
});
