// Parses `text/event-stream`, as the HTML standard describes it.

export interface ServerSentEvent {
  /** The id of the last event that had one; empty if there was none. */
  readonly id: string;
  readonly data: string;
}

/** An event of more characters than this is an error of the server or of something between. */
const MAX_EVENT_CHARS = 32 * 1024 * 1024;

/** Turns the chunks of a body into events. The name of an event is not reported: the data contains it as `type`. */
export class EventStreamParser {
  private readonly decoder = new TextDecoder();
  /** Characters of a line that has not ended. Chunks are joined once, when it ends. */
  private rest: string[] = [];
  private restChars = 0;
  private data: string[] = [];
  private id = '';

  /** Adds a chunk, and returns the events that it completes. */
  push(chunk: Uint8Array): ServerSentEvent[] {
    const events: ServerSentEvent[] = [];
    const text = this.decoder.decode(chunk, { stream: true });
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      this.rest.push(text.slice(start, end));
      start = end + 1;
      const line = this.rest.length === 1 ? this.rest[0]! : this.rest.join('');
      this.rest = [];
      this.restChars = 0;
      const event = this.line(line.endsWith('\r') ? line.slice(0, -1) : line);
      if (event) events.push(event);
    }
    if (start < text.length) {
      this.rest.push(text.slice(start));
      this.restChars += text.length - start;
      if (this.restChars > MAX_EVENT_CHARS) throw new Error('an event of the stream is too long');
    }
    return events;
  }

  private line(line: string): ServerSentEvent | null {
    if (line === '') {
      if (this.data.length === 0) return null;
      const event = { id: this.id, data: this.data.join('\n') };
      this.data = [];
      return event;
    }
    const colon = line.indexOf(':');
    if (colon === 0) return null;
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (name === 'data') this.data.push(value);
    else if (name === 'id' && !value.includes('\0')) this.id = value;
    return null;
  }
}
