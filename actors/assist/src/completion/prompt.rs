//! Assembles the model request: instructions, the conversation up to the message that is answered, and, after a crash,
//! the answer so far.

use std::collections::HashSet;
use std::sync::Arc;

use providers::{ChatMessage, ChatRequest, Model, Role, ToolCall, ToolSpec};
use runs::{Caller, OverBudget, RunOutcome};
use serde_json::{Map, Value};
use storage::records::{
    Assistant, Conversation, Message, MessageRole, Part, Run, RunInput, SkillUsableIn, User,
};
use storage::{Reader, Row, TenantId};
use uuid::Uuid;

use super::attached::attached;
use super::chat::{self, ClientInput};
use super::project;
use super::request::StoredRequest;
use super::sources::{self, Sources};
use super::transcript::Transcript;
use crate::offer::ModelAccess;
use crate::run_context::{RunContext, RunWork};
use crate::toolbox::Toolbox;
use crate::{memories, skills};

/// Maximum bytes of earlier messages that are read if the context window of the model is unknown. Otherwise the limit is
/// the size of the window at four characters per token.
const MAX_TEXT_LENGTH: usize = 16 << 20;
/// Maximum number of earlier messages that are read.
const MAX_PATH_LENGTH: usize = 1_000;
/// Asks a model to continue where a crash cut it off.
pub const CONTINUE_INSTRUCTION: &str = "Your answer was cut off by a technical fault. Continue exactly where it broke \
                     off, without repeating any of it and without a remark on this.";

/// A request that is ready to be sent.
pub(super) struct Prompt {
    pub model: Arc<Model>,
    pub request: ChatRequest,
    /// The message that is answered.
    pub parent_id: Option<Uuid>,
    /// The tools that the model may call.
    pub tools: Toolbox,
    /// The passages that the answer is based on.
    pub sources: Sources,
    /// The memories in the instructions, if the answer becomes a message.
    pub memories: Vec<Uuid>,
    /// Text of the question, if the conversation has no title yet.
    pub question: Option<String>,
    /// Names of the tools that the client executes.
    pub of_client: HashSet<String>,
    /// Number of answers that are wanted; 0 and 1 both mean one.
    pub choices: u32,
}

/// The stored part of the conversation.
struct StoredConversation {
    path: Vec<Row<Message>>,
    instructions: Instructions,
    untitled: bool,
}

/// The instructions that precede the conversation.
struct Instructions {
    text: String,
    /// The memories in them.
    memories: Vec<Uuid>,
}

/// The conversation so far, in the form that the model reads.
#[derive(Default)]
struct History {
    messages: Vec<ChatMessage>,
    /// The user's messages, oldest first.
    questions: Vec<String>,
    memories: Vec<Uuid>,
    /// Text of the question, if the conversation has no title yet.
    question: Option<String>,
    /// Tools that the client executes.
    tools: Vec<ToolSpec>,
    choices: u32,
    /// Parameters from the client for the model.
    parameters: Map<String, Value>,
}

