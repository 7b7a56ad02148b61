// The events that the server sends, as described by the OpenAPI document.

import type { components } from '../api/schema';

type Schemas = components['schemas'];

/** An event of a run's journal. */
export type StreamEvent = Schemas['StreamEvent'];
/** An event of a conversation's feed. */
export type FeedEvent = Schemas['FeedEvent'];
/** An event of the notification feed. */
export type NotificationEvent = Schemas['NotificationEvent'];
/** An error response (RFC 9457). */
export type { ProblemBody as Problem } from '../api/problem';
/** How a run ended. */
export type Terminal = Schemas['Terminal'];
/** The state of a run. */
export type RunState = Schemas['RunState'];
/** A web page or passage that an answer is based on. */
export type Source = Schemas['Source'];
/** Number of tokens used. */
export type Usage = Schemas['Usage'];
/** A form that a workflow asks people to fill in. */
export type FormRequired = Schemas['FormRequired'];
/** A submitted form. */
export type FormSubmitted = Schemas['FormSubmitted'];
/** A tool server that cannot be used, and why. */
export type ToolServerIssue = Schemas['ToolServerTold'];
/** Why a run was paused. */
export type RunPaused = Schemas['RunPaused'];
/** What a run waits for. */
export type RunWaiting = Schemas['RunWaiting'];
