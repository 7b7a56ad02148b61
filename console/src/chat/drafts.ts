// Texts of messages that were not sent, which survive a reload of the tab.

const PREFIX = 'understudy.draft.';
const LONGEST = 100_000;

export const drafts = {
  read(key: string): string {
    return sessionStorage.getItem(PREFIX + key) ?? '';
  },
  write(key: string, text: string): void {
    try {
      if (text && text.length <= LONGEST) sessionStorage.setItem(PREFIX + key, text);
      else sessionStorage.removeItem(PREFIX + key);
    } catch {
      // The quota is used up: the draft lives only as long as the page.
    }
  },
};
