//! The `ui-message` encoding: the AI SDK's UI message stream, version 1, as read by its major versions 5 to 7.
//!
//! A reader always receives the stream from the beginning (`start` names the stored message, so that a resumed answer
//! replaces the partial one instead of duplicating it). The stream always closes with `finish`, `error` or `abort`,
//! because a stream that just ends would look like success. Tools run on the server, so they are `dynamic` and
//! `providerExecuted`: the client displays them and never executes them.

use runs::{Event, Terminal};
use serde::Deserialize;
use serde_json::value::RawValue;
use storage::records::RunState;
use uuid::Uuid;

use super::Constants;
use super::canonical::{self, Call, Part, data, put, quoted};

/// The end of every stream.
pub const DONE: &str = "data: [DONE]\n\n";

/// The chunks that begin the message.
pub fn head(message: Option<Uuid>) -> String {
    let id = message.map(|id| format!(r#","messageId":"{id}""#)).unwrap_or_default();
    format!("data: {{\"type\":\"start\"{id}}}\n\ndata: {{\"type\":\"start-step\"}}\n\n")
}

/// An error of the stream rather than of the run, followed by the end of the stream.
pub fn broken(message: &str) -> String {
    format!("data: {{\"type\":\"error\",\"errorText\":{}}}\n\n{DONE}", quoted(message))
}

/// Encodes one event. Writes nothing for events that this encoding omits.
pub fn encode(run: &Constants, event: &Event, out: &mut Vec<u8>) {
    // A malformed event is omitted because the rest of the answer is still usable.
    let _: Option<()> = match &*event.kind {
        "text.start" => part(event, out, "text-start"),
        "text.delta" => delta(event, out, "text-delta"),
        "text.end" => part(event, out, "text-end"),
        "reasoning.start" => part(event, out, "reasoning-start"),
        "reasoning.delta" => delta(event, out, "reasoning-delta"),
        "reasoning.end" => part(event, out, "reasoning-end"),
        "tool.call.start" => tool_start(event, out),
        "tool.call.delta" => tool_delta(event, out),
        "tool.call.ready" => tool_ready(event, out),
        "tool.progress" => transient(event, out, "data-tool-progress"),
        "tool.server" => transient(event, out, "data-tool-server"),
        "knowledge.closed" => transient(event, out, "data-knowledge-closed"),
        "tool.result" => tool_result(event, out),
        "source" => source(event, out),
        "file" => file(run, event, out),
        "title" => title(event, out),
        "form.required" => form(event, out, "open"),
        "form.submitted" => form(event, out, "answered"),
        "form.expired" => form(event, out, "expired"),
        "run.ended" => ended(event, out),
        _ => None,
    };
}

fn part(event: &Event, out: &mut Vec<u8>, kind: &str) -> Option<()> {
    let part: Part = data(event)?;
    put(out, &["data: {\"type\":\"", kind, "\",\"id\":", part.part.get(), "}\n\n"]);
    Some(())
}

fn delta(event: &Event, out: &mut Vec<u8>, kind: &str) -> Option<()> {
    let (id, text) = canonical::delta(event)?;
    put(out, &["data: {\"type\":\"", kind, "\",\"id\":", id, ",\"delta\":", text, "}\n\n"]);
    Some(())
}

fn tool_start(event: &Event, out: &mut Vec<u8>) -> Option<()> {
    let call: Call = data(event)?;
    let (id, name) = (call.call_id.get(), call.name?.get());
    let head = "data: {\"type\":\"tool-input-start\",\"toolCallId\":";
    put(out, &[head, id, ",\"toolName\":", name, SERVER_SIDE]);
    Some(())
}

fn tool_delta(event: &Event, out: &mut Vec<u8>) -> Option<()> {
    let call: Call = data(event)?;
    let (id, text) = (call.call_id.get(), call.arguments?.get());
    let head = "data: {\"type\":\"tool-input-delta\",\"toolCallId\":";
    put(out, &[head, id, ",\"inputTextDelta\":", text, "}\n\n"]);
    Some(())
}

fn tool_ready(event: &Event, out: &mut Vec<u8>) -> Option<()> {
    let call: Call = data(event)?;
    let (id, name, input) = (call.call_id.get(), call.name?.get(), call.arguments?.get());
    let head = "data: {\"type\":\"tool-input-available\",\"toolCallId\":";
    put(out, &[head, id, ",\"toolName\":", name, ",\"input\":", input, SERVER_SIDE]);
    Some(())
}

fn tool_result(event: &Event, out: &mut Vec<u8>) -> Option<()> {
    let call: Call = data(event)?;
    let (kind, key, value) = match call.error {
        Some(error) => ("error", "errorText", error.get()),
        None => ("available", "output", call.output.map_or("null", RawValue::get)),
    };
    let head = ["data: {\"type\":\"tool-output-", kind, "\",\"toolCallId\":", call.call_id.get()];
    put(out, &head);
    put(out, &[",\"", key, "\":", value, SERVER_SIDE]);
    Some(())
}

const SERVER_SIDE: &str = ",\"providerExecuted\":true,\"dynamic\":true}\n\n";

/// Encodes data that is displayed temporarily and not stored in a message.
fn transient(event: &Event, out: &mut Vec<u8>, kind: &str) -> Option<()> {
    let json_data: &RawValue = data(event)?;
    put(out, &["data: {\"type\":\"", kind, "\",\"data\":", json_data.get(), ",\"transient\":true}\n\n"]);
    Some(())
}

#[derive(Deserialize)]
struct Source<'a> {
    #[serde(borrow, default)]
    url: Option<&'a RawValue>,
    #[serde(borrow, default)]
    document_id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    title: Option<&'a RawValue>,
    #[serde(borrow, default)]
    place: Option<&'a RawValue>,
}

/// A source's id is its position in the stream, because one document may be cited in several places. The document and
/// the place in it are in `providerMetadata.understudy`.
fn source(event: &Event, out: &mut Vec<u8>) -> Option<()> {
    let source: Source = data(event)?;
    let seq = event.seq.to_string();
    let head = match (source.url, source.document_id) {
        (Some(_), _) => "data: {\"type\":\"source-url\",\"sourceId\":\"source-",
        (None, Some(_)) => {
            "data: {\"type\":\"source-document\",\"mediaType\":\"text/plain\",\"sourceId\":\"source-"
        }
        (None, None) => return None,
    };
    put(out, &[head, &seq, "\""]);
    if let Some(url) = source.url {
        put(out, &[",\"url\":", url.get()]);
    }
    if let Some(title) = source.title.or(source.document_id) {
        put(out, &[",\"title\":", title.get()]);
    }
    if let Some(id) = source.document_id {
        put(out, &[",\"providerMetadata\":{\"understudy\":{\"document_id\":", id.get()]);
        if let Some(place) = source.place {
            put(out, &[",\"place\":", place.get()]);
        }
        put(out, &["}}"]);
    }
    put(out, &["}\n\n"]);
    Some(())
}

#[derive(Deserialize)]
struct File<'a> {
    #[serde(borrow)]
    blob_id: std::borrow::Cow<'a, str>,
    #[serde(borrow)]
    media_type: &'a RawValue,
}

