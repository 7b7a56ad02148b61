import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, openPage, Server, signIn, until } from '../harness.js';
import { PICTURE, SOUND } from '../media.js';

let server;
let browser;

before(async () => {
  server = await Server.start({ UNDERSTUDY_LIMITS__UPLOAD_BYTES: String(200_000) });
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

async function signedIn() {
  const page = await openPage(await browser.newContext(), server);
  await signIn(page, server);
  return page;
}

const field = page => page.getByLabel('Message', { exact: true });
const files = page => page.getByRole('list', { name: 'Attached files' });
const question = page => page.getByRole('article', { name: 'You' }).last();
const attach = (page, ...list) => page.locator('form input[type=file]').setInputFiles(list);
const textFile = (name, content = 'High tide at noon.') => ({ name, mimeType: 'text/plain', buffer: Buffer.from(content) });

/** Files in a paste or a drag, as the browser makes them. */
const transfer = (page, list, texts = {}) => page.evaluateHandle(({ list, texts }) => {
  const data = new DataTransfer();
  for (const { name, type, content } of list) data.items.add(new File([content], name, { type }));
  for (const [type, text] of Object.entries(texts)) data.setData(type, text);
  return data;
}, { list, texts });

async function send(page, text) {
  await field(page).fill(text);
  await field(page).press('Enter');
  await page.getByRole('article', { name: 'Response' }).last().getByText('See the tables').waitFor();
}

/** A short video, which the browser records. */
async function video(page) {
  const bytes = await page.evaluate(async () => {
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [32, 24];
    const context = canvas.getContext('2d');
    const recorder = new MediaRecorder(canvas.captureStream(25), { mimeType: 'video/webm;codecs=vp8' });
    const pieces = [];
    recorder.ondataavailable = ({ data }) => pieces.push(data);
    const ended = new Promise(done => (recorder.onstop = done));
    recorder.start();
    for (let frame = 0; frame < 12; frame++) {
      context.fillRect(frame, frame, 8, 8);
      await new Promise(done => setTimeout(done, 40));
    }
    recorder.stop();
    await ended;
    return [...new Uint8Array(await new Blob(pieces).arrayBuffer())];
  });
  return { name: 'surf.webm', mimeType: 'video/webm', buffer: Buffer.from(bytes) };
}

/** The names of the files that the last question has. */
const stored = async page => {
  const admin = await server.admin();
  const { messages } = await admin('GET', `/api${new URL(page.url()).pathname}`);
  return messages.filter(({ role }) => role === 'user').at(-1).attachments.map(({ filename }) => filename);
};

test('attach: by the paper clip, by mouse and by keyboard, several files at once, one of them removed', async () => {
  const page = await signedIn();
  const clip = page.getByRole('button', { name: 'Attach files' });
  let [chooser] = await Promise.all([page.waitForEvent('filechooser'), clip.click()]);
  assert.equal(chooser.isMultiple(), true);
  await chooser.setFiles([textFile('one.txt', 'One.'), textFile('two.txt', 'Two.')]);
  await files(page).getByText('two.txt').waitFor();
  [chooser] = await Promise.all([page.waitForEvent('filechooser'), clip.press('Enter')]);
  await chooser.setFiles([textFile('three.txt', 'Three.')]);
  await files(page).getByText('three.txt').waitFor();
  await files(page).getByRole('button', { name: 'Remove one.txt' }).press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'Remove two.txt');
  await files(page).getByRole('button', { name: 'Remove three.txt' }).click();
  await send(page, 'Which?');
  await question(page).getByRole('link', { name: /two\.txt/ }).waitFor();
  assert.deepEqual(await stored(page), ['two.txt']);
  assert.deepEqual(page.faults, []);
});

test('attach: by drag and by paste, with a picture that is shown', async () => {
  const page = await signedIn();
  const dropped = await transfer(page, [{ name: 'dropped.txt', type: 'text/plain', content: 'Dropped.' }]);
  await page.dispatchEvent('body', 'dragenter', { dataTransfer: dropped });
  await page.getByText('Drop the files here').waitFor();
  await page.dispatchEvent('body', 'drop', { dataTransfer: dropped });
  await files(page).getByText('dropped.txt').waitFor();
  await page.getByText('Drop the files here').waitFor({ state: 'hidden' });

  const pasted = await transfer(page, [{ name: 'pasted.txt', type: 'text/plain', content: 'Pasted.' }]);
  await field(page).evaluate((element, data) => element.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })), pasted);
  await files(page).getByText('pasted.txt').waitFor();

  // Text of an office program comes with a picture of it, which is not attached.
  const office = await transfer(page, [{ name: 'image.png', type: 'image/png', content: 'x' }], { 'text/html': '<b>Tide</b>', 'text/plain': 'Tide' });
  const prevented = await field(page).evaluate((element, data) => !element.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })), office);
  assert.equal(prevented, false);
  assert.equal(await files(page).getByText('image.png').count(), 0);

  await attach(page, { name: 'harbour.png', mimeType: 'image/png', buffer: PICTURE });
  await send(page, 'What is this?');
  assert.deepEqual(await stored(page), ['dropped.txt', 'pasted.txt', 'harbour.png']);
  const picture = question(page).getByRole('img', { name: 'harbour.png' });
  await until(() => picture.evaluate(image => image.complete && image.naturalWidth === 8), 'the picture is loaded');
  await question(page).getByRole('button', { name: 'Enlarge harbour.png' }).press('Enter');
  await page.getByRole('dialog', { name: 'harbour.png' }).getByRole('link', { name: 'harbour.png' }).waitFor();
  await page.keyboard.press('Escape');
  await question(page).getByRole('button', { name: 'Enlarge harbour.png' }).click();
  await page.getByRole('dialog', { name: 'harbour.png' }).waitFor();
  assert.deepEqual(page.faults, []);
});

