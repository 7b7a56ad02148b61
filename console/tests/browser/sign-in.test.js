import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { activate, choose, tabTo, WAYS, write } from '../hands.js';
import { launch, openPage, Server, signIn } from '../harness.js';
import { startMailbox } from '../mailbox.js';
import { addMember, pageOf } from '../people.js';

let server;
let browser;

before(async () => {
  server = await Server.start();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

async function freshPage(options = {}) {
  return openPage(await browser.newContext(options), server);
}

test('sign-in: the first start is explained, until somebody has signed in', async () => {
  let page = await freshPage();
  await page.goto(`${server.url}/login#email=admin@localhost`);
  assert.equal(await page.getByLabel('E-mail address').inputValue(), 'admin@localhost');
  await page.getByText('prints its password in the terminal').waitFor();
  await page.getByText('understudy user password admin@localhost').waitFor();
  await server.admin();
  // Browsers may keep the answer for some seconds.
  page = await freshPage();
  await page.goto(`${server.url}/login`);
  // Without a mail server, there is a command instead of a link.
  await page.getByText('Forgot your password?').click();
  await page.getByText('understudy user password admin@localhost').waitFor();
  assert.equal(await page.getByText('First start?').count(), 0);
  assert.equal(await page.getByRole('link', { name: /Sign up|Forgot/ }).count(), 0);
  await page.goto(`${server.url}/login/forgotten`);
  await page.getByLabel('E-mail address').fill('ada@example.org');
  await page.getByRole('button', { name: 'Send the link' }).click();
  await page.getByText('understudy user password ada@example.org').waitFor();
  assert.deepEqual(page.faults, []);
});

for (const way of WAYS) {
  test(`sign-in: a wrong password is refused with the reason, the right one opens the console; sign-out, by ${way}`, async () => {
    const page = await freshPage();
    await page.goto(server.url);
    await page.waitForURL('**/login');
    const submit = page.getByRole('button', { name: 'Sign in' });
    await write(page, page.getByLabel('E-mail address'), 'admin@localhost', way);
    await write(page, page.getByLabel('Password', { exact: true }), 'not the password', way);
    await activate(page, submit, way);
    const refusal = page.getByRole('alert');
    await refusal.waitFor();
    // The server explains refusals only to users who are signed in.
    assert.equal(await refusal.getByRole('button').count(), 0);
    assert.equal(await page.getByLabel('E-mail address').inputValue(), 'admin@localhost');
    await write(page, page.getByLabel('Password', { exact: true }), server.password, way);
    await activate(page, submit, way);
    await page.getByLabel('Message', { exact: true }).waitFor();
    assert.equal(new URL(page.url()).pathname, '/');
    await choose(page, page.getByRole('button', { name: 'Account' }), 'Sign out', way);
    await page.waitForURL('**/login');
    await page.goto(`${server.url}/memories`);
    await page.waitForURL('**/login?next=*');
    assert.deepEqual(page.faults, []);
    await page.context().close();
  });

  test(`join: an invitation creates an account, and its secret leaves the address, by ${way}`, async () => {
    const admin = await server.admin();
    const { items } = await admin('POST', '/api/tenant-admin/invitations', { emails: [`ada-${way}@example.org`], role: 'user', message: 'Welcome to the harbour.' });
    const page = await freshPage();
    await page.goto(`${server.url}/join#${new URL(items[0].link).hash.slice(1)}`);
    await page.getByText('Welcome to the harbour.').waitFor();
    assert.equal(new URL(page.url()).hash, '');
    await write(page, page.getByLabel('Your name'), 'Ada', way);
    await write(page, page.getByLabel('New password'), 'tides-of-bergen-1', way);
    await activate(page, page.getByRole('button', { name: 'Join' }), way);
    await page.getByRole('heading', { name: /Ada/ }).waitFor();
    assert.deepEqual(page.faults, []);
    await page.context().close();
  });
}

test('sign-in: a deep link is opened after it', async () => {
  const page = await freshPage();
  await page.goto(`${server.url}/memories`);
  await page.waitForURL('**/login?next=*');
  await page.getByLabel('E-mail address').fill('admin@localhost');
  await page.getByLabel('Password', { exact: true }).fill(server.password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Memories', level: 1 }).waitFor();
  assert.equal(new URL(page.url()).pathname, '/memories');
});

test('sign-out ends the session in all tabs', async () => {
  const context = await browser.newContext();
  const page = await openPage(context, server);
  await signIn(page, server);
  const other = await openPage(context, server);
  await other.goto(server.url);
  await other.getByLabel('Message', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.waitForURL('**/login');
  await other.waitForURL('**/login');
});

test('join: a link that does not work says so', async () => {
  const page = await freshPage();
  await page.goto(`${server.url}/join#invitation=unl_nothing`);
  await page.getByRole('heading', { name: 'This link does not work' }).waitFor();
});

test('sign-in: a server with a name, with mail and with sign-up offers all of them, by mouse and by keyboard', async () => {
  const mailbox = await startMailbox();
  const harbour = await Server.start({ ...mailbox.settings, UNDERSTUDY_BRANDING__NAME: 'Harbour AI' });
  try {
    const admin = await harbour.admin();
    await admin('PUT', '/api/tenant-admin/provisioning-mode', { mode: 'open' });
    const forgetful = await addMember(harbour, 'forgetful', 'user', mailbox);
    for (const way of WAYS) {
      const page = await openPage(await browser.newContext(), harbour);
      await page.goto(`${harbour.url}/login`);
      await page.getByRole('link', { name: 'Harbour AI' }).waitFor();
      assert.equal(await page.getByText('First start?').count(), 0);
      await activate(page, page.getByRole('link', { name: 'Forgot your password?' }), way);
      await write(page, page.getByLabel('E-mail address'), forgetful.email, way);
      await activate(page, page.getByRole('button', { name: 'Send the link' }), way);
      await page.getByRole('heading', { name: 'Check your mail' }).waitFor();
      const reset = await mailbox.linkTo(forgetful.email, 'password');
      mailbox.forget();
      await page.goto('about:blank');
      await page.goto(`${harbour.url}/join${reset}`);
      await write(page, page.getByLabel('New password'), `a-new-password-by-${way}`, way);
      await activate(page, page.getByRole('button', { name: 'Set the password' }), way);
      await page.getByRole('heading', { name: /forgetful/ }).waitFor();
      await choose(page, page.getByRole('button', { name: 'Account' }), 'Sign out', way);

      await activate(page, page.getByRole('link', { name: 'Sign up' }), way);
      await write(page, page.getByLabel('Short name of the tenant'), 'default', way);
      await write(page, page.getByLabel('E-mail address'), `new-${way}@example.org`, way);
      await write(page, page.getByLabel('Your name'), `New ${way}`, way);
      await write(page, page.getByLabel('New password'), 'tides-of-bergen-2', way);
      await activate(page, page.getByRole('button', { name: 'Sign up' }), way);
      await page.getByRole('heading', { name: 'Check your mail' }).waitFor();
      const confirm = await mailbox.linkTo(`new-${way}@example.org`, 'confirm');
      await page.goto('about:blank');
      await page.goto(`${harbour.url}/join${confirm}`);
      await write(page, page.getByLabel('Password'), 'tides-of-bergen-2', way);
      await activate(page, page.getByRole('button', { name: 'Continue' }), way);
      await page.getByRole('heading', { name: new RegExp(`New ${way}`) }).waitFor();
      assert.deepEqual(page.faults, []);
      await page.context().close();
    }
  } finally {
    await harbour.stop();
    await mailbox.close();
  }
});

test('sign-in: the session of one tab is that of all', async () => {
  const ada = await addMember(server, 'ada-in-two-tabs');
  const page = await pageOf(browser, server, ada);
  await page.goto(server.url);
  await page.getByRole('heading', { name: /ada-in-two-tabs/ }).waitFor();
  const other = await openPage(page.context(), server);
  await other.goto(`${server.url}/login`);
  await other.getByRole('heading', { name: /ada-in-two-tabs/ }).waitFor();
  await tabTo(other, other.getByRole('button', { name: 'Account' }));
  await page.context().close();
});
