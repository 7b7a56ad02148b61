/**
 * Copies a text. Resolves with whether this worked. Browsers have the clipboard API only on secure origins, which a server
 * in a local network without TLS is not.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    if (navigator.clipboard) {
      await navigator.clipboard.writeText(text);
      return true;
    }
  } catch {
    // The permission is refused, or the page has no focus.
  }
  return copySelected(text);
}

function copySelected(text: string): boolean {
  const former = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.readOnly = true;
  field.className = 'visually-hidden';
  // In a dialog, elements outside of it cannot be selected.
  (former?.closest('dialog') ?? document.body).append(field);
  field.select();
  const copied = document.execCommand('copy');
  field.remove();
  if (former instanceof HTMLElement) former.focus();
  return copied;
}
