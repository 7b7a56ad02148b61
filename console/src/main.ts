import './app.css';
import { mount } from 'svelte';
import { wasSignedIn } from './api/session.svelte';
import App from './App.svelte';
import { loadConversation } from './chat/load';
import { match, router, startRouter } from './router.svelte';
import { restoreLook } from './look.svelte';

restoreLook();
startRouter();
// While the server is asked for the account. `App` deals with failures.
if (wasSignedIn()) {
  import('./shell/console').catch(() => {});
  if (match('/conversations/:id', router.location.path)) loadConversation().catch(() => {});
}
const target = document.getElementById('app');
if (target) mount(App, { target });
