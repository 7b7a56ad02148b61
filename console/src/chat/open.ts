// What is loaded for a conversation with messages.

import { match, router } from '../router.svelte';
import { conversationFor, handOver } from './conversation.svelte';

export { default as ConversationScreen } from './ConversationScreen.svelte';
export { handOver, OpenConversation } from './conversation.svelte';

// The messages are requested before the screen is there, which waits for the account.
const id = match('/conversations/:id', router.location.path)?.id;
if (id) handOver(conversationFor(id, router.location.query.get('m') ?? undefined));
