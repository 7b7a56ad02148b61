//! The `openai` wire: `chat.completion.chunk` objects, as the OpenAI SDKs and coding agents read
//! them. No `id:` lines and no empty data: the Python SDK fails on either.

use std::collections::{HashMap, HashSet};

use runs::{Event, Terminal};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use storage::records::{RunState, Source};

use super::Constants;
use super::canonical::{self, Answering, Call, Choice, ChoiceEnded, Logprobs, Provider, data, put, quoted};
use super::ui_message::{Ended, failure};
use domain::PROVIDER_CODE;

/// What every stream ends with.
pub const DONE: &str = "data: [DONE]\n\n";

/// A comment that keeps the connection alive; without a blank line, which some readers take for
/// the end of an empty event.
pub const HEARTBEAT: &str = ": heartbeat\n";

/// Where one call of a tool stands among the calls of its answer.
struct Called {
    /// The call's id, as JSON.
    id: String,
    /// The answer that it belongs to,
    choice: u32,
    /// and its place there.
    index: usize,
    /// Whether any of its arguments were told.
    has_arguments: bool,
}

/// Encodes for one run. It counts the calls of each answer, as this wire numbers them, and knows which of
/// several answers a part belongs to; all other events are encoded without regard to what came before.
pub struct OpenAi {
    run: Constants,
    /// Everything of a chunk up to its `choices`.
    open: String,
    /// Calls of the client's own tools; calls of the server's tools are left out on this wire, since
    /// clients would call them, too.
    calls: Vec<Called>,
    /// Parts and calls of further answers, as JSON.
    choices: HashMap<String, u32>,
    /// Further answers that have told their beginning,
    begun: HashSet<u32>,
    /// and answers that have told their end.
    ended: HashSet<u32>,
    /// Whether another model answers than was asked.
    stands_in: bool,
}

const CLOSE: &str = ",\"finish_reason\":null}]}\n\n";

impl OpenAi {
    /// An encoder of this run.
    pub fn new(run: &Constants) -> Self {
        let open = format!("data: {}", opening(run));
        Self {
            run: run.clone(),
            open,
            calls: Vec::new(),
            choices: HashMap::new(),
            begun: HashSet::new(),
            ended: HashSet::new(),
            stands_in: false,
        }
    }

    /// The answer begins.
    pub fn head(&self) -> String {
        let index = self.index(0);
        format!("{}[{index}\"delta\":{{\"role\":\"assistant\",\"content\":\"\"}}{CLOSE}", self.open)
    }

