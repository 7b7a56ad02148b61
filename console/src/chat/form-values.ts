// The values of a form's fields, between what the browser edits and what the server takes.

import type { FormRequired } from '../live/event';

export type FormField = FormRequired['fields'][number];

/** What is edited: a text, whether a box is checked, the number of the chosen option (-1 for none), or an uploaded file. */
export type Edited = string | boolean | number | { readonly blob_id: string } | undefined;

/** How a field is edited. */
export type Control = 'check' | 'choice' | 'file' | 'lines' | 'number' | 'text';

export function controlOf({ type, options }: FormField): Control {
  if (options.length > 0) return 'choice';
  switch (type) {
    case 'boolean':
      return 'check';
    case 'file':
      return 'file';
    case 'object':
    case 'array':
      return 'lines';
    case 'number':
    case 'integer':
      return 'number';
    default:
      return 'text';
  }
}

const same = (first: unknown, second: unknown) => JSON.stringify(first) === JSON.stringify(second);

/** What is edited at first. */
export function initialOf(field: FormField): Edited {
  const { default: value } = field;
  switch (controlOf(field)) {
    case 'choice':
      return field.options.findIndex(option => same(option, value));
    case 'check':
      return value === true;
    case 'file':
      return isFile(value) ? value : undefined;
    default:
      return value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value, null, controlOf(field) === 'lines' ? 2 : 0);
  }
}

function isFile(value: unknown): value is { blob_id: string } {
  return typeof value === 'object' && value !== null && 'blob_id' in value;
}

export type Parsed = { readonly value: unknown } | { readonly fault: 'type' | 'missing' };

/** The value to be sent; `null` if there is none. */
export function parsedOf(field: FormField, edited: Edited): Parsed {
  const value = valueOf(field, edited);
  if (value === undefined) return { fault: 'type' };
  return field.required && (value === null || value === '') ? { fault: 'missing' } : { value };
}

/** `undefined` if the text is not a value of the type. */
function valueOf(field: FormField, edited: Edited): unknown {
  if (controlOf(field) === 'choice') return field.options[edited as number] ?? null;
  if (edited === undefined) return null;
  if (typeof edited !== 'string' || field.type === 'string') return edited;
  const text = edited.trim();
  if (text === '') return null;
  switch (field.type) {
    case 'number':
    case 'integer': {
      const number = Number(text.replace(/^(-?\d+),(\d+)$/, '$1.$2'));
      return Number.isFinite(number) && (field.type === 'number' || Number.isInteger(number)) ? number : undefined;
    }
    default:
      return parsedJson(field.type, text);
  }
}

function parsedJson(type: FormField['type'], text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (type === 'array') return Array.isArray(value) ? value : undefined;
    if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
    return value;
  } catch {
    return type === 'any' ? text : undefined;
  }
}

/** A value for people. */
export function shownValue(value: unknown): string {
  if (typeof value === 'string') return value;
  if (isFile(value) && 'filename' in value) return String(value.filename);
  return value === null || value === undefined ? '–' : JSON.stringify(value);
}
