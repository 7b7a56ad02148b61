// What the server tells about itself to everyone: its name and version, and how to sign in.

import { call, type ResultOf } from './client';

export type Installation = ResultOf<'bootstrap.get_bootstrap'>;

/** What is assumed if the server does not tell: everything is offered, and refused with a reason where it does not work. */
const UNKNOWN: Installation = { version: '', name: '', logo_url: null, is_first_start: false, sign_up: false, mail: true, sign_in_methods: ['password'] };

let current = $state.raw<Installation | undefined>();
let reading: Promise<void> | undefined;

export const installation = {
  /** Undefined until it is known. */
  get current(): Installation | undefined {
    return current;
  },
  /** Reads it, unless this has been done. */
  load(): void {
    reading ??= call('bootstrap.get_bootstrap').then(
      read => void (current = read),
      () => {
        current ??= UNKNOWN;
        reading = undefined;
      },
    );
  },
};
