// Colours of code. The ranges are given to the browser as highlights, so a long listing is still a single text node.

import type { HLJSApi, LanguageFn } from 'highlight.js';

/** A kind of token that has a colour of its own; `::highlight(code-…)` in the style sheet. */
export type CodeScope = 'keyword' | 'string' | 'number' | 'title' | 'comment';

export interface CodeRange {
  readonly scope: CodeScope;
  readonly start: number;
  readonly end: number;
}

/** Longer listings are not coloured. */
const MAX_CHARS = 60_000;

const SCOPES: Readonly<Record<string, CodeScope>> = {
  keyword: 'keyword', tag: 'keyword', name: 'keyword', 'selector-tag': 'keyword', meta: 'keyword', operator: 'keyword', section: 'title',
  string: 'string', regexp: 'string', addition: 'string', quote: 'string', link: 'string', 'meta-string': 'string',
  number: 'number', literal: 'number', symbol: 'number', bullet: 'number', 'template-variable': 'number', variable: 'number',
  title: 'title', built_in: 'title', type: 'title', attr: 'title', attribute: 'title', 'selector-class': 'title', 'selector-id': 'title', property: 'title',
  comment: 'comment', doctag: 'comment', deletion: 'comment',
};

type Loader = () => Promise<{ default: LanguageFn }>;

const LANGUAGES: Readonly<Record<string, Loader>> = {
  bash: () => import('highlight.js/lib/languages/bash'),
  c: () => import('highlight.js/lib/languages/c'),
  cpp: () => import('highlight.js/lib/languages/cpp'),
  csharp: () => import('highlight.js/lib/languages/csharp'),
  css: () => import('highlight.js/lib/languages/css'),
  diff: () => import('highlight.js/lib/languages/diff'),
  dockerfile: () => import('highlight.js/lib/languages/dockerfile'),
  go: () => import('highlight.js/lib/languages/go'),
  ini: () => import('highlight.js/lib/languages/ini'),
  java: () => import('highlight.js/lib/languages/java'),
  javascript: () => import('highlight.js/lib/languages/javascript'),
  json: () => import('highlight.js/lib/languages/json'),
  kotlin: () => import('highlight.js/lib/languages/kotlin'),
  lua: () => import('highlight.js/lib/languages/lua'),
  makefile: () => import('highlight.js/lib/languages/makefile'),
  markdown: () => import('highlight.js/lib/languages/markdown'),
  php: () => import('highlight.js/lib/languages/php'),
  powershell: () => import('highlight.js/lib/languages/powershell'),
  python: () => import('highlight.js/lib/languages/python'),
  r: () => import('highlight.js/lib/languages/r'),
  ruby: () => import('highlight.js/lib/languages/ruby'),
  rust: () => import('highlight.js/lib/languages/rust'),
  scala: () => import('highlight.js/lib/languages/scala'),
  sql: () => import('highlight.js/lib/languages/sql'),
  swift: () => import('highlight.js/lib/languages/swift'),
  typescript: () => import('highlight.js/lib/languages/typescript'),
  xml: () => import('highlight.js/lib/languages/xml'),
  yaml: () => import('highlight.js/lib/languages/yaml'),
};

const ALIASES: Readonly<Record<string, string>> = {
  sh: 'bash', shell: 'bash', zsh: 'bash', console: 'bash', h: 'c', 'c++': 'cpp', cc: 'cpp', hpp: 'cpp', cs: 'csharp', 'c#': 'csharp',
  patch: 'diff', docker: 'dockerfile', golang: 'go', toml: 'ini', js: 'javascript', jsx: 'javascript', mjs: 'javascript', node: 'javascript',
  jsonc: 'json', json5: 'json', kt: 'kotlin', make: 'makefile', md: 'markdown', ps1: 'powershell', pwsh: 'powershell', py: 'python',
  rb: 'ruby', rs: 'rust', postgresql: 'sql', mysql: 'sql', sqlite: 'sql', ts: 'typescript', tsx: 'typescript', html: 'xml', svg: 'xml',
  svelte: 'xml', vue: 'xml', yml: 'yaml',
};

/** The language that the first word after a fence names, in lower case; empty if there is none. */
export function languageOf(info: string | undefined): string {
  return /^[\w+#.-]+/.exec(info ?? '')?.[0].toLowerCase() ?? '';
}

let core: Promise<HLJSApi> | undefined;

/** The coloured ranges of a listing, in order and without overlap. Empty for languages that are not known. */
export async function codeRanges(code: string, language: string): Promise<readonly CodeRange[]> {
  const name = ALIASES[language] ?? language;
  const load = Object.hasOwn(LANGUAGES, name) ? LANGUAGES[name] : undefined;
  if (!load || code.length > MAX_CHARS) return [];
  core ??= import('highlight.js/lib/core').then(({ default: hljs }) => {
    const own = hljs.newInstance();
    own.configure({ __emitter: RangeEmitter } as never);
    return own;
  });
  const [hljs, definition] = await Promise.all([core, load()]);
  if (!hljs.getLanguage(name)) hljs.registerLanguage(name, definition.default);
  const result = hljs.highlight(code, { language: name, ignoreIllegals: true });
  // If the highlighter fails, its emitter is another one.
  const emitter: unknown = result._emitter;
  return emitter instanceof RangeEmitter ? emitter.found : [];
}

/** Receives what the highlighter finds. Its default is to write HTML, which the console does not use. */
class RangeEmitter {
  readonly found: CodeRange[] = [];
  private at = 0;
  private readonly open: (CodeScope | undefined)[] = [];

  addText(text: string): void {
    const start = this.at;
    this.at += text.length;
    const scope = this.open.at(-1);
    if (scope) this.add({ scope, start, end: this.at });
  }

  openNode(scope: string): void {
    this.open.push(SCOPES[scope.split('.')[0]!] ?? this.open.at(-1));
  }

  closeNode(): void {
    this.open.pop();
  }

  // The highlighter uses both pairs of names.
  startScope(scope: string): void {
    this.openNode(scope);
  }

  endScope(): void {
    this.closeNode();
  }

  /** Another language inside of this one, such as a script in a page. */
  __addSublanguage(other: RangeEmitter): void {
    for (const { scope, start, end } of other.found) this.add({ scope, start: this.at + start, end: this.at + end });
    this.at += other.at;
  }

  finalize(): void {}

  toHTML(): string {
    return '';
  }

  private add(range: CodeRange): void {
    const last = this.found.at(-1);
    if (range.start === range.end) return;
    if (last?.scope === range.scope && last.end === range.start) this.found[this.found.length - 1] = { ...last, end: range.end };
    else this.found.push(range);
  }
}