test('attach: a file that is too large, an empty one and one with a false type are refused; the message is kept until they are removed', async () => {
  const page = await signedIn();
  const large = textFile('large.txt', 'x'.repeat(200_001));
  // In a new conversation the files are sent with the message.
  await attach(page, textFile('good.txt'), large);
  await field(page).fill('Keep this text');
  await field(page).press('Enter');
  await files(page).getByRole('alert').filter({ hasText: 'large.txt: The file is too large: it has 200,001 bytes, and at most 200,000 bytes are allowed.' }).waitFor();
  await until(async () => (await field(page).inputValue()) === 'Keep this text', 'the text is in the field again');
  assert.equal(new URL(page.url()).pathname, '/');
  await field(page).press('Enter');
  await page.getByRole('alert').getByText('Remove the files that could not be attached').waitFor();
  await files(page).getByRole('button', { name: 'Remove large.txt' }).press('Enter');
  await field(page).press('Enter');
  await question(page).getByRole('link', { name: /good\.txt/ }).waitFor();
  assert.deepEqual(await stored(page), ['good.txt']);
  await page.getByRole('article', { name: 'Response' }).last().getByText('See the tables').waitFor();

  // In a conversation that exists they are sent at once, except those that the server would not take.
  let announced = 0;
  page.on('request', request => (announced += request.url().includes('signed-upload-url') ? 1 : 0));
  await attach(page, large);
  await files(page).getByText('The file is too large').waitFor();
  assert.equal(announced, 0);
  await attach(page, { name: 'empty.txt', mimeType: 'text/plain', buffer: Buffer.alloc(0) });
  await files(page).getByText('The file is empty').waitFor();
  await attach(page, { name: 'false.png', mimeType: 'image/png', buffer: Buffer.from('%PDF-1.4 not a picture') });
  await files(page).getByText('The file is not what its name says: the content is application/pdf').waitFor();
  for (const name of ['large.txt', 'empty.txt', 'false.png']) await files(page).getByRole('button', { name: `Remove ${name}` }).click();
  await attach(page, ...Array.from({ length: 21 }, (_, at) => textFile(`file-${at}.txt`)));
  await page.getByRole('alert').getByText('A message can have at most 20 files. Not attached: file-20.txt').waitFor();
  assert.equal(await files(page).getByRole('listitem').count(), 20);
  assert.deepEqual(page.faults, []);
});

test('attach: an upload shows its progress, is cancelled, and repeated after the connection was lost', async () => {
  const page = await signedIn();
  await send(page, 'First');
  let release;
  const held = new Promise(done => (release = done));
  await page.route('**/uploads/**', async route => {
    await held;
    await route.continue().catch(() => {});
  });
  await attach(page, textFile('slow.txt'), textFile('cancelled.txt', 'Cancelled.'));
  await page.getByRole('progressbar', { name: 'Upload of slow.txt' }).waitFor();
  await files(page).getByRole('button', { name: 'Cancel the upload of cancelled.txt' }).click();
  await files(page).getByText('cancelled.txt').waitFor({ state: 'hidden' });
  // The message waits for the file.
  await field(page).fill('With a slow file');
  await field(page).press('Enter');
  release();
  await question(page).getByRole('link', { name: /slow\.txt/ }).waitFor();
  assert.deepEqual(await stored(page), ['slow.txt']);
  await page.getByRole('article', { name: 'Response' }).last().getByText('See the tables').waitFor();

  await page.unroute('**/uploads/**');
  await page.route('**/uploads/**', route => route.abort());
  await attach(page, textFile('lost.txt', 'Lost.'));
  await files(page).getByText('The connection was lost during the upload').waitFor();
  await page.unroute('**/uploads/**');
  await files(page).getByRole('button', { name: 'Try lost.txt again' }).press('Enter');
  await files(page).getByText('The connection was lost').waitFor({ state: 'hidden' });
  await send(page, 'With a repeated file');
  // The response that was waited for may have been the former one.
  await until(async () => (await stored(page)).join() === 'lost.txt', 'the message has the file');
  assert.deepEqual(page.faults.filter(fault => !/ERR_FAILED/.test(fault)), []);
});

