// A real tool server, implemented with the official library of the protocol: with sessions and resumable responses, and, if
// it is configured with an authority, with logins (RFC 9728, RFC 6750).

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';

import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';

/** The events of responses, stored so that a client that was disconnected can request the rest. */
class Kept {
  events = [];

  async storeEvent(stream, message) {
    const id = `${stream}/${this.events.length}`;
    this.events.push({ stream, id, message });
    return id;
  }

  async replayEventsAfter(last, { send }) {
    const at = this.events.findIndex(event => event.id === last);
    const { stream } = this.events[at] ?? {};
    for (const event of this.events.slice(at + 1).filter(event => event.stream === stream)) await send(event.id, event.message);
    return stream;
  }
}

/**
 * Starts a tool server on a free port. `auth` defines who issues tokens and which are valid:
 * `{ issuer, scopes, verify(token) -> { clientId, scopes, expiresAt, subject, audience } }`, where `verify` throws for
 * invalid tokens. A token that was issued for another server is invalid here.
 */
export async function startTools({ auth, port = 0 } = {}) {
  /** What was received: calls by name, cancelled calls, sessions, and refused requests. */
  const seen = { calls: {}, cancelled: [], sessions: 0, refused: 0 };
  const waiting = [];
  const transports = new Map();

  function tools() {
    const server = new McpServer({ name: 'peer', version: '1.0.0' }, { capabilities: { tools: { listChanged: true } } });
    const tool = (name, config, run) =>
      server.registerTool(name, config, (input, extra) => {
        seen.calls[name] = (seen.calls[name] ?? 0) + 1;
        return run(input, extra);
      });
    const text = said => ({ content: [{ type: 'text', text: said }] });
    tool(
      'add',
      {
        title: 'Add',
        description: 'Adds two numbers.',
        inputSchema: { a: z.number(), b: z.number() },
        outputSchema: { sum: z.number() },
        annotations: { readOnlyHint: true },
      },
      ({ a, b }) => ({ ...text(JSON.stringify({ sum: a + b })), structuredContent: { sum: a + b } }),
    );
    tool('whoami', { description: 'Says who has logged in.', inputSchema: {} }, (_, { authInfo }) =>
      text(authInfo?.extra?.subject ?? 'nobody'),
    );
    tool(
      'walk',
      { description: 'Walks so many steps, and tells of each.', inputSchema: { steps: z.number().int().positive() } },
      async ({ steps }, { _meta, sendNotification, signal }) => {
        for (let step = 1; step <= steps && !signal.aborted; step++) {
          const params = { progressToken: _meta?.progressToken, progress: step, total: steps, message: `step ${step}` };
          if (params.progressToken !== undefined) await sendNotification({ method: 'notifications/progress', params });
          await new Promise(done => setTimeout(done, 20));
        }
        return text(`walked ${steps} steps`);
      },
    );
    tool('stand', { description: 'Stands still until it is sent away.', inputSchema: {} }, (_, { signal }) =>
      new Promise(done => {
        signal.addEventListener('abort', () => {
          seen.cancelled.push(String(signal.reason ?? 'aborted'));
          waiting.splice(0).forEach(told => told());
          done(text('sent away'));
        });
      }),
    );
    tool('stumble', { description: 'Fails.', inputSchema: {} }, () => {
      throw new Error('a stone in the way');
    });
    return server;
  }

  const app = createMcpExpressApp({ host: '127.0.0.1' });
  const listener = app.listen(port, '127.0.0.1');
  await once(listener, 'listening');
  const base = `http://127.0.0.1:${listener.address().port}`;
  const url = `${base}/mcp`;
  const metadata = `${base}/.well-known/oauth-protected-resource/mcp`;

  const guards = [];
  if (auth) {
    const verifier = {
      async verifyAccessToken(token) {
        const { clientId, scopes, expiresAt, subject, audience } = await auth.verify(token);
        return { token, clientId, scopes, expiresAt, resource: new URL([audience].flat()[0]), extra: { subject } };
      },
    };
    app.get('/.well-known/oauth-protected-resource/mcp', (_, answer) => {
      answer.json({ resource: url, authorization_servers: [auth.issuer], scopes_supported: auth.scopes });
    });
    guards.push((_, answer, next) => {
      answer.on('finish', () => (seen.refused += answer.statusCode === 401 ? 1 : 0));
      next();
    });
    const expectedResource = new URL(url);
    guards.push(requireBearerAuth({ verifier, expectedResource, resourceMetadataUrl: metadata, requiredScopes: auth.scopes ?? [] }));
  }

  app.all('/mcp', ...guards, async (request, answer) => {
    const known = transports.get(request.headers['mcp-session-id']);
    if (known) return known.handleRequest(request, answer, request.body);
    if (request.headers['mcp-session-id']) return answer.status(404).end();
    if (request.method !== 'POST' || !isInitializeRequest(request.body)) return answer.status(400).end();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: new Kept(),
      onsessioninitialized: id => {
        seen.sessions += 1;
        transports.set(id, transport);
      },
      onsessionclosed: id => transports.delete(id),
    });
    await tools().connect(transport);
    return transport.handleRequest(request, answer, request.body);
  });

  return {
    url,
    seen,
    open: () => transports.size,
    /** Forgets all sessions, as a restart would. */
    forget: () => transports.clear(),
    /** Waits until a call was cancelled. */
    cancelled: () => (seen.cancelled.length ? Promise.resolve() : new Promise(done => waiting.push(done))),
    async close() {
      for (const transport of transports.values()) await transport.close();
      listener.closeAllConnections();
      listener.close();
      await once(listener, 'close');
    },
  };
}
