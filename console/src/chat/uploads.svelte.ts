// Files that are attached to a message that has not been sent.

import { call, type ResultOf } from '../api/client';
import { ApiProblem, type ProblemBody } from '../api/problem';
import { session } from '../api/session.svelte';
import { root } from '../base';
import { differentBytes, t } from '../words/index.svelte';

/** Number of files that a message can have. */
const mostFiles = () => session.user?.uploads.files_per_message ?? 20;

/** Why the server does not take a file, as far as it tells before the file is sent. */
function refusalOf({ size, type }: File): string | undefined {
  if (size === 0) return t.chat.fileEmpty;
  const limits = session.user?.uploads;
  if (!limits) return undefined;
  if (size > limits.file_bytes) return t.chat.fileLargerThan(...differentBytes(size, limits.file_bytes));
  return isAccepted(type, limits.media_types) ? undefined : t.chat.fileKind(limits.media_types.join(', '));
}

function isAccepted(type: string, accepted: readonly string[]): boolean {
  const [kind] = type.split('/');
  return accepted.some(pattern => pattern === '*/*' || pattern === type || pattern === `${kind}/*`);
}

export type Uploaded = ResultOf<'conversations.put_upload'>;

export class Upload {
  progress = $state(0);
  state = $state<'waiting' | 'sending' | 'done' | 'failed'>('waiting');
  error = $state<string>();
  /** What the server has stored. */
  result = $state.raw<Uploaded>();
  /** Whether the server never takes this file, so that it is useless to try again. */
  refused = $state(false);
  /** A picture of the file, for images. */
  readonly preview: string | undefined;
  private request: XMLHttpRequest | undefined;
  private transfer: Promise<void> | undefined;

  constructor(readonly file: File) {
    this.preview = file.type.startsWith('image/') ? URL.createObjectURL(file) : undefined;
    const refusal = refusalOf(file);
    if (refusal) {
      this.fail(refusal);
      this.refused = true;
    }
  }

  private fail(error: string): void {
    this.state = 'failed';
    this.error = error;
  }

  /** Sends the file, unless it has been sent. Resolves when this has succeeded or failed. */
  send(conversation: string): Promise<void> {
    if (this.state === 'waiting') this.transfer = this.run(conversation);
    return this.transfer ?? Promise.resolve();
  }

  retry(conversation: string | undefined): void {
    if (this.state !== 'failed' || this.refused) return;
    this.state = 'waiting';
    this.error = undefined;
    this.progress = 0;
    if (conversation) void this.send(conversation);
  }

  /** Makes a file that was sent to another conversation one that has to be sent. */
  forget(): void {
    if (this.state === 'failed') return;
    this.state = 'waiting';
    this.result = undefined;
    this.progress = 0;
  }

  private async run(conversation: string): Promise<void> {
    this.state = 'sending';
    try {
      const body = { filename: nameOf(this.file), media_type: this.file.type || 'application/octet-stream', size: this.file.size };
      const place = await call('conversations.get_signed_upload_url', { path: { conversation_id: conversation }, body });
      this.result = await this.put(place.url, place.method, place.headers as Record<string, string>);
      this.progress = 1;
      this.state = 'done';
    } catch (error) {
      const code = error instanceof ApiProblem ? error.code : '';
      this.refused = code === 'too_large' || code === 'wrong_content_type';
      const detail = error instanceof Error ? error.message : String(error);
      this.fail(code === 'too_large' ? t.chat.fileTooLarge(detail) : code === 'wrong_content_type' ? t.chat.fileWrongType(detail) : detail);
    }
  }

  private put(address: string, method: string, headers: Record<string, string>): Promise<Uploaded> {
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      this.request = request;
      request.open(method, withinServer(address));
      for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
      request.upload.onprogress = event => (this.progress = event.lengthComputable ? event.loaded / event.total : 0);
      request.onload = () => {
        const body = json(request.responseText);
        if (request.status < 300 && body) resolve(body as Uploaded);
        else reject(isProblem(body) ? new ApiProblem('conversations.put_upload', body) : new Error(t.chat.uploadFailed));
      };
      request.onerror = () => reject(new Error(t.chat.uploadLost));
      request.onabort = () => reject(new Error(t.chat.uploadCancelled));
      request.send(this.file);
    });
  }

  /** Ends the transfer. */
  cancel(): void {
    this.request?.abort();
  }

  /** Ends the transfer and frees the preview. */
  discard(): void {
    this.cancel();
    if (this.preview) URL.revokeObjectURL(this.preview);
  }
}

/** The name without characters that the server does not allow. */
function nameOf({ name }: File): string {
  return name.replace(/[\p{Cc}/\\]/gu, '_').slice(0, 255) || 'file';
}

/** The address relative to where this page was loaded from, whatever name the server has for itself. */
function withinServer(address: string): string {
  const { pathname, search } = new URL(address, location.href);
  const path = pathname.slice(pathname.indexOf('/api/') + 1);
  return root + path + search;
}

function isProblem(body: unknown): body is ProblemBody {
  return typeof body === 'object' && body !== null && 'code' in body && 'title' in body;
}

function json(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

export class Attachments {
  list = $state.raw<readonly Upload[]>([]);
  /** Why files were not attached. */
  refusal = $state<string>();

  /** Files that cannot be sent. */
  get failed(): readonly Upload[] {
    return this.list.filter(({ state }) => state === 'failed');
  }

  /** The ids under which a message refers to the files. */
  get ids(): string[] {
    return this.list.flatMap(({ result }) => result?.upload_id ?? []);
  }

  get names(): string[] {
    return this.list.map(({ file }) => file.name);
  }

  /** Adds files, and sends them if the conversation exists. */
  add(files: Iterable<File>, conversation: string | undefined): void {
    const added = [...files].map(file => new Upload(file));
    const most = mostFiles();
    const room = Math.max(0, most - this.list.length);
    const excess = added.slice(room);
    this.refusal = excess.length > 0 ? t.chat.tooManyFiles(most, excess.map(({ file }) => file.name).join(', ')) : undefined;
    excess.forEach(upload => upload.discard());
    this.list = [...this.list, ...added.slice(0, room)];
    if (conversation) void this.send(conversation);
  }

  /** Sends what has not been sent. Resolves with whether the server has all files. */
  async send(conversation: string): Promise<boolean> {
    await Promise.all(this.list.map(upload => upload.send(conversation)));
    return this.failed.length === 0;
  }

  remove(upload: Upload): void {
    upload.discard();
    this.list = this.list.filter(other => other !== upload);
    this.refusal = undefined;
  }

  /** The files belong to a conversation that does not exist any more. */
  forget(): void {
    this.list.forEach(upload => upload.forget());
  }

  clear(): void {
    this.list.forEach(upload => upload.discard());
    this.list = [];
    this.refusal = undefined;
  }
}

const unsent = new Map<string, Attachments>();

/** The files of a message that was not sent. They stay while the page is open, also if another conversation is shown. */
export function attachmentsOf(draft: string): Attachments {
  const known = unsent.get(draft);
  if (known) return known;
  const attachments = new Attachments();
  unsent.set(draft, attachments);
  return attachments;
}
