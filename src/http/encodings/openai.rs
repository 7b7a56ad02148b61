//! The `openai` encoding: `chat.completion.chunk` objects that the OpenAI SDKs and coding agents read. There are no
//! `id:` lines and no empty data: the Python SDK fails on either.

use std::collections::{HashMap, HashSet};

use runs::{Event, Terminal};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use storage::records::{RunState, Source};

use super::Constants;
use super::canonical::{self, Answering, Call, Choice, ChoiceEnded, Logprobs, Provider, data, put, quoted};
use super::ui_message::{Ended, failure};
use domain::PROVIDER_CODE;

/// The end of every stream.
pub const DONE: &str = "data: [DONE]\n\n";

/// A comment that keeps the connection alive. It has no blank line because some readers interpret that as the end of an
/// empty event.
pub const HEARTBEAT: &str = ": heartbeat\n";

/// The position of a tool call among the calls of its answer.
struct Called {
    /// The id of the call, as JSON.
    id: String,
    /// The index of the answer that the call belongs to.
    choice: u32,
    /// The index of the call within this answer.
    index: usize,
    /// Whether any of its arguments were sent.
    has_arguments: bool,
}

/// The encoder for one run. It numbers the calls of each answer, and knows which of several answers a part belongs to.
/// All other events are encoded independently of earlier ones.
pub struct OpenAi {
    run: Constants,
    /// The beginning of a chunk up to its `choices`.
    open: String,
    /// Calls of the client's own tools. Calls of the server's tools are omitted in this encoding because clients would
    /// execute them too.
    calls: Vec<Called>,
    /// The parts and calls of additional answers, as JSON.
    choices: HashMap<String, u32>,
    /// Additional answers whose beginning was sent.
    begun: HashSet<u32>,
    /// Answers whose end was sent.
    ended: HashSet<u32>,
    /// Whether a different model answers than the requested one.
    stands_in: bool,
}

const CLOSE: &str = ",\"finish_reason\":null}]}\n\n";

impl OpenAi {
    /// Creates the encoder of this run.
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

    /// The chunk that begins the answer.
    pub fn head(&self) -> String {
        let index = self.index(0);
        format!("{}[{index}\"delta\":{{\"role\":\"assistant\",\"content\":\"\"}}{CLOSE}", self.open)
    }

    /// Whether the encoding of the event depends on earlier events.
    pub fn counts(&self, event: &Event) -> bool {
        let told_apart = self.stands_in || !self.choices.is_empty() || !self.ended.is_empty();
        let kinds = ["tool.call.", "choice", "model."];
        told_apart || kinds.iter().any(|kind| event.kind.starts_with(kind))
    }

    /// Encodes one event. Writes nothing for events that this encoding omits.
    pub fn encode(&mut self, event: &Event, out: &mut Vec<u8>) {
        // A malformed event is omitted because the rest of the answer is still usable.
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

    /// From this event on, the chunks name the model that answers.
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

    /// Sends the complete arguments if the provider sent no deltas of them.
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

    /// Encodes a source of the answer in the form that search models use.
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

/// Maps a finish reason to the values of this interface.
pub fn finish_reason(reason: Option<&str>) -> &'static str {
    match reason {
        Some("length") => "length",
        Some("content_filter") => "content_filter",
        Some("tool_calls") => "tool_calls",
        _ => "stop",
    }
}

/// Converts a source to an annotation of this interface: a web page, or a document with the quoted passage.
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

/// Converts the usage of a run to the fields of this interface.
pub fn used(used: &storage::records::Usage) -> Value {
    json!({
        "prompt_tokens": used.input_tokens,
        "completion_tokens": used.output_tokens,
        "total_tokens": used.input_tokens + used.output_tokens,
        "prompt_tokens_details": {"cached_tokens": used.cached_tokens},
        "completion_tokens_details": {"reasoning_tokens": used.reasoning_tokens},
    })
}

/// The last chunk, for clients that requested it: it has no choices, and contains the usage of the run.
pub fn usage(run: &Constants, terminal: &Terminal) -> String {
    let usage = used(&terminal.usage);
    format!("data: {}[],\"usage\":{usage}}}\n\n", opening(run))
}

fn error(message: &str, code: &str, named: Option<&str>) -> String {
    let error = json!({"message": message, "type": "server_error", "param": null, "code": code});
    let error = with_provider_code(error, named);
    format!("data: {{\"error\":{error}}}\n\n")
}

/// Adds the provider's own name of the error, if there is one. It is placed next to `code`, which does not depend on
/// the provider.
pub fn with_provider_code(mut error: Value, named: Option<&str>) -> Value {
    if let Some(named) = named {
        error[PROVIDER_CODE] = named.into();
    }
    error
}

/// An error of the stream rather than of the run, followed by the end of the stream.
pub fn broken(message: &str, code: &str) -> String {
    error(message, code, None) + DONE
}