fn file(run: &Constants, event: &Event, out: &mut Vec<u8>) -> Option<()> {
    let file: File = data(event)?;
    let url = quoted(&format!("/api/conversations/{}/files/{}", run.conversation_id?, file.blob_id));
    let head = "data: {\"type\":\"file\",\"url\":";
    put(out, &[head, &url, ",\"mediaType\":", file.media_type.get(), "}\n\n"]);
    Some(())
}

#[derive(Deserialize)]
struct Title<'a> {
    #[serde(borrow)]
    title: &'a RawValue,
}

fn title(event: &Event, out: &mut Vec<u8>) -> Option<()> {
    let title: Title = data(event)?;
    let head = "data: {\"type\":\"data-title\",\"data\":{\"title\":";
    put(out, &[head, title.title.get(), "},\"transient\":true}\n\n"]);
    Some(())
}

#[derive(Deserialize)]
struct Form<'a> {
    #[serde(borrow)]
    form_id: &'a RawValue,
}

/// Encodes a form that a workflow shows to users. It is a part of the message, and its outcome replaces that part.
fn form(event: &Event, out: &mut Vec<u8>, state: &str) -> Option<()> {
    let json_data: &RawValue = data(event)?;
    let form: Form = data(event)?;
    let rest = json_data.get().strip_prefix('{')?;
    let head = ["data: {\"type\":\"data-form\",\"id\":", form.form_id.get()];
    put(out, &head);
    put(out, &[",\"data\":{\"state\":\"", state, "\",", rest, "}\n\n"]);
    Some(())
}

/// The data of `run.ended` events.
#[derive(Deserialize)]
pub struct Ended {
    /// The terminal record.
    pub terminal: Terminal,
}

fn ended(event: &Event, out: &mut Vec<u8>) -> Option<()> {
    let Ended { terminal } = data(event)?;
    let usage = serde_json::to_string(&terminal.usage).ok()?;
    let cost = terminal.cost_nanos.to_string();
    let metadata = format!("\"messageMetadata\":{{\"usage\":{usage},\"cost_nanos\":{cost}}}");
    put(out, &["data: {\"type\":\"message-metadata\",", &metadata, "}\n\n"]);
    put(out, &["data: {\"type\":\"finish-step\"}\n\n"]);
    match terminal.status {
        RunState::Succeeded | RunState::Partial => {
            let reason = match terminal.reason.as_deref() {
                Some("length") => "length",
                Some("content_filter") => "content-filter",
                Some("tool_calls") => "tool-calls",
                _ if terminal.status == RunState::Partial => "other",
                _ => "stop",
            };
            put(out, &["data: {\"type\":\"finish\",\"finishReason\":\"", reason, "\"}\n\n"]);
        }
        RunState::Cancelled => put(out, &["data: {\"type\":\"abort\",\"reason\":\"cancelled\"}\n\n"]),
        _ => {
            let text = quoted(&failure(&terminal));
            put(out, &["data: {\"type\":\"error\",\"errorText\":", &text, "}\n\n"]);
        }
    }
    Some(())
}

/// Describes for people why a run did not succeed.
pub fn failure(terminal: &Terminal) -> String {
    if let Some(error) = &terminal.error {
        return error.message.clone();
    }
    match terminal.status {
        RunState::TimedOut => "the answer took too long".into(),
        RunState::Interrupted => "the answer was interrupted; its beginning is stored".into(),
        _ => "the answer failed".into(),
    }
}
