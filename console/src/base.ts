// Addresses relative to where the server is mounted, which may be a path behind a proxy.

/**
 * The path of the server's root, ending with `/`. The server delivers the assets as `<root>console/<digest>/<file>`; without
 * such a folder, as in development, they are at the root.
 */
export const root: string = rootOf(new URL(import.meta.url).pathname);

export function rootOf(asset: string): string {
  const folder = /^(.*\/)console\/[^/]+\/[^/]*$/.exec(asset);
  return folder?.[1] ?? '/';
}

/** The address of a path such as `/api/users/me`. */
export function href(path: string): string {
  return root + path.replace(/^\//, '');
}

/** The path in the console of an address's path, or undefined if it is outside. */
export function pathWithin(pathname: string): string | undefined {
  return pathname.startsWith(root) ? `/${pathname.slice(root.length)}` : undefined;
}
