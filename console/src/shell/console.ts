// What is loaded for people who are signed in: the navigation and the chat.

import { live } from '../live/tab';

export { default as Shell } from './Shell.svelte';

// What the first screen needs is requested before the account is known, so that a reload takes one round trip less. The
// screen deals with failures.
live.prepare();
