// Formulas as MathML. The elements are made without HTML strings.

/** Longer formulas are shown as they are written. */
const MAX_CHARS = 4_000;

/**
 * Draws a formula into an empty element. Resolves with whether it could be drawn. Commands that load or link to
 * something are not allowed.
 */
export async function drawMath(tex: string, display: boolean, into: HTMLElement): Promise<boolean> {
  if (tex.length > MAX_CHARS) return false;
  const { default: temml } = await import('temml');
  try {
    temml.render(tex, into, { displayMode: display, throwOnError: true, trust: false, maxSize: [20, 100], maxExpand: 500 });
    return true;
  } catch {
    into.replaceChildren();
    return false;
  }
}
