// What the components of a text need from the page that shows it.

import { getContext, setContext } from 'svelte';

/** The texts of the components, in the language of the user. */
export interface MarkdownLabels {
  readonly copyCode: string;
  readonly copied: string;
  readonly code: (language: string) => string;
  readonly table: string;
  readonly formula: string;
  readonly done: string;
  readonly notDone: string;
  readonly image: (description: string, host: string) => string;
  readonly citation: (number: number) => string;
  readonly footnote: (label: string) => string;
  readonly toReference: (label: string) => string;
}

export interface MarkdownContext {
  readonly labels: MarkdownLabels;
  /** Begins the ids of elements in this text, which are unique in the page. */
  readonly prefix: string;
  /** Whether there is a source with this number. Other numbers in brackets are text. */
  isCited(number: number): boolean;
  /** The reader follows a citation. */
  cite(number: number): void;
}

/** The id of the element of a footnote, or of a reference to it. */
export function idOf({ prefix }: MarkdownContext, kind: 'footnote' | 'reference', label: string): string {
  return `${prefix}-${kind}-${label}`;
}

const KEY = Symbol('markdown');

export function provideMarkdown(context: MarkdownContext): void {
  setContext(KEY, context);
}

export function useMarkdown(): MarkdownContext {
  return getContext<MarkdownContext>(KEY);
}

/** Constructs in more constructs than these are shown as plain text. */
export const MAX_DEPTH = 32;
