//! The `openai` wire: `chat.completion.chunk` objects, as the OpenAI SDKs and coding agents read
//! them. No `id:` lines and no empty data: the Python SDK fails on either.

use actors::{Event, Terminal};
use serde_json::json;
use serde_json::value::RawValue;
use storage::records::RunState;

use super::Constants;
use super::canonical::{Call, Part, data, put, quoted};
use super::ui_message::{Ended, failure};

/// What every stream ends with.
pub const DONE: &str = "data: [DONE]\n\n";

/// A comment that keeps the connection alive; without a blank line, which some readers take for
/// the end of an empty event.
pub const HEARTBEAT: &str = ": heartbeat\n";

/// Where one call of a tool stands among the calls of the answer.
struct Called {
    /// The call's id, as JSON.
    id: String,
    /// Whether any of its arguments were told.
    told: bool,
}

/// Encodes for one run. It counts the answer's tool calls, as this wire numbers them; all other
/// events are encoded without regard to what came before.
pub struct OpenAi {
    /// Everything of a chunk up to its `delta`.
    open: String,
    calls: Vec<Called>,
}

const CLOSE: &str = ",\"finish_reason\":null}]}\n\n";

impl OpenAi {
    /// An encoder of this run.
    pub fn new(run: &Constants) -> Self {
        let open = format!("data: {}[{{\"index\":0,\"delta\":", opening(run));
        Self { open, calls: Vec::new() }
    }

    /// The answer begins.
    pub fn head(&self) -> String {
        format!("{}{{\"role\":\"assistant\",\"content\":\"\"}}{CLOSE}", self.open)
    }

    /// Whether the event's encoding depends on those before it.
    pub fn counts(event: &Event) -> bool {
        event.kind.starts_with("tool.call.")
    }

    /// Writes one event; nothing for those that this wire does not tell.
    pub fn encode(&mut self, event: &Event, out: &mut Vec<u8>) {
        // An event that does not have its shape is left out: the rest of the answer is still good.
        let _: Option<()> = match &*event.kind {
            "text.delta" => self.delta(event, out, "content"),
            "reasoning.delta" => self.delta(event, out, "reasoning_content"),
            "tool.call.start" => self.call_start(event, out),
            "tool.call.delta" => self.call_delta(event, out),
            "tool.call.ready" => self.call_ready(event, out),
            "run.ended" => self.ended(event, out),
            _ => None,
        };
    }

    fn delta(&self, event: &Event, out: &mut Vec<u8>, key: &str) -> Option<()> {
        let part: Part = data(event)?;
        put(out, &[&self.open, "{\"", key, "\":", part.text?.get(), "}", CLOSE]);
        Some(())
    }

    fn call_start(&mut self, event: &Event, out: &mut Vec<u8>) -> Option<()> {
        let call: Call = data(event)?;
        let index = self.calls.len().to_string();
        self.calls.push(Called { id: call.call_id.get().into(), told: false });
        put(out, &[&self.open, "{\"tool_calls\":[{\"index\":", &index, ",\"id\":"]);
        put(out, &[call.call_id.get(), ",\"type\":\"function\",\"function\":{\"name\":"]);
        put(out, &[call.name?.get(), ",\"arguments\":\"\"}}]}", CLOSE]);
        Some(())
    }

    fn call_delta(&mut self, event: &Event, out: &mut Vec<u8>) -> Option<()> {
        let call: Call = data(event)?;
        self.arguments(call.call_id, call.arguments?.get(), out)
    }

    /// Tells the arguments whole where the provider gave no deltas of them.
    fn call_ready(&mut self, event: &Event, out: &mut Vec<u8>) -> Option<()> {
        let call: Call = data(event)?;
        if self.calls.iter().any(|known| known.id == call.call_id.get() && known.told) {
            return None;
        }
        self.arguments(call.call_id, &quoted(call.arguments?.get()), out)
    }

    fn arguments(&mut self, call: &RawValue, arguments: &str, out: &mut Vec<u8>) -> Option<()> {
        let index = self.calls.iter().position(|known| known.id == call.get())?;
        self.calls[index].told = true;
        let index = index.to_string();
        put(out, &[&self.open, "{\"tool_calls\":[{\"index\":", &index, ",\"function\":"]);
        put(out, &["{\"arguments\":", arguments, "}}]}", CLOSE]);
        Some(())
    }

    fn ended(&self, event: &Event, out: &mut Vec<u8>) -> Option<()> {
        let Ended { terminal } = data(event)?;
        let reason = match (terminal.status, terminal.reason.as_deref()) {
            (RunState::Succeeded | RunState::Partial, Some("length")) => "length",
            (RunState::Succeeded | RunState::Partial, Some("content_filter")) => "content_filter",
            (RunState::Succeeded | RunState::Partial, Some("tool_calls")) => "tool_calls",
            (RunState::Succeeded | RunState::Partial | RunState::Cancelled, _) => "stop",
            _ => {
                let code = terminal.error.as_ref().map_or("interrupted", |error| &error.code);
                put(out, &[&error(&failure(&terminal), code)]);
                return Some(());
            }
        };
        put(out, &[&self.open, "{},\"finish_reason\":\"", reason, "\"}]}\n\n"]);
        Some(())
    }
}

fn opening(run: &Constants) -> String {
    format!(
        "{{\"id\":\"chatcmpl-{}\",\"object\":\"chat.completion.chunk\",\"created\":{},\"model\":{},\"choices\":",
        run.run_id.simple(),
        run.created,
        quoted(&run.model),
    )
}

/// The last chunk, for those who asked for it: no choices, and what the run used.
pub fn usage(run: &Constants, terminal: &Terminal) -> String {
    let used = &terminal.usage;
    let usage = json!({
        "prompt_tokens": used.input_tokens,
        "completion_tokens": used.output_tokens,
        "total_tokens": used.input_tokens + used.output_tokens,
        "prompt_tokens_details": {"cached_tokens": used.cached_tokens},
        "completion_tokens_details": {"reasoning_tokens": used.reasoning_tokens},
    });
    format!("data: {}[],\"usage\":{usage}}}\n\n", opening(run))
}

fn error(message: &str, code: &str) -> String {
    let error = json!({"message": message, "type": "server_error", "param": null, "code": code});
    format!("data: {{\"error\":{error}}}\n\n")
}

/// An error that is the stream's and not the run's, and the end of the stream.
pub fn broken(message: &str, code: &str) -> String {
    error(message, code) + DONE
}
