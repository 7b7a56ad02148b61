// Starts nginx with the configuration of the documentation, docs/examples/nginx.conf, in front of a server.

import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const NGINX = process.env.NGINX ?? '/usr/sbin/nginx';
export const EXAMPLE = readFileSync(resolve(import.meta.dirname, '../../docs/examples/nginx.conf'), 'utf8');

/** Replaces a part of a configuration, which it must contain. */
export function replaced(text, part, by) {
  if (!text.includes(part)) throw new Error(`docs/examples/nginx.conf does not contain ${JSON.stringify(part)}`);
  return text.replaceAll(part, by);
}

/** A port that was free a moment ago. */
export async function freePort() {
  const server = createServer();
  await new Promise(done => server.listen(0, '127.0.0.1', done));
  const { port } = server.address();
  await new Promise(done => server.close(done));
  return port;
}

/** The example on a port, without TLS, in front of the server on the port `target`. */
export function withoutTls(port, target) {
  let text = replaced(EXAMPLE, /listen .*\n/.exec(EXAMPLE)[0], `listen 127.0.0.1:${port};\n`);
  text = text.replace(/^ *ssl_certificate.*\n/gm, '');
  return replaced(text, 'http://127.0.0.1:8080', `http://127.0.0.1:${target}`);
}

/** Starts a process of nginx with a configuration of its `http` block. */
export async function startNginx(configuration, port) {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-nginx-'));
  // The worker of an nginx that root starts belongs to another user.
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, 'understudy.conf'), configuration);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(name => `${name}_temp_path ${folder}/${name};`);
  const main = `daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log ${folder}/error.log warn;
events { worker_connections 256; }
http { access_log off; ${temporary.join(' ')} include ${folder}/understudy.conf; }
`;
  writeFileSync(join(folder, 'nginx.conf'), main);
  const nginx = spawn(NGINX, ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')], { stdio: ['ignore', 'inherit', 'inherit'] });
  const ended = new Promise(done => nginx.once('exit', done));
  let hasEnded = false;
  void ended.then(() => (hasEnded = true));
  await new Promise((found, failed) => {
    nginx.once('error', failed);
    const attempt = async () => {
      if (hasEnded) return failed(new Error(`nginx has ended:\n${readFileSync(join(folder, 'error.log'), 'utf8')}`));
      if (await answers(port)) return found();
      setTimeout(attempt, 25);
    };
    void attempt();
  });
  return {
    /** What nginx has reported. */
    errors: () => readFileSync(join(folder, 'error.log'), 'utf8'),
    async stop() {
      nginx.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function answers(port) {
  return new Promise(done => {
    const socket = connect(port, '127.0.0.1', () => (socket.destroy(), done(true)));
    socket.on('error', () => done(false));
  });
}