    /// Whether the event's encoding depends on those before it.
    pub fn counts(&self, event: &Event) -> bool {
        let told_apart = self.stands_in || !self.choices.is_empty() || !self.ended.is_empty();
        let kinds = ["tool.call.", "choice", "model."];
        told_apart || kinds.iter().any(|kind| event.kind.starts_with(kind))
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
            "model.answering" => self.answering(event),
            "choice" => self.choice(event, out),
            "choice.ended" => self.choice_ended(event, out),
            "logprobs" => self.logprobs(event, out),
            "provider" => self.provider(event, out),
            "source" => self.source(event, out),
            "run.ended" => self.ended(event, out),
            _ => None,
        };
    }

    /// The beginning of a choice, up to its `delta`.
    fn index(&self, choice: u32) -> String {
        format!("{{\"index\":{choice},")
    }

    fn choice_of(&self, name: &str) -> u32 {
        self.choices.get(name).copied().unwrap_or_default()
    }

    fn delta(&self, event: &Event, out: &mut Vec<u8>, key: &str) -> Option<()> {
        let (part, text) = canonical::delta(event)?;
        if self.choices.is_empty() {
            put(out, &[&self.open, "[{\"index\":0,\"delta\":{\"", key, "\":", text, "}", CLOSE]);
        } else {
            let index = self.index(self.choice_of(part));
            put(out, &[&self.open, "[", &index, "\"delta\":{\"", key, "\":", text, "}", CLOSE]);
        }
        Some(())
    }

    /// From here on the chunks name the model that answers.
    fn answering(&mut self, event: &Event) -> Option<()> {
        let Answering { model } = data(event)?;
        self.stands_in = true;
        self.open = format!("data: {}", opening(&Constants { model, ..self.run.clone() }));
        Some(())
    }

    fn choice(&mut self, event: &Event, out: &mut Vec<u8>) -> Option<()> {
        let Choice { choice, part, call_id } = data(event)?;
        if self.begun.insert(choice) {
            let index = self.index(choice);
            put(
                out,
                &[&self.open, "[", &index, "\"delta\":{\"role\":\"assistant\",\"content\":\"\"}", CLOSE],
            );
        }
        self.choices.insert(part.or(call_id)?.get().to_owned(), choice);
        Some(())
    }

    fn call_start(&mut self, event: &Event, out: &mut Vec<u8>) -> Option<()> {
        let call: Call = data(event)?;
        if !call.client {
            return None;
        }
        let choice = self.choice_of(call.call_id.get());
        let place = self.calls.iter().filter(|other| other.choice == choice).count();
        self.calls.push(Called { id: call.call_id.get().into(), choice, index: place, has_arguments: false });
        let (index, place) = (self.index(choice), place.to_string());
        put(out, &[&self.open, "[", &index, "\"delta\":{\"tool_calls\":[{\"index\":", &place, ",\"id\":"]);
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
        if self.calls.iter().any(|known| known.id == call.call_id.get() && known.has_arguments) {
            return None;
        }
        self.arguments(call.call_id, &quoted(call.arguments?.get()), out)
    }

    fn arguments(&mut self, call: &RawValue, arguments: &str, out: &mut Vec<u8>) -> Option<()> {
        let at = self.calls.iter().position(|known| known.id == call.get())?;
        self.calls[at].has_arguments = true;
        let (index, place) = (self.index(self.calls[at].choice), self.calls[at].index.to_string());
        put(out, &[&self.open, "[", &index, "\"delta\":{\"tool_calls\":[{\"index\":", &place]);
        put(out, &[",\"function\":{\"arguments\":", arguments, "}}]}", CLOSE]);
        Some(())
    }

    fn logprobs(&self, event: &Event, out: &mut Vec<u8>) -> Option<()> {
        let Logprobs { choice, logprobs } = data(event)?;
        let index = self.index(choice);
        put(out, &[&self.open, "[", &index, "\"delta\":{},\"logprobs\":", logprobs.get(), CLOSE]);
        Some(())
    }

    fn provider(&self, event: &Event, out: &mut Vec<u8>) -> Option<()> {
        let Provider { choice, delta, chunk } = data(event)?;
        let open = self.open.strip_suffix("\"choices\":")?;
        put(out, &[open]);
        for (name, value) in &chunk {
            put(out, &[&quoted(name), ":", &value.to_string(), ","]);
        }
        let delta = serde_json::to_string(&delta).ok()?;
        put(out, &["\"choices\":[", &self.index(choice), "\"delta\":", &delta, CLOSE]);
        Some(())
    }

    /// What the answer rests on, as searching models tell it.
    fn source(&self, event: &Event, out: &mut Vec<u8>) -> Option<()> {
        let annotation = annotation(&data::<Source>(event)?);
        put(out, &[&self.open, "[", &self.index(0), "\"delta\":{\"annotations\":["]);
        put(out, &[&annotation.to_string(), "]}", CLOSE]);
        Some(())
    }

    fn choice_ended(&mut self, event: &Event, out: &mut Vec<u8>) -> Option<()> {
        let ChoiceEnded { choice, reason } = data(event)?;
        self.ended.insert(choice);
        self.finish(choice, finish_reason(Some(&reason)), out)
    }

    fn finish(&self, choice: u32, reason: &str, out: &mut Vec<u8>) -> Option<()> {
        let index = self.index(choice);
        put(out, &[&self.open, "[", &index, "\"delta\":{},\"finish_reason\":\"", reason, "\"}]}\n\n"]);
        Some(())
    }

    fn ended(&self, event: &Event, out: &mut Vec<u8>) -> Option<()> {
        let Ended { terminal } = data(event)?;
        match terminal.status {
            RunState::Succeeded | RunState::Partial | RunState::Cancelled if !self.ended.is_empty() => {
                Some(())
            }
            RunState::Succeeded | RunState::Partial => {
                self.finish(0, finish_reason(terminal.reason.as_deref()), out)
            }
            RunState::Cancelled => self.finish(0, "stop", out),
            _ => {
                let why = terminal.error.as_ref();
                let code = why.map_or("interrupted", |error| &error.code);
                let named = why.and_then(|error| error.provider_code.as_deref());
                put(out, &[&error(&failure(&terminal), code, named)]);
                Some(())
            }
        }
    }
}

/// The reason in this interface's terms.
pub fn finish_reason(reason: Option<&str>) -> &'static str {
    match reason {
        Some("length") => "length",
        Some("content_filter") => "content_filter",
        Some("tool_calls") => "tool_calls",
        _ => "stop",
    }
}

/// What an answer rests on, in this interface's terms: a page, or a document with what was used of it.
pub fn annotation(source: &Source) -> Value {
    let Source { url, document_id, title, snippet, place } = source;
    match (url, document_id) {
        (Some(url), _) => json!({"type": "url_citation",
            "url_citation": {"url": url, "title": title, "start_index": 0, "end_index": 0, "content": snippet}}),
        (None, document) => json!({"type": "file_citation",
            "file_citation": {"file_id": document, "filename": title, "quote": snippet, "place": place}}),
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

/// What a run used, in this interface's terms.
pub fn used(used: &storage::records::Usage) -> Value {
    json!({
        "prompt_tokens": used.input_tokens,
        "completion_tokens": used.output_tokens,
        "total_tokens": used.input_tokens + used.output_tokens,
        "prompt_tokens_details": {"cached_tokens": used.cached_tokens},
        "completion_tokens_details": {"reasoning_tokens": used.reasoning_tokens},
    })
}

/// The last chunk, for those who asked for it: no choices, and what the run used.
pub fn usage(run: &Constants, terminal: &Terminal) -> String {
    let usage = used(&terminal.usage);
    format!("data: {}[],\"usage\":{usage}}}\n\n", opening(run))
}

fn error(message: &str, code: &str, named: Option<&str>) -> String {
    let error = json!({"message": message, "type": "server_error", "param": null, "code": code});
    let error = with_provider_code(error, named);
    format!("data: {{\"error\":{error}}}\n\n")
}

/// Adds the provider's own name of the error, if there is one. It stands beside the `code`,
/// which does not depend on the provider.
pub fn with_provider_code(mut error: Value, named: Option<&str>) -> Value {
    if let Some(named) = named {
        error[PROVIDER_CODE] = named.into();
    }
    error
}

/// An error that is the stream's and not the run's, and the end of the stream.
pub fn broken(message: &str, code: &str) -> String {
    error(message, code, None) + DONE
}
