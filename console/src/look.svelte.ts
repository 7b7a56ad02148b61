// Theme and width of the console in this browser. The preference is stored in the account; the copy here is for the first
// paint, before the account is known.

export type Theme = 'system' | 'light' | 'dark';

const KEY = 'understudy.theme';

function stored(): Theme {
  const value = localStorage.getItem(KEY);
  return value === 'light' || value === 'dark' ? value : 'system';
}

let theme = $state<Theme>('system');

export const look = {
  get theme(): Theme {
    return theme;
  },
  set theme(value: Theme) {
    theme = value;
    localStorage.setItem(KEY, value);
    document.documentElement.dataset.theme = value;
  },
};

export function restoreLook(): void {
  look.theme = stored();
}
