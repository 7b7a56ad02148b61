// How a value of a response is shown, whatever it is.

import { cost, dateTime, number, t, type Words } from '../words/index.svelte';
import { ENUMERATED } from './views';

/** The words for a member of an enumeration. One that a later server has added is shown as it is. */
const wordsOf = (value: string): string => t.overview.values[value as keyof Words['overview']['values']] ?? value;

/** The text of a value; undefined if there is nothing to show. */
export function textOf(path: string, value: unknown): string | undefined {
  if (value === null || value === undefined || value === '') return undefined;
  if (typeof value === 'boolean') return value ? t.overview.yes : t.overview.no;
  if (typeof value === 'number') return path.includes('_nanos') ? cost(value) : number(value);
  if (Array.isArray(value)) return number(value.length);
  if (typeof value !== 'string') return undefined;
  if (ENUMERATED.has(path)) return wordsOf(value);
  return /_(at|date)$/.test(path) ? dateTime(value) : value;
}
