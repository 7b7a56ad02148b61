// The screens of the console by path. The paths are those that notifications of the server link to.

import { match } from '../router.svelte';

interface ScreenRoute {
  readonly pattern: string;
  readonly load: () => Promise<{ default: unknown }>;
}

const chat = () => import('../chat/Chat.svelte');

const SCREENS: readonly ScreenRoute[] = [
  { pattern: '/', load: chat },
  { pattern: '/conversations/:id', load: chat },
  { pattern: '/projects/:id', load: () => import('../account/ProjectScreen.svelte') },
  { pattern: '/memories', load: () => import('../account/Memories.svelte') },
  { pattern: '/settings', load: () => import('../account/Settings.svelte') },
  { pattern: '/settings/:section', load: () => import('../account/Settings.svelte') },
  { pattern: '/why', load: () => import('../account/WhyScreen.svelte') },
];

export function screenAt(path: string): { screen: ScreenRoute; parameters: Record<string, string> } | undefined {
  for (const screen of SCREENS) {
    const parameters = match(screen.pattern, path);
    if (parameters) return { screen, parameters };
  }
  return undefined;
}
