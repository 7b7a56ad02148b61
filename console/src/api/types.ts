// Short names of the API's types.

import type { components } from './schema';

type Schemas = components['schemas'];

export type Assistant = Schemas['AssistantPublicResponse'];
export type Attachment = Schemas['Attachment'];
export type BranchItem = Schemas['BranchItem'];
export type BranchPage = Schemas['BranchResponse'];
export type Conversation = Schemas['ConversationResponse'];
export type CurrentUser = Schemas['CurrentUserResponse'];
export type Explanation = Schemas['ExplanationResponse'];
export type Feedback = Schemas['Feedback'];
export type Login = Schemas['LoginResponse'];
export type Memory = Schemas['Memory'];
export type FoundMessage = Schemas['MessageSearchItem'];
export type Message = Schemas['ConversationMessage'];
export type Model = Schemas['LLMModelResponse'];
export type OutlineItem = Schemas['OutlineItem'];
export type Notification = Schemas['NotificationResponse'];
export type Part = Schemas['Part'];
export type Preferences = Schemas['UserPreferences'];
export type Project = Schemas['ProjectResponse'];
export type Snippet = Schemas['MessageSnippet'];
export type Source = Schemas['Source'];
export type ToolCall = Schemas['ToolCall'];
export type ApiToken = Schemas['ApiTokenResponse'];
export type TokenScope = Schemas['TokenScope'];
export type ActiveStream = Schemas['ActiveStream'];
export type QueuePlace = Schemas['QueuePlace'];
