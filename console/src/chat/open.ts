// What is loaded for a conversation with messages.

export { default as ConversationScreen } from './ConversationScreen.svelte';
export { handOver, OpenConversation } from './conversation.svelte';
