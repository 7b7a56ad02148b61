// The dialogs of the keyboard. They are loaded when one of them is opened.

export { default as Help } from './Help.svelte';
export { default as Palette } from './Palette.svelte';
