// Unmodified coding agents, run non-interactively. Each agent is configured with the settings that the server exports, and
// writes a file because the fake model calls the agent's own tool for writing files.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { Provider } from '../clients/provider.js';
import { Server } from '../clients/server.js';

const task = 'Write hello into hello.txt';
const programs = path.join(path.dirname(fileURLToPath(import.meta.url)), 'node_modules', '.bin');
/** Time limit for an agent, in milliseconds. */
const patience = 120_000;

let provider, server, key, folders, home, work;
before(async () => {
  provider = await Provider.start();
  server = await Server.start({ settings: provider.settings });
  key = await server.token({ scopes: ['llm:use'] });
  folders = [];
});
after(async () => {
  provider.close();
  await server.remove();
  for (const folder of folders) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});
beforeEach(async () => {
  [home, work] = await Promise.all(['home', 'work'].map(name => mkdtemp(path.join(tmpdir(), `understudy-agent-${name}-`))));
  folders.push(home, work);
});

/** Runs a program in the work folder, with a separate home folder. Processes that it started are killed when it ends. */
async function run(program, args, more = {}) {
  const { PATH, LANG } = process.env;
  const env = { PATH, LANG, HOME: home, TMPDIR: home, UNDERSTUDY_API_KEY: key, NO_COLOR: '1', ...more };
  const child = spawn(path.join(programs, program), args, { cwd: work, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const end = signal => {
    try {
      process.kill(-child.pid, signal);
    } catch {
      // The process has already ended.
    }
  };
  let said = '';
  for (const out of [child.stdout, child.stderr]) out.on('data', piece => (said = (said + piece).slice(-20_000)));
  const late = setTimeout(() => end('SIGKILL'), patience);
  const [code] = await once(child, 'exit');
  clearTimeout(late);
  end('SIGKILL');
  assert.equal(code, 0, `${program} ended with ${code}:\n${said}`);
  return said;
}

/** Checks that the file exists, and that the model received the tool's result. */
async function assertDone(said, mark) {
  assert.equal(await readFile(path.join(work, 'hello.txt'), 'utf8').catch(() => `no file:\n${said}`), 'hello');
  const told = provider.since(mark).filter(({ body }) => body.messages.some(message => message.role === 'tool'));
  assert.ok(told.length > 0, 'the result of the tool went back to the model');
  assert.ok(provider.since(mark).every(({ key }) => key === 'Bearer sk-of-the-fake-provider'));
  assert.match(said, /The file is written\./);
}

async function exported(agent) {
  const settings = await server.call('GET', `/api/chat/partner_compatible/export/coding_agent_${agent}?model_ids=fake/agent`);
  assert.ok(!settings.content.includes(key) && !settings.content.includes('und_'), 'no key is exported');
  return settings;
}

test('opencode works with its exported settings', async () => {
  const { filename, content } = await exported('a');
  await writeFile(path.join(work, filename), content);
  const mark = provider.mark;
  const said = await run('opencode', ['run', task], { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' });
  await assertDone(said, mark);
});

test('Cline works with the URL and the model of its exported settings', async () => {
  const { openAiBaseUrl, models } = JSON.parse((await exported('b')).content).providerSettings.OpenAiCompatible;
  const data = ['--data-dir', path.join(home, 'cline')];
  const [{ id }] = models;
  await run('cline', ['auth', '-p', 'openai', '-k', key, '-m', id, '-b', openAiBaseUrl, ...data]);
  const mark = provider.mark;
  const said = await run('cline', [...data, '-P', 'openai', '-m', id, '-t', '100', task], { CLINE_NO_AUTO_UPDATE: '1' });
  await assertDone(said, mark);
});

test('Codex works through the Responses interface', async () => {
  const settings = {
    model_provider: 'understudy',
    'model_providers.understudy.name': 'Understudy',
    'model_providers.understudy.base_url': `${server.url}/api/chat/partner_compatible/v1`,
    'model_providers.understudy.env_key': 'UNDERSTUDY_API_KEY',
    'model_providers.understudy.wire_api': 'responses',
  };
  const given = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${JSON.stringify(value)}`]);
  const mark = provider.mark;
  const said = await run('codex', ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', '-m', 'fake/agent', ...given, task]);
  await assertDone(said, mark);
});
