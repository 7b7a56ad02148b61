// The screens of the account and of projects. They are loaded together, when one of them is opened.

export { default as Memories } from './Memories.svelte';
export { default as Project } from './ProjectScreen.svelte';
export { default as Settings } from './Settings.svelte';
export { default as Why } from './WhyScreen.svelte';
