// The names of people who are known by their ids.

import { call } from '../api/client';

class Names {
  private known = $state.raw<ReadonlyMap<string, string>>(new Map());
  private readonly asked = new Set<string>();

  /** The name of a user; undefined until it is read, and if it may not be read. */
  of(id: string): string | undefined {
    if (!this.asked.has(id)) {
      this.asked.add(id);
      void this.read(id);
    }
    return this.known.get(id);
  }

  private async read(id: string): Promise<void> {
    const { items } = await call('users.query_users', { query: { ids: [id] } }).catch(() => ({ items: [] }));
    if (items[0]) this.known = new Map(this.known).set(id, items[0].display_name);
  }
}

export const names = new Names();
