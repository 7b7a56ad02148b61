// Members of the tenant with a role, and pages in which they are signed in.

import { openPage } from './harness.js';

const json = { 'content-type': 'application/json' };

/** Adds a member with a role: `user`, `editor` or `tenant_admin`. With a mail server, the invitation is in the mailbox. */
export async function addMember(server, name, role = 'user', mailbox = undefined) {
  const admin = await server.admin();
  const email = `${name}@example.org`;
  const password = `a-password-for-${name}`;
  const { items } = await admin('POST', '/api/tenant-admin/invitations', { emails: [email], role });
  const fragment = mailbox ? await mailbox.linkTo(email, 'invitation') : new URL(items[0].link).hash;
  const token = new URLSearchParams(fragment.slice(1)).get('invitation');
  const response = await fetch(`${server.api}/api/auth/invitations/${token}/accept`, { method: 'POST', headers: json, body: JSON.stringify({ display_name: name, password }) });
  if (!response.ok) throw new Error(`${name} could not join: ${response.status} ${await response.text()}`);
  const { user } = await response.json();
  return { id: user.id, name, email, password };
}

export const administrator = server => ({ email: 'admin@localhost', password: server.password });

/** A page in a browser of its own, in which a member is signed in. */
export async function pageOf(browser, server, { email, password }, options = {}) {
  const context = await browser.newContext(options);
  const response = await context.request.post(`${server.url}/api/auth/login/`, { data: { email, password } });
  if (!response.ok()) throw new Error(`${email} could not sign in: ${response.status()}`);
  return openPage(context, server);
}

/** A client of the API as a member. */
export async function clientOf(server, { email, password }) {
  const login = await fetch(`${server.api}/api/auth/login/`, { method: 'POST', headers: json, body: JSON.stringify({ email, password }) });
  const { access_token } = await login.json();
  return server.client(access_token);
}

/** Switches features off for some members. */
export async function switchOff(server, features, members) {
  const admin = await server.admin();
  const { items } = await admin('GET', '/api/users?limit=200');
  const out = new Set(members.map(({ id }) => id));
  const users = items.map(({ id }) => id).filter(id => !out.has(id));
  for (const feature of features) await admin('PUT', `/api/tenant-admin/features/${feature}/visibility`, { visibility: 'selected', users });
}
