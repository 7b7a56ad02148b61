// The English texts. Other languages have the same shape.

import { signIn, password, join, projects, settings, memories } from './en/account';
import { chat, markdown } from './en/chat';
import { common, state, why } from './en/general';
import { shell, notifications, overview, keys } from './en/shell';

export const en = { common, state, why, signIn, password, join, shell, notifications, overview, keys, projects, settings, memories, chat, markdown } as const;
