import { href, pathWithin } from './base';

/** Where the console is: a path without the server's root, and the parameters behind it. */
export interface Location {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly fragment: string;
}

function read(): Location {
  return {
    path: pathWithin(location.pathname) ?? '/',
    query: new URLSearchParams(location.search),
    fragment: location.hash.slice(1),
  };
}

let current = $state.raw<Location>(read());

export const router = {
  get location(): Location {
    return current;
  },
};

/** Goes to a path of the console. */
export function navigate(path: string, options: { replace?: boolean } = {}): void {
  if (options.replace) history.replaceState(null, '', href(path));
  else history.pushState(null, '', href(path));
  current = read();
}

/** The parameters of a path pattern such as `/conversations/:id`, or undefined if the path does not match. */
export function match(pattern: string, path: string): Record<string, string> | undefined {
  const expected = pattern.split('/');
  const actual = path.replace(/\/+$/, '').split('/');
  if (path === '/') actual[1] = '';
  if (expected.length !== actual.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [at, part] of expected.entries()) {
    const value = actual[at] ?? '';
    if (part.startsWith(':') && value) {
      try {
        parameters[part.slice(1)] = decodeURIComponent(value);
      } catch {
        return undefined;
      }
    } else if (part !== value) return undefined;
  }
  return parameters;
}

function isPlainClick(event: MouseEvent): boolean {
  return event.button === 0 && !event.defaultPrevented && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
}

/** Follows links within the console without loading the document again. */
export function startRouter(): void {
  addEventListener('popstate', () => (current = read()));
  addEventListener('hashchange', () => (current = read()));
  document.addEventListener('click', event => {
    const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
    if (!(link instanceof HTMLAnchorElement) || !isPlainClick(event)) return;
    if (link.target || link.hasAttribute('download') || link.origin !== location.origin) return;
    // The browser goes to places within the page, and moves the focus there.
    if (link.hash && link.pathname === location.pathname && link.search === location.search) return;
    const path = pathWithin(link.pathname);
    if (!path || path.startsWith('/api/') || path === '/metrics') return;
    event.preventDefault();
    navigate(path + link.search + link.hash);
  });
}
