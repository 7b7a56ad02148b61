// A provider with OpenAI's interface, whose answers the tests write piece by piece.

import { createServer } from 'node:http';

const SAMPLE = `The tide rises and falls **twice a day**, because the earth turns below two bulges of water.

| place | range |
|---|---|
| Bergen | 1.5 m |
| Bay of Fundy | 16 m |

1. The moon pulls the near side most.
2. The far side is left behind.

\`\`\`rust
fn height(hours: f64) -> f64 {
    1.5 * (hours / 12.42 * std::f64::consts::TAU).cos()
}
\`\`\`

See the tables of your harbour.`;

/** An answer that a test writes. */
class Answer {
  constructor(request, response) {
    this.request = request;
    this.response = response;
    this.closed = new Promise(done => response.on('close', done));
  }

  /** Whether a test writes the answer. The continuation of such an answer is also written by the test. */
  get isManual() {
    return this.request.messages.some(({ content }) => JSON.stringify(content).includes('manual'));
  }

  write(delta) {
    const fields = typeof delta === 'string' ? { content: delta } : delta;
    const chunk = { id: 'chat-1', object: 'chat.completion.chunk', created: 0, model: this.request.model, choices: [{ index: 0, delta: fields, finish_reason: null }] };
    this.response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  }

  end(reason = 'stop') {
    const chunk = { id: 'chat-1', object: 'chat.completion.chunk', created: 0, model: this.request.model, choices: [{ index: 0, delta: {}, finish_reason: reason }], usage: { prompt_tokens: 120, completion_tokens: 80, total_tokens: 200 } };
    this.response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
  }
}

/**
 * Starts a provider. Conversations that contain "manual" wait for the test, which takes them with `next()`; others it
 * answers with a sample at once.
 */
export async function startProvider() {
  const waiting = [];
  const takers = [];
  const server = createServer(async (request, response) => {
    if (request.url === '/v1/models') {
      response.setHeader('content-type', 'application/json');
      return response.end(JSON.stringify({ object: 'list', data: [{ id: 'tide-1', object: 'model' }, { id: 'tide-2-mini', object: 'model' }] }));
    }
    let body = '';
    for await (const chunk of request) body += chunk;
    const content = JSON.parse(body);
    if (!content.stream) {
      response.setHeader('content-type', 'application/json');
      return response.end(JSON.stringify({ id: 'chat-1', object: 'chat.completion', created: 0, model: content.model, choices: [{ index: 0, message: { role: 'assistant', content: 'Tides' }, finish_reason: 'stop' }], usage: { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 } }));
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const answer = new Answer(content, response);
    if (answer.isManual) {
      const taker = takers.shift();
      if (taker) taker(answer);
      else waiting.push(answer);
    } else {
      for (const piece of SAMPLE.match(/.{1,40}/gs)) answer.write(piece);
      answer.end();
    }
  });
  await new Promise(done => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    sample: SAMPLE,
    /** The next answer that a test has to write. */
    next: () => new Promise(done => (waiting.length > 0 ? done(waiting.shift()) : takers.push(done))),
    close: () => new Promise(done => {
      server.close(done);
      server.closeAllConnections();
    }),
  };
}
