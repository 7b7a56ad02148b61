/** Places an open popover next to its button, within the window. */
export function place(popover: HTMLElement, anchor: HTMLElement, prefer: 'below' | 'above' = 'below', align: 'start' | 'end' = 'start'): void {
  const gap = 4;
  const margin = 8;
  const box = anchor.getBoundingClientRect();
  const size = popover.getBoundingClientRect();
  const rightToLeft = getComputedStyle(anchor).direction === 'rtl';
  const left = (align === 'start') === !rightToLeft ? box.left : box.right - size.width;
  const below = box.bottom + gap;
  const above = box.top - gap - size.height;
  const fitsBelow = below + size.height <= innerHeight - margin;
  const top = (prefer === 'below' && fitsBelow) || above < margin ? below : above;
  popover.style.setProperty('left', `${Math.max(margin, Math.min(left, innerWidth - size.width - margin))}px`);
  popover.style.setProperty('top', `${Math.max(margin, Math.min(top, innerHeight - size.height - margin))}px`);
}
