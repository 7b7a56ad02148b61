// Logins of the real binary at a real authorization server: for a tool server that requires a token, and for an external
// service.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { startAuthority } from './authority.js';
import { startTools } from './mcp.js';
import { Server } from '../clients/server.js';

const base = 'http://assist.example:8080';
const client = {
  client_id: 'understudy',
  client_secret: 'a-secret-for-peer-tests-0123456789',
  redirect_uris: [`${base}/api/external/callback/tracker`],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
};
let authority;
let tools;
let server;

before(async () => {
  authority = await startAuthority({ clients: [client] });
  tools = await startTools({ auth: authority.auth });
  const settings = `
[server]
public_url = "${base}"
[web]
allow = ["127.0.0.1"]
[tool_servers]
failure_kept_s = 0
[external_services.tracker]
issuer = "${authority.issuer}"
client_id = "${client.client_id}"
client_secret = "${client.client_secret}"
scopes = ["openid", "offline_access"]
`;
  server = await Server.start({ settings });
});

after(async () => {
  await server?.remove();
  await tools?.close();
  await authority?.close();
});

/** Creates an assistant with the tool server, and approves the tool server for it. */
async function assistant() {
  const tool_servers = [{ name: 'peer', url: tools.url }];
  const { id } = await server.call('POST', '/api/assistants', { name: 'Ada', tool_servers });
  await server.call('PUT', `/api/assistants/${id}/approved-external-services`, { services: ['mcp:peer'] });
  return id;
}

/** Starts a login. Returns the response, and the cookie that the browser stores. */
async function begin(path, body) {
  const answer = await fetch(server.url + path, {
    method: 'POST',
    headers: { ...server.headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  assert.equal(answer.status, 200, await (answer.ok ? '' : answer.text()));
  return [await answer.json(), answer.headers.getSetCookie()[0].split(';')[0]];
}

/** The browser returns to the server's callback URL. */
function comeBack(url, cookie) {
  assert.ok(url.startsWith(base), url);
  return fetch(server.url + url.slice(base.length), { redirect: 'manual', headers: { cookie } });
}

async function logIn(id) {
  const [prepared, cookie] = await begin('/api/mcp/oauth/prepare', { assistant_id: id, server: 'peer' });
  const back = await comeBack(await authority.browse(prepared.authorization_url, 'ada'), cookie);
  assert.equal(back.status, 200, await (back.ok ? '' : back.text()));
  return prepared;
}

async function standing(id) {
  const { items } = await server.call('GET', `/api/mcp/oauth/assistants/${id}/status`);
  return items[0].status;
}

/** The result or the error of a tool that was called in an answer. */
async function call(id, tool) {
  const conversation = await server.conversation();
  const answer = await server.complete(conversation, { message: `Please call peer_${tool}`, assistant_id: id, stream: false });
  assert.equal(answer.status, 200);
  await answer.text();
  const [, said] = await server.messages(conversation);
  const called = said.tool_calls[0];
  return called?.output ?? called?.error;
}

test('a user logs in at a tool server and an assistant uses the login', async () => {
  const id = await assistant();
  assert.equal(await standing(id), 'login_required');
  const prepared = await logIn(id);
  assert.equal(prepared.registration, 'dynamic');
  assert.equal(prepared.issuer, authority.issuer);
  assert.equal(prepared.resource, tools.url);
  assert.equal(await standing(id), 'connected');
  assert.equal(await call(id, 'whoami'), 'ada');
  assert.equal(authority.seen.registered, 1);
});

test('an expired token is renewed automatically, even after kill -9', async () => {
  const id = await assistant();
  await logIn(id);
  assert.equal(authority.seen.registered, 1, 'a client that was made is used again');
  for (const expected of [1, 2]) {
    await authority.expire();
    assert.equal(await call(id, 'whoami'), 'ada');
    assert.equal(authority.seen.grants.refresh_token, expected);
    await server.kill();
    await server.run();
  }
  assert.equal(await call(id, 'whoami'), 'ada');
});

test('disconnecting revokes the tokens of a login', async () => {
  const id = await assistant();
  await logIn(id);
  const token = authority.seen.tokens.at(-1);
  assert.equal((await authority.verify(token)).audience, tools.url);
  const before = authority.seen.revoked;
  const { message } = await server.call('POST', `/api/mcp/oauth/assistants/${id}/disconnect`, { server: 'peer' });
  assert.match(message, /has revoked the tokens/);
  assert.ok(authority.seen.revoked > before);
  await assert.rejects(authority.verify(token));
  assert.equal(await standing(id), 'login_required');
});

test('a user logs in to and out of an external service', async () => {
  const [prepared, cookie] = await begin('/api/external/login/tracker/prepare/', {});
  const opened = await fetch(server.url + prepared.login_url.slice(base.length), { redirect: 'manual' });
  assert.equal(opened.status, 302);
  const url = await authority.browse(opened.headers.get('location'), 'ada');
  assert.equal((await comeBack(url, cookie)).status, 200);
  const connected = async () => (await server.call('GET', '/api/users/connected-services')).items;
  assert.equal((await connected())[0].connection.account, 'ada');
  const again = await comeBack(url, cookie);
  assert.equal(again.status, 410);
  const ended = await server.call('POST', '/api/external/logout/tracker/');
  assert.deepEqual(ended, { logged_out: true, revoked: true });
  assert.deepEqual(await connected(), []);
});
