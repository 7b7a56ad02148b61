// Files that are attached to a message that has not been sent.

import { call } from '../api/client';
import { root } from '../base';
import { t } from '../words/index.svelte';

/** The server's limits, so that a file that is refused is not sent first. */
const LARGEST = 32 * 1024 * 1024;
const MOST = 20;

export class Upload {
  progress = $state(0);
  state = $state<'waiting' | 'sending' | 'done' | 'failed'>('waiting');
  error = $state<string>();
  /** The id under which the message refers to it. */
  id = $state<string>();
  /** A picture of the file, for images. */
  readonly preview: string | undefined;
  private request: XMLHttpRequest | undefined;
  private sending: Promise<void> | undefined;

  constructor(readonly file: File) {
    this.preview = file.type.startsWith('image/') ? URL.createObjectURL(file) : undefined;
    if (file.size > LARGEST) this.fail(t.chat.fileTooLarge);
    else if (file.size === 0) this.fail(t.chat.fileEmpty);
  }

  private fail(error: string): void {
    this.state = 'failed';
    this.error = error;
  }

  /** Sends the file once. Resolves when it has arrived or failed. */
  send(conversation: string): Promise<void> {
    if (this.state === 'waiting') this.sending = this.transfer(conversation);
    return this.sending ?? Promise.resolve();
  }

  private async transfer(conversation: string): Promise<void> {
    this.state = 'sending';
    try {
      const body = { filename: this.file.name, media_type: this.file.type || 'application/octet-stream', size: this.file.size };
      const place = await call('conversations.get_signed_upload_url', { path: { conversation_id: conversation }, body });
      await this.put(place.url, place.method, place.headers as Record<string, string>);
      this.id = place.upload_id;
      this.progress = 1;
      this.state = 'done';
    } catch (error) {
      if (this.state === 'sending') this.fail(error instanceof Error ? error.message : String(error));
    }
  }

  private put(address: string, method: string, headers: Record<string, string>): Promise<void> {
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      this.request = request;
      request.open(method, withinServer(address));
      for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
      request.upload.onprogress = event => (this.progress = event.lengthComputable ? event.loaded / event.total : 0);
      request.onload = () => (request.status < 300 ? resolve() : reject(new Error(detailOf(request.responseText) ?? t.chat.uploadFailed)));
      request.onerror = () => reject(new Error(t.state.unreachable));
      request.send(this.file);
    });
  }

  /** Ends the transfer and frees the preview. */
  discard(): void {
    this.request?.abort();
    if (this.preview) URL.revokeObjectURL(this.preview);
  }
}

/** The address relative to where this page was loaded from, whatever name the server has for itself. */
function withinServer(address: string): string {
  const { pathname, search } = new URL(address, location.href);
  const path = pathname.slice(pathname.indexOf('/api/') + 1);
  return root + path + search;
}

function detailOf(body: string): string | undefined {
  try {
    return (JSON.parse(body) as { detail?: string }).detail;
  } catch {
    return undefined;
  }
}

export class Attachments {
  list = $state.raw<readonly Upload[]>([]);
  /** Why files were not attached. */
  refusal = $state<string>();

  /** Whether no file is on its way. */
  get settled(): boolean {
    return this.list.every(({ state }) => state === 'done' || state === 'failed');
  }

  get usable(): readonly Upload[] {
    return this.list.filter(({ state }) => state !== 'failed');
  }

  /** Adds files, and sends them if the conversation exists. */
  add(files: Iterable<File>, conversation: string | undefined): void {
    const added = [...files].map(file => new Upload(file));
    const room = MOST - this.list.length;
    this.refusal = added.length > room ? t.chat.tooManyFiles(MOST) : undefined;
    added.slice(room).forEach(upload => upload.discard());
    this.list = [...this.list, ...added.slice(0, room)];
    if (conversation) void this.send(conversation);
  }

  async send(conversation: string): Promise<void> {
    await Promise.all(this.list.map(upload => upload.send(conversation)));
  }

  remove(upload: Upload): void {
    upload.discard();
    this.list = this.list.filter(other => other !== upload);
  }

  clear(): void {
    this.list.forEach(upload => upload.discard());
    this.list = [];
    this.refusal = undefined;
  }
}
