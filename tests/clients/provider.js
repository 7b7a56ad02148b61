// A provider with OpenAI's chat and embedding interface on a real socket. The name of the model selects its behaviour:
// `parallel`, `logprobs`, `busy` and so on. It records the requests that it receives.

import { once } from 'node:events';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** The text of `plain`, split into the chunks that it sends. */
export const words = ['The', ' keeper', ' winds', ' the', ' clockwork', ' every', ' four', ' hours.'];
const created = 1_767_323_045;

/** The behaviour of each model: its deltas, one per chunk, and its finish reason. */
const acts = {
  plain: () => said(words),
  slow: () => ({ ...said(Array.from({ length: 120 }, (_, at) => `word${at} `)), gap: 25 }),
  thinker: () => ({
    deltas: [...['Tides', ' follow', ' the moon.'].map(text => ({ reasoning_content: text })), { content: 'The moon' }, { content: ' pulls.' }],
    reason: 'stop',
  }),
  logprobs: () => ({
    deltas: words.map(content => ({ content })),
    logprobs: words.map(token => ({ content: [{ token, logprob: -0.25, bytes: [...Buffer.from(token)], top_logprobs: [] }], refusal: null })),
    reason: 'stop',
  }),
  refusing: () => ({ deltas: [{ refusal: 'I will not' }, { refusal: ' say that.' }], reason: 'stop' }),
  short: () => ({ ...said(words.slice(0, 3)), reason: 'length' }),
  filtered: () => ({ ...said(words.slice(0, 2)), reason: 'content_filter' }),
  sees: asked => said([`${pictures(asked).length} picture, ${pictures(asked)[0]?.slice(0, 22)}`]),
  json: asked => said([...shaped(asked.response_format?.json_schema?.schema).match(/.{1,7}/gs)]),
  tools: asked => answered(asked) ?? calls((asked.tools ?? []).slice(0, 1)),
  parallel: asked => answered(asked) ?? calls(asked.tools ?? []),
  agent: asked => agent(asked),
  breaking: () => ({ ...said(words.slice(0, 3)), breaks: true }),
};

/** The error that a model returns in place of a stream. */
const refusals = {
  busy: [429, { 'retry-after': '7' }, 'rate_limit_exceeded', 'Slow down.'],
  wrong: [400, {}, 'invalid_value', "Invalid value for 'temperature'."],
  down: [500, {}, 'server_error', 'All is broken.'],
  fallen: [500, {}, 'server_error', 'All is broken.'],
};

const said = texts => ({ deltas: texts.map(content => ({ content })), reason: 'stop' });

const parts = asked => asked.messages.flatMap(message => (Array.isArray(message.content) ? message.content : []));
const pictures = asked => parts(asked).filter(part => part.type === 'image_url').map(part => part.image_url.url);
const text = message => [message.content].flat().map(part => part?.text ?? part ?? '').join('');

/** An answer that repeats the results of the tools, if there are any. */
function answered(asked) {
  const results = asked.messages.slice(asked.messages.findLastIndex(message => message.role === 'user')).filter(message => message.role === 'tool');
  return results.length ? said([`I was told: ${results.map(text).join(' and ')}`]) : null;
}

/** Calls of all these tools, in sequence as providers send them. Their arguments are split into pieces. */
function calls(tools) {
  const deltas = tools.flatMap(({ function: { name, parameters } }, index) => [
    { tool_calls: [{ index, id: `call_${name}_${index}`, type: 'function', function: { name, arguments: '' } }] },
    ...shaped(parameters).match(/.{1,5}/gs).map(piece => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
  ]);
  return { deltas, reason: 'tool_calls' };
}

/** JSON that conforms to a schema, always the same. */
function shaped(schema = {}) {
  const value = schema => {
    if (schema.enum) return schema.enum[0];
    const kind = [schema.type].flat()[0];
    if (kind === 'object') return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, inner]) => [name, value(inner)]));
    if (kind === 'array') return [value(schema.items ?? {})];
    return { number: 7, integer: 7, boolean: true }[kind] ?? 'Bergen';
  };
  return JSON.stringify(value({ type: 'object', ...schema }));
}

/**
 * The model of a coding agent. It writes `hello.txt` with a tool that runs commands or writes files, and reports this
 * after the tool has returned. Without tools (for example for a title) it returns a title.
 */
function agent(asked) {
  const named = names => asked.tools?.find(tool => names.includes(tool.function?.name));
  const done = asked.messages.some(message => message.role === 'tool');
  const finish = named(['attempt_completion', 'submit_and_exit']);
  const call = (tool, given) => ({
    deltas: [{ tool_calls: [{ index: 0, id: `call_agent_${done ? 2 : 1}`, type: 'function', function: { name: tool.function.name, arguments: JSON.stringify(given) } }] }],
    reason: 'tool_calls',
  });
  if (done && finish) return call(finish, { result: 'The file is written.', summary: 'The file is written.' });
  if (done || !asked.tools?.length) return said(['The file is', ' written.']);
  const write = 'printf hello > hello.txt';
  const shell = named(['bash', 'shell', 'run_commands', 'execute_command', 'exec_command', 'shell_command']);
  if (!shell) return said(['There is no tool that I know.']);
  const properties = shell.function.parameters?.properties ?? {};
  const known = {
    command: properties.command?.type === 'array' ? ['bash', '-lc', write] : write,
    cmd: write,
    commands: [write],
    description: 'Write the file',
    requires_approval: false,
  };
  return call(shell, Object.fromEntries(Object.entries(known).filter(([name]) => name in properties)));
}

