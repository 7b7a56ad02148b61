// The screens besides the chat. They are loaded together, when one of them is opened.

export { default as Memories } from './Memories.svelte';
export { default as Notifications } from './Notifications.svelte';
export { default as Overview } from '../overview/Overview.svelte';
export { default as Project } from './ProjectScreen.svelte';
export { default as Settings } from './Settings.svelte';
export { default as Why } from './WhyScreen.svelte';
