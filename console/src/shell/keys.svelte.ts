// The keyboard: which dialogs are open, and the commands that the screen adds to the palette.

import type { IconNode } from 'lucide';

export interface Command {
  readonly id: string;
  readonly label: string;
  readonly icon?: IconNode;
  readonly keys?: string;
  readonly group?: string;
  readonly run: () => void;
}

let added = $state.raw<readonly Command[]>([]);

export const keys = $state({ palette: false, help: false });

export const screenCommands = {
  get list(): readonly Command[] {
    return added;
  },
  /** Adds commands for as long as the screen is shown; returns how to remove them. */
  add(commands: readonly Command[]): () => void {
    added = commands;
    return () => {
      if (added === commands) added = [];
    };
  },
};

const isMac = navigator.platform.startsWith('Mac');

/** The modifier for commands on this platform. */
export const MOD = isMac ? '⌘' : 'Ctrl';

export function hasMod(event: KeyboardEvent): boolean {
  return isMac ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
}

/** Whether the keyboard is a part of the screen, on which Enter is the only way to a new line. */
export const hasKeyboardOnScreen = matchMedia('(pointer: coarse)').matches;

/** Whether a key sends a message: Enter, or Ctrl and Enter where Enter begins a line. */
export function isSendKey(event: KeyboardEvent): boolean {
  return event.key === 'Enter' && !event.shiftKey && !event.isComposing && (!hasKeyboardOnScreen || hasMod(event));
}

/** Whether a key without modifiers belongs to the element that has the focus. */
export function isTyping(event: KeyboardEvent): boolean {
  const element = event.target;
  return element instanceof HTMLElement && (element.isContentEditable || element.matches('input, textarea, select, dialog *, [popover] *'));
}
