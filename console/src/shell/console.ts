// What is loaded for people who are signed in: the navigation and the chat.

export { default as Shell } from './Shell.svelte';