export class Provider {
  static async start() {
    const provider = new Provider();
    /** Bodies of the requests so far, oldest first, with their path and API key. */
    provider.seen = [];
    /** Number of the next requests that are answered with 429, regardless of their content. */
    provider.busy = 0;
    provider.server = http.createServer((request, response) => {
      provider.serve(request, response).catch(() => response.destroy());
    });
    provider.server.listen(0, '127.0.0.1');
    await once(provider.server, 'listening');
    provider.url = `http://127.0.0.1:${provider.server.address().port}/v1`;
    return provider;
  }

  /** The part of a server's configuration that describes this provider. */
  get settings() {
    const models = [...Object.keys(acts), ...Object.keys(refusals)].filter(name => !['agent', 'fallen'].includes(name)).map(name => JSON.stringify(name));
    return `
# Enables the built-in model, which is off by default if a provider is configured.
[models]
scribe = "on"

[[providers]]
name = "fake"
kind = "openai"
base_url = "${this.url}"
api_key = "sk-of-the-fake-provider"
retries = 0
models = [
  ${models.join(', ')},
  { id = "agent", tags = ["chat", "tools"], context_window = 200000, max_output_tokens = 8000 },
  { id = "fallen", fallbacks = ["fake/plain"] },
  { id = "embed", tags = ["embedding"] },
]
circuit = { failures = 0 }
`;
  }

  /** The requests since a moment that `mark` returned. */
  since(mark) {
    return this.seen.slice(mark);
  }

  get mark() {
    return this.seen.length;
  }

  close() {
    this.server.closeAllConnections();
    this.server.close();
  }

  async serve(request, response) {
    let body = '';
    for await (const piece of request) body += piece;
    const path = new URL(request.url, this.url).pathname;
    // Requests of tests in other languages.
    if (path === '/seen') return json(response, 200, this.seen);
    if (path === '/busy') return json(response, 200, (this.busy = Number(body)));
    const asked = body ? JSON.parse(body) : {};
    this.seen.push({ path, key: request.headers.authorization, body: asked });
    if (path.endsWith('/embeddings')) return embed(asked, response);
    if (!path.endsWith('/chat/completions')) return json(response, 404, { error: { message: 'Not found' } });
    const refusal = this.busy > 0 ? (this.busy--, [429, { 'retry-after': '0' }, 'rate_limit_exceeded', 'Slow down.']) : refusals[asked.model];
    if (refusal) {
      const [status, headers, code, message] = refusal;
      return json(response, status, { error: { message, type: 'an_error', param: null, code } }, headers);
    }
    await stream(asked, acts[asked.model](asked), response);
  }
}

function json(response, status, body, headers = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

async function stream(asked, act, response) {
  const head = { id: 'chatcmpl-fake', object: 'chat.completion.chunk', created, model: asked.model, system_fingerprint: 'fp_fake' };
  const tell = more => response.write(`data: ${JSON.stringify({ ...head, ...more })}\n\n`);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  tell({ choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] });
  for (const [at, delta] of act.deltas.entries()) {
    if (response.destroyed) return;
    tell({ choices: [{ index: 0, delta, logprobs: act.logprobs?.[at] ?? null, finish_reason: null }] });
    if (act.gap) await sleep(act.gap);
  }
  // The delay lets the data that was written arrive before the connection is closed.
  if (act.breaks) return void setTimeout(() => response.destroy(), 50);
  tell({ choices: [{ index: 0, delta: {}, finish_reason: act.reason }] });
  const completion = act.deltas.length;
  tell({
    choices: [],
    usage: {
      prompt_tokens: 11,
      completion_tokens: completion,
      total_tokens: 11 + completion,
      prompt_tokens_details: { cached_tokens: 4 },
      completion_tokens_details: { reasoning_tokens: act.deltas.filter(delta => delta.reasoning_content).length },
    },
  });
  response.end('data: [DONE]\n\n');
}

/** A vector of eight numbers for each text: its length, followed by ones. */
function embed(asked, response) {
  const vector = text => {
    const numbers = [String(text).length, 1, 1, 1, 1, 1, 1, 1];
    const long = Math.hypot(...numbers);
    return numbers.map(number => number / long);
  };
  const told = numbers => (asked.encoding_format === 'base64' ? Buffer.from(new Float32Array(numbers).buffer).toString('base64') : numbers);
  const data = [asked.input].flat().map((text, index) => ({ object: 'embedding', index, embedding: told(vector(text)) }));
  json(response, 200, { object: 'list', data, model: asked.model, usage: { prompt_tokens: 3 * data.length, total_tokens: 3 * data.length } });
}
