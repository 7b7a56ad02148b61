// The part of the chat that shows messages. It is not needed to write the first one, so it is loaded apart.

export const loadConversation = () => import('./open');
