// Serves `dist` as the server does, and passes the API on: for a binary that was built without the console.

import { existsSync, readFileSync } from 'node:fs';
import { createServer, request as send } from 'node:http';
import { connect } from 'node:net';
import { extname, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';

const DIST = resolve(import.meta.dirname, '../dist');
const TYPES = { '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.txt': 'text/plain' };

export const POLICY = [
  "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob: data:", "media-src 'self' blob:", "font-src 'self'",
  "connect-src 'self'", "worker-src 'self'", "manifest-src 'self'", "base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'",
  "require-trusted-types-for 'script'", 'trusted-types svelte-trusted-html console',
].join('; ');

function asset(path) {
  const file = join(DIST, path);
  return file.startsWith(DIST) && existsSync(file) ? readFileSync(file) : undefined;
}

function respond(response, status, type, body, cache) {
  response.writeHead(status, { 'content-type': `${type}; charset=utf-8`, 'content-encoding': 'gzip', 'cache-control': cache, 'content-security-policy': POLICY, 'x-content-type-options': 'nosniff' });
  response.end(gzipSync(body));
}

/** Starts the proxy below a path such as `/ai`, which it removes; `target` gives the present address of the server. */
export async function serveConsole(target, prefix = '') {
  const server = createServer((request, response) => {
    if (!request.url.startsWith(`${prefix}/`)) return respond(response, 404, 'text/plain', 'Not found', 'no-store');
    request.url = request.url.slice(prefix.length);
    const { pathname } = new URL(request.url, 'http://localhost');
    if (/^\/(api|readyz|livez|metrics)/.test(pathname)) return pass(target(), request, response);
    const file = /^\/console\/test\/(.+)$/.exec(pathname)?.[1];
    const content = file && asset(file);
    if (content) return respond(response, 200, TYPES[extname(file)] ?? 'application/octet-stream', content, 'max-age=31536000, immutable');
    if (file) return respond(response, 404, 'text/plain', 'Not found', 'no-store');
    const page = asset('index.html').toString().replaceAll('"./', `"${prefix}/console/test/`);
    respond(response, 200, 'text/html', page, 'no-cache');
  });
  server.on('upgrade', (request, socket, head) => {
    request.url = request.url.slice(prefix.length);
    const { hostname, port } = new URL(target());
    const upstream = connect(Number(port), hostname, () => {
      const lines = request.rawHeaders.flatMap((name, at) => (at % 2 === 0 ? `${name}: ${request.rawHeaders[at + 1]}` : []));
      upstream.write(`${request.method} ${request.url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
      upstream.write(head);
      socket.pipe(upstream).pipe(socket);
    });
    upstream.on('error', () => socket.destroy());
    socket.on('error', () => upstream.destroy());
  });
  await new Promise(done => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${server.address().port}${prefix}`,
    close: () => new Promise(done => {
      server.close(done);
      server.closeAllConnections();
    }),
  };
}

function pass(target, request, response) {
  const { hostname, port } = new URL(target);
  const upstream = send({ hostname, port, method: request.method, path: request.url, headers: request.headers }, answer => {
    response.writeHead(answer.statusCode, answer.rawHeaders);
    // Headers at once, so that a stream without events is open.
    response.flushHeaders();
    answer.pipe(response);
    answer.on('error', () => response.destroy());
  });
  upstream.on('error', () => (response.headersSent ? response.destroy() : respond(response, 502, 'text/plain', 'The server is not there', 'no-store')));
  response.on('close', () => upstream.destroy());
  request.pipe(upstream);
}
