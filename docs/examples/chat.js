// What a page with the AI SDK's `useChat` needs: a transport, and the stored messages in the SDK's form.
// See docs/conversations.md; a test runs this file with the SDK's majors 5, 6 and 7.

/**
 * Options of a `DefaultChatTransport` for one conversation. `url` is empty on a page of the server's own. `on_active` lets a
 * message be sent after `stop()`, which leaves the answer running on the server: the new message cancels that answer.
 */
export function transportOptions(url, conversation, headers = {}) {
  const home = `${url}/api/conversations/${conversation}`;
  return {
    api: `${home}/completion?wire=ui-message`,
    headers,
    body: { on_active: 'cancel' },
    prepareReconnectToStreamRequest: () => ({ api: `${home}/streams/active?wire=ui-message`, headers }),
  };
}

/** The branch that is shown, of a conversation as `GET /api/conversations/{id}` gives it. */
export function branchOf({ messages, current_message_id }) {
  const known = new Map(messages.map(message => [message.id, message]));
  const branch = [];
  for (let at = known.get(current_message_id); at; at = known.get(at.parent_id)) branch.unshift(at);
  return branch;
}

/** The versions among which a message is one: `‹ 2/3 ›` under an edited question or an answer given again. */
export function versionsOf({ messages }, { parent_id, role }) {
  return messages.filter(message => message.parent_id === parent_id && message.role === role);
}

/** The last message below one: what `current_message_id` becomes when another version is chosen. */
export function endOf({ messages }, id) {
  const below = messages.filter(message => message.parent_id === id).at(-1);
  return below ? endOf({ messages }, below.id) : id;
}

/** Messages as `useChat` takes them. */
export function uiMessages(url, conversation) {
  const fileUrl = blob => `${url}/api/conversations/${conversation.id}/files/${blob}`;
  return branchOf(conversation).map(({ id, role, parts, attachments, tool_calls, ...metadata }) => ({
    id,
    role,
    metadata,
    parts: [
      ...attachments.map(file => ({
        type: 'file', mediaType: file.media_type, filename: file.filename, url: fileUrl(file.blob_id),
      })),
      ...parts.map((part, at) => uiPart(part, `source-${at}`, tool_calls, fileUrl)),
    ],
  }));
}

function uiPart(part, place, calls, fileUrl) {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return { type: part.type, text: part.text, state: 'done' };
    case 'file':
      return { type: 'file', mediaType: part.media_type, filename: part.filename ?? undefined, url: fileUrl(part.blob_id) };
    case 'source':
      return part.url
        ? { type: 'source-url', sourceId: place, url: part.url, title: part.title ?? undefined }
        : {
            type: 'source-document', sourceId: place, mediaType: 'text/plain', title: part.title ?? part.document_id,
            providerMetadata: { understudy: { document_id: part.document_id, place: part.place } },
          };
    case 'tool_call': {
      const call = calls.find(call => call.call_id === part.call_id);
      const common = {
        type: 'dynamic-tool', toolName: call.name, toolCallId: call.call_id, input: call.arguments, providerExecuted: true,
      };
      return call.error === null
        ? { ...common, state: 'output-available', output: call.output }
        : { ...common, state: 'output-error', errorText: call.error };
    }
  }
}
