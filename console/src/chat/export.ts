import type { Message } from '../api/types';

/** The messages of a branch as Markdown. */
export function exported(title: string, messages: readonly Message[]): string {
  const sections = messages.map(({ role, model, parts }) => {
    const text = (parts ?? []).flatMap(part => (part.type === 'text' ? part.text : [])).join('\n\n');
    return `## ${role}${model ? ` (${model})` : ''}\n\n${text}\n`;
  });
  return [`# ${title}\n`, ...sections].join('\n');
}
