// The screens of the console by path. The paths are those that notifications of the server link to.

import type { Component, Snippet } from 'svelte';
import type { CurrentUser } from '../api/types';
import { loadConversation } from '../chat/load';
import NewConversation from '../chat/NewConversation.svelte';
import { match } from '../router.svelte';
// The build copies this list to the server, which answers 404 for all other paths.
import PATTERNS from './screens.json';

export type ScreenComponent = Component<{ user: CurrentUser; opener: Snippet; parameters: Record<string, string> }>;

type Load = () => Promise<unknown>;

const account = () => import('../account/screens');
const settings = async () => (await account()).Settings;
const overview = async () => (await account()).Overview;

/** Screens of their own. The others show what the API tells about the object at their path. */
const SCREENS: Readonly<Record<string, Load>> = {
  '/': async () => NewConversation,
  '/conversations/:id': async () => (await loadConversation()).ConversationScreen,
  '/memories': async () => (await account()).Memories,
  '/notifications': async () => (await account()).Notifications,
  '/projects/:id': async () => (await account()).Project,
  '/settings': settings,
  '/settings/:section': settings,
  '/why': async () => (await account()).Why,
};

/** The pattern that a path matches. */
export function patternAt(path: string): string | undefined {
  return PATTERNS.find(pattern => match(pattern, path));
}

export function screenAt(path: string): { load: Load; parameters: Record<string, string> } | undefined {
  const pattern = patternAt(path);
  const parameters = pattern === undefined ? undefined : match(pattern, path);
  return pattern === undefined || parameters === undefined ? undefined : { load: SCREENS[pattern] ?? overview, parameters };
}