/// Assembles the request. Returns the run's outcome if that is not possible.
pub(super) async fn assemble(work: &RunWork, so_far: &Transcript) -> Result<Prompt, RunOutcome> {
    let settings: StoredRequest = serde_json::from_value(work.run.request.clone())
        .map_err(|why| RunOutcome::failed("bad_request", why.to_string()))?;
    let (tenant, name) = (work.tenant, &work.run.model);
    let storage = |why: storage::Error| RunOutcome::failed("storage", why.to_string());
    // Read now rather than at acceptance: the run may have been queued, or have been interrupted by a crash.
    let offer = work
        .store
        .read_now(|reader| ModelAccess::read(reader, &work.run_context.models, tenant, work.run.user));
    let offer = offer.map_err(storage)?;
    offer.within_budget().map_err(|over| RunOutcome::failed(OverBudget::CODE, over.to_string()))?;
    let model = offer.find(name);
    let model = model.ok_or_else(|| {
        RunOutcome::failed("unknown_model", format!("the model {name:?} is not there any more"))
    })?;
    let keys = offer.keys();
    let said = match work.run.conversation_id {
        Some(_) => conversation(work, so_far, &settings, &model).await.map_err(storage)?,
        None => client_history(work, &settings, &model).await.map_err(storage)?,
    };
    let History { mut messages, questions, memories, question, tools: own, choices, parameters } = said;
    let mut sources = sources::find(work, so_far, &questions, &settings.knowledge_bases).await;
    sources.limit(model.info.context_window);
    if work.run.conversation_id.is_some() {
        fit(&mut messages, model.info.context_window, sources.chars());
    }
    let caller = Caller {
        tenant,
        user: work.run.user,
        assistant_id: work.run.assistant_id,
        conversation_id: work.run.conversation_id,
        run_id: Some(work.run.id),
        place: SkillUsableIn::Chat,
        fence: Some(work.fence()),
    };
    let tools = Toolbox::open(work.run_context.clone(), caller, &settings.tools, &settings.skills).await;
    let tools =
        tools.map_err(storage)?.with_servers(settings.server_tools.as_deref()).await.map_err(storage)?;
    let of_client: HashSet<String> = own.iter().map(|tool| tool.name.clone()).collect();
    // A tool of the client hides a server tool of the same name.
    let ours = tools.specs().into_iter().filter(|tool| !of_client.contains(&tool.name));

    let mut parameters: Map<String, Value> = settings.parameters.into_iter().chain(parameters).collect();
    let tool_choice = parameters.remove("tool_choice");
    let request = ChatRequest {
        model: model.upstream_id.clone(),
        messages,
        tools: own.into_iter().chain(ours).collect(),
        tool_choice,
        parameters,
        keys,
    };
    let parent_id = settings.parent_id;
    let mut prompt =
        Prompt { model, request, parent_id, tools, sources, memories, question, of_client, choices };
    sources::add_to_request(&mut prompt.request, &prompt.sources);
    prompt.request.messages.extend(answered(so_far, &prompt.model));
    Ok(prompt)
}

/// Loads a stored conversation up to the message that is answered.
async fn conversation(
    work: &RunWork,
    so_far: &Transcript,
    settings: &StoredRequest,
    model: &Model,
) -> storage::Result<History> {
    let tenant = work.tenant;
    // On this thread: it executes only runs, and a conversation is usually cached in memory.
    let stored =
        work.store.read_now(|reader| load_conversation(reader, tenant, &work.run, settings, model))?;
    let mut messages = Vec::with_capacity(stored.path.len() + 4);
    let Instructions { text, memories } = stored.instructions;
    if !text.is_empty() {
        messages.push(ChatMessage::text(Role::System, text));
    }
    for row in &stored.path {
        messages.extend(chat_messages(&work.run_context, tenant, row, model).await);
    }
    let question = stored.path.last().filter(|_| stored.untitled && so_far.title.is_none());
    let questions = stored.path.iter().filter(|row| row.role == MessageRole::User);
    Ok(History {
        messages,
        questions: questions.map(|row| text_of(row)).collect(),
        question: question.map(|row| text_of(row)),
        memories,
        ..History::default()
    })
}

