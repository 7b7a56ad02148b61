// Gives the ranges of code to the browser. Browsers without the Custom Highlight API show code in one colour.

import type { CodeRange, CodeScope } from './highlight';

/** Colours ranges of a text node. Returns a function that removes the colours. */
export function paint(node: Text, ranges: readonly CodeRange[]): () => void {
  if (typeof Highlight === 'undefined' || !('highlights' in CSS)) return () => {};
  const painted = ranges.map(({ scope, start, end }) => {
    const range = new StaticRange({ startContainer: node, startOffset: start, endContainer: node, endOffset: end });
    const highlight = highlightOf(scope);
    highlight.add(range);
    return () => highlight.delete(range);
  });
  return () => {
    for (const remove of painted) remove();
  };
}

function highlightOf(scope: CodeScope): Highlight {
  const name = `code-${scope}`;
  const known = CSS.highlights.get(name);
  if (known) return known;
  const highlight = new Highlight();
  CSS.highlights.set(name, highlight);
  return highlight;
}
