// The pane that shows the sources of one response.

import { addressOf } from '../api/client';
import type { SourcePart } from '../live/answer';

interface Shown {
  readonly message: string;
  readonly sources: readonly SourcePart[];
  /** The position of the open source in the list. */
  readonly at: number | undefined;
}

let shown = $state.raw<Shown | undefined>();

export const sourcesPane = {
  get shown(): Shown | undefined {
    return shown;
  },
  /** Opens the source that the text cites by a number, or the list if there is none. */
  show(message: string, sources: readonly SourcePart[], number?: number): void {
    const at = sources.findIndex(source => source.number === number);
    shown = { message, sources, at: at >= 0 ? at : number !== undefined && sources[number - 1] ? number - 1 : undefined };
  },
  select(at: number | undefined): void {
    if (shown) shown = { ...shown, at };
  },
  close(): void {
    shown = undefined;
  },
};

/** The title of a source, whatever it has. */
export function titleOf({ source }: SourcePart): string {
  if (source.title) return source.title;
  try {
    return source.url ? new URL(source.url).hostname : (source.document_id ?? '');
  } catch {
    return source.url ?? '';
  }
}

/** The address of a web page, if it is one that may be opened. */
export function pageOf({ source }: SourcePart): string | undefined {
  return source.url && /^https?:\/\//i.test(source.url) ? source.url : undefined;
}

/** Where the original document can be downloaded. */
export function originalOf({ source: { document_id, place } }: SourcePart): string | undefined {
  if (!document_id || !place?.knowledge_base_id) return undefined;
  return addressOf('knowledge-bases.get_knowledge_base_document_content', { path: { knowledge_base_id: place.knowledge_base_id, document_id } });
}