/// Loads the messages that the client sent. Without an assistant they are passed to the model unchanged, because a
/// client that sends its own conversation also sends its own instructions.
async fn client_history(work: &RunWork, settings: &StoredRequest, model: &Model) -> storage::Result<History> {
    let (tenant, run) = (work.tenant, &work.run);
    let input = match work.take_start_value() {
        Some(input) => input,
        None => {
            // On this thread, like the read of a conversation.
            let input: Row<RunInput> = work.store.read_now(|reader| reader.require(tenant, &run.id))?;
            chat::open_input(&work.store, tenant, input.body).await?
        }
    };
    let ClientInput { mut messages, tools, attachments, choices, parameters, .. } = input;
    let questions = messages.iter().filter(|message| message.role == Role::User);
    let questions = questions.map(ChatMessage::plain_text).collect();
    if let Some(last) = messages.iter_mut().rev().find(|message| message.role == Role::User) {
        for attachment in &attachments {
            last.content.push(attached(&work.run_context, tenant, attachment, model).await);
        }
    }
    if run.assistant_id.is_some() {
        let instructions =
            work.store.read_now(|reader| instructions(reader, tenant, run, &settings.skills, None));
        let Instructions { text, .. } = instructions?;
        if !text.is_empty() {
            messages.insert(0, ChatMessage::text(Role::System, text));
        }
    }
    Ok(History { messages, questions, tools, choices, parameters, ..History::default() })
}

fn load_conversation(
    reader: &Reader,
    tenant: TenantId,
    run: &Row<Run>,
    settings: &StoredRequest,
    model: &Model,
) -> storage::Result<StoredConversation> {
    let (parent, skills) = (settings.parent_id, &settings.skills);
    let conversation_id = run.conversation_id.ok_or(storage::Error::NotFound("conversation"))?;
    let conversation = reader.require::<Conversation>(tenant, &conversation_id)?;
    let mut path = Vec::new();
    let mut next = parent;
    // Four characters per token, up to four bytes per character: never excludes a message that `fit` would retain.
    let window = model.info.context_window.and_then(|tokens| usize::try_from(tokens.saturating_mul(16)).ok());
    let (most, mut taken) = (window.unwrap_or(MAX_TEXT_LENGTH), 0_usize);
    while let Some(id) = next.filter(|_| path.len() < MAX_PATH_LENGTH && taken <= most) {
        let message = reader.require::<Message>(tenant, &(conversation_id, id))?;
        next = message.parent_id;
        taken = taken.saturating_add(text_bytes(&message));
        path.push(message);
    }
    path.reverse();
    let (untitled, project) = (conversation.title.is_none(), conversation.project_id);
    Ok(StoredConversation {
        path,
        instructions: instructions(reader, tenant, run, skills, project)?,
        untitled,
    })
}

/// The instructions that precede the conversation, in order of precedence: those of the assistant, the project, the
/// skills and the user, and the memories of the user.
fn instructions(
    reader: &Reader,
    tenant: TenantId,
    run: &Row<Run>,
    skills: &[Uuid],
    project: Option<Uuid>,
) -> storage::Result<Instructions> {
    let assistant = match run.assistant_id {
        Some(id) => reader.get::<Assistant>(tenant, &id)?.map(|row| row.body.system_prompt),
        None => None,
    };
    let user = reader.get_shared::<User>(TenantId::SYSTEM, &run.user)?;
    let custom = user.and_then(|row| row.custom_prompt.clone());
    let memories = memories::section(reader, tenant, run.user, run.assistant_id)?;
    let (memories, memory_ids) = memories.map(|section| (section.text, section.ids)).unzip();
    let skills = skills::instructions(reader, tenant, skills, SkillUsableIn::Chat)?;
    let project = project::instructions(reader, tenant, run.user, project)?;
    let sections = assistant.into_iter().chain(project).chain(skills).chain(custom).chain(memories);
    let sections: Vec<String> = sections.collect();
    let sections = sections.iter().map(|text| text.trim()).filter(|text| !text.is_empty());
    let text = sections.collect::<Vec<_>>().join("\n\n");
    Ok(Instructions { text, memories: memory_ids.unwrap_or_default() })
}

/// Converts a stored message to the form that models read.
async fn chat_messages(
    run_context: &RunContext,
    tenant: TenantId,
    row: &Row<Message>,
    model: &Model,
) -> Vec<ChatMessage> {
    let role = match row.role {
        MessageRole::System => Role::System,
        MessageRole::User => Role::User,
        MessageRole::Assistant => return turns(&row.parts, &row.tool_calls),
        MessageRole::Tool => return Vec::new(),
    };
    let mut message = ChatMessage::text(role, text_of(row));
    for attachment in &row.attachments {
        message.content.push(attached(run_context, tenant, attachment, model).await);
    }
    vec![message]
}

