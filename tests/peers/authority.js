// A real authorization server, implemented with a certified library. Clients register dynamically, proofs and resources are
// required, and refresh tokens can be used only once. Users log in on its pages, as in a browser.

import { once } from 'node:events';
import http from 'node:http';

import { InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import { Provider } from 'oidc-provider';

/**
 * Starts a server on a free port. `clients` are registered from the start; `scopes` are the scopes of every resource on this
 * machine.
 */
export async function startAuthority({ clients = [], scopes = ['tools:use'] } = {}) {
  const listener = http.createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const issuer = `http://127.0.0.1:${listener.address().port}`;
  /** Number of grants by type, of registrations and of revocations, and the issued tokens. */
  const seen = { grants: {}, registered: 0, revoked: 0, tokens: [] };
  const provider = new Provider(issuer, {
    clients,
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    pkce: { required: () => true },
    rotateRefreshToken: true,
    cookies: { keys: ['for tests alone'] },
    features: {
      registration: { enabled: true },
      revocation: { enabled: true, allowedPolicy: () => true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, resource) => ({ scope: scopes.join(' '), audience: resource, accessTokenFormat: 'opaque' }),
      },
    },
  });
  provider.on('grant.success', ctx => {
    const { grant_type: type } = ctx.oidc.params;
    seen.grants[type] = (seen.grants[type] ?? 0) + 1;
  });
  provider.on('registration_create.success', () => (seen.registered += 1));
  provider.on('grant.revoked', () => (seen.revoked += 1));
  provider.on('access_token.saved', token => seen.tokens.push(token.jti));
  listener.on('request', provider.callback());

  /** The rights of a token. Throws if the token is invalid. */
  async function verify(token) {
    const found = await provider.AccessToken.find(token);
    if (!found) throw new InvalidTokenError('no such token');
    return { clientId: found.clientId, scopes: [...found.scopes], expiresAt: found.exp, subject: found.accountId, audience: found.aud };
  }

  return {
    issuer,
    seen,
    verify,
    /** The authorization settings of a tool server that trusts this authority. */
    auth: { issuer, scopes, verify },
    /** Expires every access token; refresh tokens stay valid. */
    async expire() {
      for (const token of seen.tokens.splice(0)) await (await provider.AccessToken.find(token))?.destroy();
    },
    /** Goes through the pages as a user, and returns the URL to which the browser is redirected at the end. */
    browse: (url, login) => browse(url, issuer, login),
    async close() {
      listener.closeAllConnections();
      listener.close();
      await once(listener, 'close');
    },
  };
}

async function browse(url, issuer, login) {
  const cookies = new Map();
  let request = { method: 'GET' };
  for (let steps = 0; steps < 20; steps++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, { ...request, redirect: 'manual', headers: { ...request.headers, cookie } });
    for (const set of answer.headers.getSetCookie()) {
      const [name, value] = set.split(';')[0].split(/=(.*)/);
      if (value) cookies.set(name, value);
      else cookies.delete(name);
    }
    request = { method: 'GET' };
    const next = answer.headers.get('location');
    if (next) {
      url = new URL(next, url).href;
      if (!url.startsWith(`${issuer}/`)) return url;
      continue;
    }
    const page = await answer.text();
    const action = /<form[^>]*action="([^"]+)"/.exec(page)?.[1];
    if (answer.status !== 200 || !action) throw new Error(`${url}: ${answer.status} ${page}`);
    const prompt = /name="prompt" value="([^"]+)"/.exec(page)?.[1];
    url = new URL(action, url).href;
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    request = { method: 'POST', headers, body: new URLSearchParams({ prompt, login, password: 'anything' }) };
  }
  throw new Error('the pages lead nowhere');
}
