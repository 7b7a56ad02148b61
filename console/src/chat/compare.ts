// Marks the differences between two elements, without changing them.

import { difference, type Change } from '../text/difference';

export interface Marks {
  readonly count: { readonly removed: number; readonly added: number; readonly isTotal: boolean };
  readonly remove: () => void;
}

/** Marks what only one of two elements has. Browsers without the Custom Highlight API only count it. */
export function markDifferences(first: HTMLElement, second: HTMLElement): Marks {
  const [left, right] = [new ShownText(first), new ShownText(second)];
  const { removed, added, isTotal } = difference(left.text, right.text);
  const count = { removed: removed.length, added: added.length, isTotal };
  if (isTotal || typeof Highlight === 'undefined' || !('highlights' in CSS)) return { count, remove: () => {} };
  CSS.highlights.set('compare-removed', new Highlight(...removed.flatMap(change => left.ranges(change))));
  CSS.highlights.set('compare-added', new Highlight(...added.flatMap(change => right.ranges(change))));
  return {
    count,
    remove: () => {
      CSS.highlights.delete('compare-removed');
      CSS.highlights.delete('compare-added');
    },
  };
}

/** The text of an element, without buttons, and where its characters are. */
class ShownText {
  readonly text: string;
  private readonly nodes: { readonly node: Text; readonly start: number; readonly end: number }[] = [];

  constructor(element: HTMLElement) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const texts: string[] = [];
    let start = 0;
    while (walker.nextNode()) {
      const node = walker.currentNode as Text;
      if (node.parentElement?.closest('button, figcaption')) continue;
      this.nodes.push({ node, start, end: start + node.length });
      texts.push(node.data);
      // A break, because a node ends where an element does.
      start += node.length + 1;
    }
    this.text = texts.join('\n');
  }

  ranges(change: Change): StaticRange[] {
    return this.nodes.filter(({ start, end }) => start < change.end && end > change.start).map(({ node, start, end }) => new StaticRange({
      startContainer: node,
      startOffset: Math.max(change.start, start) - start,
      endContainer: node,
      endOffset: Math.min(change.end, end) - start,
    }));
  }
}