/// Total size of a message's texts in bytes.
fn text_bytes(message: &Message) -> usize {
    let text = |part: &Part| match part {
        Part::Text { text } => text.len(),
        _ => 0,
    };
    message.parts.iter().map(text).sum()
}

/// The text of a message, with its parts joined.
fn text_of(message: &Message) -> String {
    let text = |part: &Part| match part {
        Part::Text { text } => Some(text.clone()),
        _ => None,
    };
    message.parts.iter().filter_map(text).collect::<Vec<_>>().join("\n")
}

/// Converts an assistant's message, with its tool calls and their results in between.
fn turns(parts: &[Part], calls: &[storage::records::ToolCall]) -> Vec<ChatMessage> {
    let mut messages = Vec::new();
    let mut text = String::new();
    let mut pending: Vec<&storage::records::ToolCall> = Vec::new();
    for part in parts {
        match part {
            Part::Text { text: more } => {
                if !pending.is_empty() {
                    flush(&mut messages, &mut text, &mut pending);
                }
                text.push_str(more);
            }
            Part::ToolCall { call_id } => {
                pending.extend(calls.iter().find(|call| call.call_id == *call_id));
            }
            Part::Reasoning { .. } | Part::Source(_) | Part::File { .. } => {}
        }
    }
    flush(&mut messages, &mut text, &mut pending);
    messages
}

fn flush(messages: &mut Vec<ChatMessage>, text: &mut String, pending: &mut Vec<&storage::records::ToolCall>) {
    if text.is_empty() && pending.is_empty() {
        return;
    }
    let mut message = ChatMessage::text(Role::Assistant, std::mem::take(text));
    let mut results = Vec::new();
    for call in pending.drain(..) {
        let output = match (&call.output, &call.error) {
            (Some(output), _) => output.to_string(),
            (None, Some(why)) => format!("error: {why}"),
            (None, None) => "error: no result".into(),
        };
        results.push(ChatMessage::tool_result(call.call_id.clone(), output));
        message.tool_calls.push(ToolCall {
            call_id: call.call_id.clone(),
            name: call.name.clone(),
            arguments: call.arguments.to_string(),
        });
    }
    messages.push(message);
    messages.extend(results);
}

/// Converts the answer before a crash, with a request to continue it.
fn answered(so_far: &Transcript, model: &Model) -> Vec<ChatMessage> {
    let mut messages = turns(&so_far.parts, &so_far.calls);
    let mid_text = matches!(messages.last(), Some(last) if last.role == Role::Assistant);
    let goes_on = model.info.capability_tags.iter().any(|tag| tag == "prefill");
    if mid_text && !goes_on {
        messages.push(ChatMessage::text(Role::User, CONTINUE_INSTRUCTION));
    }
    messages
}

/// Removes the oldest exchanges until the messages fit into the window, at four characters per token and with a quarter
/// of the window reserved for the answer. `taken` characters are used by passages of documents.
fn fit(messages: &mut Vec<ChatMessage>, window: Option<u64>, taken: u64) {
    let Some(room) = window.map(|tokens| tokens.saturating_mul(3).saturating_sub(taken)) else { return };
    let chars = |messages: &[ChatMessage]| {
        let request = ChatRequest { messages: messages.to_vec(), ..ChatRequest::default() };
        request.input_chars()
    };
    let mut total = chars(messages);
    let first = usize::from(messages.first().is_some_and(|first| first.role == Role::System));
    while total > room && messages.len() > first + 1 {
        total -= chars(&messages[first..=first]);
        messages.remove(first);
        // The provider would reject a result without its call, or an answer without its question.
        while messages.len() > first + 1 && messages[first].role != Role::User {
            total -= chars(&messages[first..=first]);
            messages.remove(first);
        }
    }
}
