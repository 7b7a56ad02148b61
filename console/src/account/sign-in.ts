// The screens for people who are not signed in. They are loaded together.

export { default as Forgotten } from './Forgotten.svelte';
export { default as Join } from './Join.svelte';
export { default as SignIn } from './SignIn.svelte';
