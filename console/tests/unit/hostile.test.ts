import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Token } from 'marked';
import { Blocks, blocksOf } from '../../src/text/blocks';
import { decoded } from '../../src/text/entities';
import { imageAddress, linkAddress } from '../../src/text/links';
import { plainText } from '../../src/text/tokens';

const TYPES = new Set(['paragraph', 'heading', 'list', 'blockquote', 'code', 'table', 'math', 'hr', 'space', 'def', 'text', 'strong', 'em', 'del', 'codespan', 'link', 'image', 'br', 'escape', 'citation', 'checkbox', 'list_item']);

function walk(tokens: readonly Token[], visit: (token: Token, depth: number) => void, depth = 0): void {
  for (const token of tokens) {
    visit(token, depth);
    const inner = token as { tokens?: Token[]; items?: Token[]; header?: { tokens: Token[] }[]; rows?: { tokens: Token[] }[][] };
    for (const list of [inner.tokens, inner.items]) if (list) walk(list, visit, depth + 1);
    for (const cell of [...(inner.header ?? []), ...(inner.rows ?? []).flat()]) walk(cell.tokens, visit, depth + 1);
  }
}

test('blocks contain no HTML', () => {
  const text = '<script>alert(1)</script>\n\n<img src=x onerror=alert(1)> and <b onclick=x>b</b>\n\n- <iframe src="javascript:x">\n\n<!-- c -->\n\n<style>*{}</style>\n\n| <svg/onload=x> |\n|---|\n| <br> |\n';
  const blocks = blocksOf(text);
  walk(blocks.flatMap((block) => block.tokens), (token) => assert.ok(TYPES.has(token.type), token.type));
  const shown = plainText(blocks.flatMap((block) => block.tokens));
  for (const tag of ['<script>alert(1)</script>', '<img src=x onerror=alert(1)>', '<iframe', '<!-- c -->', '<style>']) assert.ok(shown.includes(tag), tag);
});

for (const href of ['javascript:alert(1)', 'JaVaScRiPt:alert(1)', ' javascript:alert(1)', 'java\nscript:alert(1)', 'java\tscript:x', '&#106;avascript:alert(1)', '&#x6A;avascript&colon;x', 'data:text/html,<script>', 'vbscript:x', 'blob:https://a/b', 'file:///etc/passwd', '//example.org', '/api/auth/logout', '', '\u0000javascript:x', 'streamdown:incomplete-link']) {
  test(`linkAddress refuses ${JSON.stringify(href)}`, () => assert.equal(linkAddress(href), null));
}

test('linkAddress takes web pages, mail and telephone numbers', () => {
  assert.equal(linkAddress('https://example.org/a?b=1&amp;c=2'), 'https://example.org/a?b=1&c=2');
  assert.equal(linkAddress('mailto:a@example.org'), 'mailto:a@example.org');
  assert.equal(linkAddress('tel:+491234'), 'tel:+491234');
});

test('imageAddress embeds pictures only, and loads nothing from elsewhere', () => {
  assert.equal(imageAddress('data:image/png;base64,AAAA')?.kind, 'embedded');
  assert.equal(imageAddress('data:image/svg+xml;base64,AAAA'), null);
  assert.equal(imageAddress('data:text/html;base64,AAAA'), null);
  assert.equal(imageAddress('https://example.org/a.png')?.kind, 'remote');
  assert.equal(imageAddress('javascript:alert(1)'), null);
});

test('decoded replaces character references once', () => {
  assert.equal(decoded('&amp;lt; &lt;b&gt; &#65;&#x42; &nope; &constructor; &#0; &#xD800; &'), '&lt; <b> AB &nope; &constructor; \ufffd \ufffd &');
});

/** Inputs that take quadratic time or deep recursion in a parser without limits. */
const HOSTILE: Record<string, string> = {
  'one line of 1 MB': 'word '.repeat(200_000),
  'one word of 1 MB': 'a'.repeat(1_000_000),
  'brackets': '['.repeat(300_000),
  'links in links': '[a]('.repeat(100_000),
  'images in images': '!['.repeat(150_000),
  'open emphasis': '*a **b _c '.repeat(50_000),
  'underscores': '_a'.repeat(200_000),
  'mail addresses': `${'a_'.repeat(100_000)}@`,
  'backticks': Array.from({ length: 1000 }, (_, at) => '`'.repeat(at)).join(' '),
  'deep quotes': '>'.repeat(50_000),
  'deep quotes by line': '> > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > a\n'.repeat(5000),
  'deep lists': Array.from({ length: 2000 }, (_, at) => `${' '.repeat(at * 2)}- a`).join('\n'),
  'lists in one line': '- '.repeat(50_000),
  'numbers in one line': '1. '.repeat(50_000),
  'deep emphasis': `${'**a *b '.repeat(2000)}${'c* d** '.repeat(2000)}`,
  'many items': '- a\n'.repeat(100_000),
  'many paragraphs': 'a\n\n'.repeat(50_000),
  'many headings': '# a\n'.repeat(50_000),
  'many rows': `| a | b |\n|---|---|\n${'| 1 | 2 |\n'.repeat(30_000)}`,
  'wide table': `${'|a'.repeat(30_000)}|\n${'|-'.repeat(30_000)}|\n`,
  'dollars': '$a '.repeat(100_000),
  'mathematics that does not end': `$$\n${'x\n'.repeat(100_000)}`,
  'brackets of mathematics': '\\['.repeat(100_000),
  'backslashes': '\\'.repeat(300_000),
  'angles': '<a '.repeat(100_000),
  'tildes': '~~a'.repeat(100_000),
  'code that does not end': `\`\`\`js\n${'let a;\n'.repeat(150_000)}`,
  'definitions': '[a]: https://example.org\n'.repeat(20_000),
  'blanks': `${' '.repeat(500_000)}a`,
  'lines': '\n'.repeat(500_000),
  'null characters': '\0'.repeat(100_000),
  'lone surrogates': '\ud83c'.repeat(100_000),
};

/** A generous multiple of what is needed, so that only a different order of growth exceeds it. */
const LIMIT_MS = 20_000;
const MAX_NESTING = 120;

for (const [name, text] of Object.entries(HOSTILE)) {
  test(`blocks of ${name} are bounded in time and depth`, { timeout: LIMIT_MS }, () => {
    const blocks = blocksOf(text);
    let depth = 0;
    walk(blocks.flatMap((block) => block.tokens), (_, at) => (depth = Math.max(depth, at)));
    assert.equal(blocks.map((block) => block.source).join(''), text);
    assert.ok(depth <= MAX_NESTING, `nesting of ${depth}`);
    const growing = new Blocks();
    for (let at = 0; at < text.length; at += 20_000) growing.append(text.slice(at, at + 20_000));
    assert.equal(growing.finish().length, blocks.length);
    assert.ok(growing.count.chars <= 3 * text.length + 8_000);
  });
}
