// The screens of the console by path. The paths are those that notifications of the server link to.

import type { Component, Snippet } from 'svelte';
import type { CurrentUser } from '../api/types';
import Chat from '../chat/Chat.svelte';
import { match } from '../router.svelte';

export type ScreenComponent = Component<{ user: CurrentUser; opener: Snippet; parameters: Record<string, string> }>;

interface ScreenRoute {
  readonly pattern: string;
  readonly load: () => Promise<unknown>;
}

const chat = async () => Chat;
const account = () => import('../account/screens');
const settings = async () => (await account()).Settings;

const SCREENS: readonly ScreenRoute[] = [
  { pattern: '/', load: chat },
  { pattern: '/conversations/:id', load: chat },
  { pattern: '/projects/:id', load: async () => (await account()).Project },
  { pattern: '/memories', load: async () => (await account()).Memories },
  { pattern: '/settings', load: settings },
  { pattern: '/settings/:section', load: settings },
  { pattern: '/why', load: async () => (await account()).Why },
];

export function screenAt(path: string): { screen: ScreenRoute; parameters: Record<string, string> } | undefined {
  for (const screen of SCREENS) {
    const parameters = match(screen.pattern, path);
    if (parameters) return { screen, parameters };
  }
  return undefined;
}
