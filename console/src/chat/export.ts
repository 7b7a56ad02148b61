import type { Message } from '../api/types';
import { t } from '../words/index.svelte';

/** The messages of a branch as Markdown, with the names of their files and their sources. */
export function exported(title: string, messages: readonly Message[]): string {
  return [`# ${title}\n`, ...messages.map(section)].join('\n');
}

function section({ role, model, parts = [], attachments = [] }: Message): string {
  const text = parts.flatMap(part => (part.type === 'text' ? part.text : [])).join('\n\n');
  const files = [...attachments.map(({ filename }) => filename), ...parts.flatMap(part => (part.type === 'file' ? (part.filename ?? t.chat.file) : []))];
  const sources = parts.flatMap((part, at) => {
    if (part.type !== 'source') return [];
    const place = [...(part.place?.headings ?? []), part.place?.page ? t.chat.page(part.place.page) : ''].filter(Boolean).join(' › ');
    return [`${part.place?.number || at + 1}. ${[part.title, place, part.url].filter(Boolean).join(', ')}`];
  });
  const heading = `## ${role === 'user' ? t.chat.you : t.chat.response}${model ? ` (${model})` : ''}`;
  const blocks = [heading, text, ...files.map(name => `*${t.chat.file}: ${name}*`), sources.length > 0 ? `${t.chat.sources}:\n\n${sources.join('\n')}` : ''];
  return `${blocks.filter(Boolean).join('\n\n')}\n`;
}
