import { call, type RequestOptions } from '../api/client';
import { reloadUser } from '../api/session.svelte';
import { Submission } from '../parts/submission.svelte';

type Preferences = NonNullable<RequestOptions<'users.update_user_preferences'>['body']>;

/** Saves preferences when they are chosen. Choices that are made while one is saved follow it: the last one counts. */
export class PreferenceSaver {
  readonly submission = new Submission();
  private unsaved: Preferences = {};

  private get isUnsaved(): boolean {
    return Object.keys(this.unsaved).length > 0;
  }

  save(chosen: Preferences): void {
    this.unsaved = { ...this.unsaved, ...chosen };
    void this.submission.run(async () => {
      do {
        const body = this.unsaved;
        this.unsaved = {};
        await call('users.update_user_preferences', { body });
        if (!this.isUnsaved) await reloadUser();
        // Also what was chosen while the account was read again.
      } while (this.isUnsaved);
    });
  }
}
