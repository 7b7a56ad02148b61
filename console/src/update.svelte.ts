// Whether the server has another version of the console than this page. The addresses of the files contain the version, so
// parts that this page has not loaded yet are gone then.

let available = $state(false);

export const update = {
  get available(): boolean {
    return available;
  },
  /** Asks the server for a file of this page's version. */
  async check(): Promise<void> {
    if (available) return;
    const response = await fetch(import.meta.url, { method: 'HEAD', cache: 'no-store' }).catch(() => undefined);
    if (response?.status === 404) available = true;
  },
};

// Vite reports parts that could not be loaded.
addEventListener('vite:preloadError', () => void update.check());