test('attach: files of a message that was not sent stay when another conversation is opened', async () => {
  const page = await signedIn();
  await send(page, 'Here');
  await field(page).fill('Not sent yet');
  await attach(page, textFile('kept.txt'));
  const here = new URL(page.url()).pathname;
  await page.getByRole('navigation').getByRole('link', { name: 'New conversation' }).first().click();
  await page.getByText(/^Good /).waitFor();
  assert.equal(await files(page).count(), 0);
  await page.getByRole('navigation').getByRole('link', { name: 'Here', exact: true }).click();
  await page.waitForURL(`**${here}`);
  await files(page).getByText('kept.txt').waitFor();
  assert.equal(await field(page).inputValue(), 'Not sent yet');
});

test('response: pictures, sounds and videos play, and other files are offered', async () => {
  const admin = await server.admin();
  const { id } = await admin('POST', '/api/conversations', { title: 'Media' });
  const page = await signedIn();
  await page.goto(`${server.url}/conversations/${id}`);
  await attach(page, { name: 'harbour.png', mimeType: 'image/png', buffer: PICTURE }, { name: 'fog-horn.wav', mimeType: 'audio/wav', buffer: SOUND }, await video(page), textFile('table.csv', 'a,b'));
  await send(page, 'Show them');
  const { messages } = await admin('GET', `/api/conversations/${id}`);
  const parts = messages[0].attachments.map(({ blob_id, media_type, filename }) => ({ type: 'file', blob_id, media_type, filename }));
  await admin('PUT', `/api/conversations/${id}/payload`, { messages: [...messages.slice(0, 1), { role: 'assistant', parent_id: messages[0].id, parts: [{ type: 'text', text: 'Here they are.' }, ...parts] }].map(({ id, role, parent_id, parts, attachments }) => ({ id, role, parent_id, parts, attachments })) });
  await page.reload();
  const response = page.getByRole('article', { name: 'Response' });
  await until(() => response.getByRole('img', { name: 'harbour.png' }).evaluate(image => image.naturalWidth === 8), 'the picture');
  for (const article of [response, question(page)]) {
    const sound = article.locator('audio[aria-label="fog-horn.wav"]');
    await until(() => sound.evaluate(audio => audio.readyState >= 1 && audio.duration > 0.4), 'the sound can be played');
    assert.equal(await sound.evaluate(audio => audio.controls), true);
    const film = article.locator('video[aria-label="surf.webm"]');
    await until(() => film.evaluate(video => video.readyState >= 1 && video.videoWidth === 32), 'the video can be played');
    assert.equal(await film.evaluate(video => video.play().then(() => !video.paused)), true);
  }
  const [download] = await Promise.all([page.waitForEvent('download'), response.getByRole('link', { name: /table\.csv/ }).press('Enter')]);
  assert.equal(download.suggestedFilename(), 'table.csv');
  assert.deepEqual(page.faults, []);
});

test('response: a file that cannot be loaded says so, and can be tried again', async () => {
  const page = await signedIn();
  await attach(page, { name: 'harbour.png', mimeType: 'image/png', buffer: PICTURE });
  await send(page, 'Look');
  await page.route('**/files/*', route => route.fulfill({ status: 503, contentType: 'application/problem+json', body: JSON.stringify({ code: 'overloaded', title: 'The server is overloaded', status: 503 }) }));
  await page.reload();
  await question(page).getByRole('alert').getByText('The server is overloaded').waitFor();
  await page.unroute('**/files/*');
  await question(page).getByRole('button', { name: 'Try again' }).press('Enter');
  await until(() => question(page).getByRole('img', { name: 'harbour.png' }).evaluate(image => image.naturalWidth === 8), 'the picture');
});
