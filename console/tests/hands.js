// Two ways to use a control: by mouse, and by keyboard alone.

import assert from 'node:assert/strict';

export const WAYS = ['mouse', 'keyboard'];

/** Presses Tab until an element has the focus, as somebody does who cannot use a mouse. */
export async function tabTo(page, locator) {
  await locator.waitFor();
  const focused = () => locator.evaluate(element => element === document.activeElement);
  for (let count = 0; count < 150; count++) {
    if (await focused()) return;
    await page.keyboard.press('Tab');
  }
  assert.fail(`Tab does not reach ${locator}`);
}

/** Uses a button or a link. */
export async function activate(page, locator, way, key = 'Enter') {
  if (way === 'mouse') {
    await locator.waitFor();
    return locator.click();
  }
  await tabTo(page, locator);
  await page.keyboard.press(key);
}

/** Chooses an entry of a menu: by mouse, or by its first letters and the arrow keys. */
export async function choose(page, button, entry, way) {
  await activate(page, button, way);
  const item = page.getByRole('menu').getByRole('menuitem', { name: entry, exact: true });
  await item.waitFor();
  if (way === 'mouse') return item.click();
  for (let count = 0; count < 30; count++) {
    if (await item.evaluate(element => element === document.activeElement)) return page.keyboard.press('Enter');
    await page.keyboard.press('ArrowDown');
  }
  assert.fail(`The arrow keys do not reach ${entry}`);
}

/** Replaces the text of a field. */
export async function write(page, field, text, way) {
  if (way === 'mouse') {
    await field.click();
  } else await tabTo(page, field);
  await page.keyboard.press('Control+a');
  await page.keyboard.type(text);
}
