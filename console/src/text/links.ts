// Addresses in texts that models and other people write.

import { decoded } from './entities';

const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:', 'tel:']);
/** Images that are part of the text itself. SVG is not among them, because it is a document with scripts. */
const EMBEDDED_IMAGE = /^data:image\/(?:png|jpeg|gif|webp|avif);base64,[A-Za-z0-9+/=]+$/;

/** The address of a link, or `null` if it must not be followed: it is relative, or its scheme could run scripts. */
export function linkAddress(href: string): string | null {
  try {
    const url = new URL(decoded(href));
    return SCHEMES.has(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

/** What can be done with an image: shown, opened in a tab of its own, or nothing. */
export type ImageAddress = { readonly kind: 'embedded' | 'remote'; readonly href: string };

export function imageAddress(href: string): ImageAddress | null {
  if (EMBEDDED_IMAGE.test(href)) return { kind: 'embedded', href };
  const address = linkAddress(href);
  return address?.startsWith('http') ? { kind: 'remote', href: address } : null;
}

/** The host of an address, for people. */
export function hostOf(address: string): string {
  return new URL(address).host;
}
