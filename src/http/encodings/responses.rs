//! The `responses` encoding: events of the OpenAI Responses interface, each with its `sequence_number`.
//!
//! The numbers are a function of the journal alone, so a reader that reconnects with the last number it has seen
//! receives exactly the events that follow.

use runs::{Event, EventData, Terminal};
use serde_json::{Map, Value, json};
use storage::records::{RunState, Source, Usage};

use super::Constants;
use super::canonical::data;
use super::openai::with_provider_code;

/// An event: its `type`, and its fields apart from `type` and `sequence_number`.
type ResponseEvent = (&'static str, Value);

/// Follows one run and encodes its events.
pub struct Responses {
    /// The current response object, without its output.
    response: Map<String, Value>,
    /// Output items, complete or in progress.
    output: Vec<Value>,
    /// The name of the part in progress, and its index in the output.
    open: Option<(String, usize)>,
    /// Calls of the client's tools, and their indexes in the output.
    calls: Vec<(String, usize)>,
    /// The index of the refusal in the output while it is being sent.
    refusal: Option<usize>,
    /// Annotations for sources that have not been attached to a text yet.
    annotations: Vec<Value>,
    run: String,
    /// The sequence number of the next event.
    next: u64,
    /// The number of the last event that the reader has already seen.
    seen: Option<u64>,
}

impl Responses {
    /// Creates the encoder of a run. `echo` contains the fields of the request that the response repeats. A reader that
    /// has seen the events up to `seen` does not receive them again.
    pub fn new(run: &Constants, echo: Map<String, Value>, seen: Option<u64>) -> Self {
        let mut response = echo;
        let own = json!({
            "id": id(run), "object": "response", "created_at": run.created, "status": "in_progress",
            "error": null, "incomplete_details": null, "model": run.model, "usage": null,
        });
        if let Value::Object(own) = own {
            response.extend(own);
        }
        Self {
            response,
            output: Vec::new(),
            open: None,
            calls: Vec::new(),
            refusal: None,
            annotations: Vec::new(),
            run: run.run_id.simple().to_string(),
            next: 0,
            seen,
        }
    }

    /// The current response object.
    pub fn response(&self) -> Value {
        let mut response = self.response.clone();
        response.insert("output".into(), Value::Array(self.output.clone()));
        Value::Object(response)
    }

    /// Writes the events before the run's first event.
    pub fn head(&mut self, out: &mut Vec<u8>) {
        for kind in ["response.created", "response.in_progress"] {
            let response = json!({"response": self.response()});
            self.write_event((kind, response), out);
        }
    }

    /// Writes the events that correspond to an event of the run; often none.
    pub fn encode(&mut self, event: &Event, out: &mut Vec<u8>) {
        for events in self.take(event) {
            self.write_event(events, out);
        }
    }

    fn write_event(&mut self, (kind, mut fields): ResponseEvent, out: &mut Vec<u8>) {
        let number = self.next;
        self.next += 1;
        if self.seen.is_some_and(|seen| number <= seen) {
            return;
        }
        fields["type"] = kind.into();
        fields["sequence_number"] = number.into();
        out.extend_from_slice(format!("event: {kind}\ndata: {fields}\n\n").as_bytes());
    }

    /// Processes the run's next event, and returns the corresponding events.
    pub fn take(&mut self, event: &Event) -> Vec<ResponseEvent> {
        if &*event.kind == "source" {
            self.annotations.extend(data::<Source>(event).as_ref().map(annotation));
            return Vec::new();
        }
        // Events of later versions are ignored.
        let Some(data) = EventData::read(event) else { return Vec::new() };
        let mut events = match &data {
            EventData::Provider { .. } | EventData::Usage { .. } => Vec::new(),
            _ => self.refusal_end(),
        };
        events.extend(match data {
            EventData::Provider { delta, .. } => match delta.get("refusal") {
                Some(Value::String(more)) => self.refusal(more),
                _ => Vec::new(),
            },
            EventData::Answering { model } => {
                self.response.insert("model".into(), model.into());
                Vec::new()
            }
            EventData::TextStart { part } => self.text_start(part),
            EventData::TextDelta { text, .. } => {
                self.delta("response.output_text.delta", "/content/0/text", &text)
            }
            EventData::TextEnd { .. } => self.text_end(),
            EventData::ReasoningStart { part } => self.reasoning_start(part),
            EventData::ReasoningDelta { text, .. } => {
                self.delta("response.reasoning_summary_text.delta", "/summary/0/text", &text)
            }
            EventData::ReasoningEnd { .. } => self.reasoning_end(),
            EventData::ToolCallStart { call_id, name, client: true } => self.call_start(call_id, name),
            EventData::ToolCallDelta { call_id, arguments } => self.call_delta(&call_id, &arguments),
            EventData::ToolCallReady { call_id, arguments, .. } => self.call_ready(&call_id, &arguments),
            EventData::RunReset {} => self.reset(),
            EventData::RunEnded { terminal } => self.ended(&terminal),
            _ => Vec::new(),
        });
        events
    }

    fn item_id(&self, kind: &str) -> String {
        format!("{kind}_{}_{}", self.run, self.output.len())
    }

    fn add(&mut self, item: Value) -> ResponseEvent {
        let at = self.output.len();
        self.output.push(item.clone());
        ("response.output_item.added", json!({"output_index": at, "item": item}))
    }

    fn text_start(&mut self, part: String) -> Vec<ResponseEvent> {
        let (id, at) = (self.item_id("msg"), self.output.len());
        let added = self
            .add(json!({"id": id, "type": "message", "status": "in_progress", "role": "assistant",
            "content": []}));
        self.open = Some((part, at));
        let annotations = std::mem::take(&mut self.annotations);
        let empty = json!({"type": "output_text", "text": "", "annotations": [], "logprobs": []});
        let begun = (
            "response.content_part.added",
            json!({"item_id": id, "output_index": at, "content_index": 0, "part": empty}),
        );
        let events = annotations.iter().enumerate().map(|(number, annotation)| {
            (
                "response.output_text.annotation.added",
                json!({"item_id": id, "output_index": at,
                "content_index": 0, "annotation_index": number, "annotation": annotation}),
            )
        });
        let events = [added, begun].into_iter().chain(events).collect();
        self.output[at]["content"] =
            json!([{"type": "output_text", "text": "", "annotations": annotations, "logprobs": []}]);
        events
    }

    /// Appends text to the model's refusal, which is a message of its own.
    fn refusal(&mut self, more: &str) -> Vec<ResponseEvent> {
        let mut events = Vec::new();
        let at = *self.refusal.get_or_insert(self.output.len());
        if at == self.output.len() {
            let id = self.item_id("msg");
            events.push(self.add(json!({"id": id, "type": "message", "status": "in_progress",
                "role": "assistant", "content": []})));
            let empty = json!({"type": "refusal", "refusal": ""});
            self.output[at]["content"] = json!([empty]);
            events.push((
                "response.content_part.added",
                json!({"item_id": id, "output_index": at, "content_index": 0, "part": empty}),
            ));
        }
        if let Some(Value::String(text)) = self.output[at].pointer_mut("/content/0/refusal") {
            text.push_str(more);
        }
        events.push((
            "response.refusal.delta",
            json!({"item_id": self.output[at]["id"], "output_index": at,
            "content_index": 0, "delta": more}),
        ));
        events
    }

    fn refusal_end(&mut self) -> Vec<ResponseEvent> {
        let Some(at) = self.refusal.take() else { return Vec::new() };
        self.output[at]["status"] = "completed".into();
        let item = &self.output[at];
        let (id, part) = (&item["id"], &item["content"][0]);
        vec![
            (
                "response.refusal.done",
                json!({"item_id": id, "output_index": at, "content_index": 0,
                "refusal": part["refusal"]}),
            ),
            (
                "response.content_part.done",
                json!({"item_id": id, "output_index": at, "content_index": 0, "part": part}),
            ),
            ("response.output_item.done", json!({"output_index": at, "item": item})),
        ]
    }

    fn reasoning_start(&mut self, part: String) -> Vec<ResponseEvent> {
        let (id, at) = (self.item_id("rs"), self.output.len());
        let added = self.add(json!({"id": id, "type": "reasoning", "summary": []}));
        self.open = Some((part, at));
        let empty = json!({"type": "summary_text", "text": ""});
        self.output[at]["summary"] = json!([empty]);
        let begun = json!({"item_id": id, "output_index": at, "summary_index": 0, "part": empty});
        vec![added, ("response.reasoning_summary_part.added", begun)]
    }

    /// Appends text to the part in progress, whose text is at `pointer` within its item.
    fn delta(&mut self, kind: &'static str, pointer: &str, more: &str) -> Vec<ResponseEvent> {
        let Some((_, at)) = self.open else { return Vec::new() };
        if let Some(Value::String(text)) = self.output[at].pointer_mut(pointer) {
            text.push_str(more);
        }
        let mut fields = json!({"item_id": self.output[at]["id"], "output_index": at, "delta": more});
        match kind {
            "response.output_text.delta" => {
                (fields["content_index"], fields["logprobs"]) = (0.into(), json!([]));
            }
            _ => fields["summary_index"] = 0.into(),
        }
        vec![(kind, fields)]
    }

    fn text_end(&mut self) -> Vec<ResponseEvent> {
        let Some((_, at)) = self.open.take() else { return Vec::new() };
        self.output[at]["status"] = "completed".into();
        let item = &self.output[at];
        let (id, part) = (&item["id"], &item["content"][0]);
        let here = |more: Value| {
            let mut fields = json!({"item_id": id, "output_index": at, "content_index": 0});
            if let (Value::Object(fields), Value::Object(more)) = (&mut fields, more) {
                fields.extend(more);
            }
            fields
        };
        vec![
            ("response.output_text.done", here(json!({"text": part["text"], "logprobs": []}))),
            ("response.content_part.done", here(json!({"part": part}))),
            ("response.output_item.done", json!({"output_index": at, "item": item})),
        ]
    }

    fn reasoning_end(&mut self) -> Vec<ResponseEvent> {
        let Some((_, at)) = self.open.take() else { return Vec::new() };
        let item = &self.output[at];
        let (id, part) = (&item["id"], &item["summary"][0]);
        let done = json!({"item_id": id, "output_index": at, "summary_index": 0, "text": part["text"]});
        let part = json!({"item_id": id, "output_index": at, "summary_index": 0, "part": part});
        vec![
            ("response.reasoning_summary_text.done", done),
            ("response.reasoning_summary_part.done", part),
            ("response.output_item.done", json!({"output_index": at, "item": item})),
        ]
    }

    fn call_start(&mut self, call_id: String, name: String) -> Vec<ResponseEvent> {
        let (id, at) = (self.item_id("fc"), self.output.len());
        self.calls.push((call_id.clone(), at));
        vec![self.add(json!({"id": id, "type": "function_call", "status": "in_progress", "call_id": call_id,
            "name": name, "arguments": ""}))]
    }

    fn place(&self, call_id: &str) -> Option<usize> {
        self.calls.iter().find(|(id, _)| id == call_id).map(|(_, at)| *at)
    }

    fn call_delta(&mut self, call_id: &str, more: &str) -> Vec<ResponseEvent> {
        let Some(at) = self.place(call_id) else { return Vec::new() };
        if let Value::String(text) = &mut self.output[at]["arguments"] {
            text.push_str(more);
        }
        let fields = json!({"item_id": self.output[at]["id"], "output_index": at, "delta": more});
        vec![("response.function_call_arguments.delta", fields)]
    }

    fn call_ready(&mut self, call_id: &str, arguments: &Value) -> Vec<ResponseEvent> {
        let Some(at) = self.place(call_id) else { return Vec::new() };
        let mut events = Vec::new();
        if self.output[at]["arguments"] == "" {
            // The provider sent no deltas of the arguments.
            events = self.call_delta(call_id, &arguments.to_string());
        }
        self.output[at]["status"] = "completed".into();
        let item = &self.output[at];
        let done = json!({"item_id": item["id"], "output_index": at, "name": item["name"],
            "arguments": item["arguments"]});
        events.push(("response.function_call_arguments.done", done));
        events.push(("response.output_item.done", json!({"output_index": at, "item": item})));
        events
    }

    /// Discards all output because the answer restarts. This interface has no event for that; an item in progress ends,
    /// and the final response contains only the new items.
    fn reset(&mut self) -> Vec<ResponseEvent> {
        let done = self.output.iter_mut().enumerate().filter(|(_, item)| item["status"] == "in_progress");
        let events = done.map(|(at, item)| {
            item["status"] = "incomplete".into();
            ("response.output_item.done", json!({"output_index": at, "item": item}))
        });
        let events = events.collect();
        self.output.clear();
        self.open = None;
        self.calls.clear();
        self.refusal = None;
        self.annotations.clear();
        events
    }

    fn ended(&mut self, terminal: &Terminal) -> Vec<ResponseEvent> {
        let (kind, status) = status(terminal);
        let last = self.output.len().checked_sub(1).filter(|_| status != "completed");
        for (at, item) in self.output.iter_mut().enumerate() {
            // The truncated item is the last one, even if its part was closed.
            if item["status"] == "in_progress" || (Some(at) == last && item.get("status").is_some()) {
                item["status"] = "incomplete".into();
            }
        }
        self.response.insert("status".into(), status.into());
        self.response.insert("usage".into(), usage(&terminal.usage));
        if status == "incomplete" {
            let reason = match terminal.reason.as_deref() {
                Some("length") => "max_output_tokens",
                Some(reason) => reason,
                None => "interrupted",
            };
            self.response.insert("incomplete_details".into(), json!({"reason": reason}));
        }
        if let Some(why) = &terminal.error {
            let code =
                if why.code == "upstream_rate_limited" { "rate_limit_exceeded" } else { "server_error" };
            let error = json!({"code": code, "message": why.message});
            self.response.insert("error".into(), with_provider_code(error, why.provider_code.as_deref()));
        }
        vec![(kind, json!({"response": self.response()}))]
    }
}

/// The last event and the status of a response, determined by the end of its run.
fn status(terminal: &Terminal) -> (&'static str, &'static str) {
    match (terminal.status, terminal.reason.as_deref()) {
        (RunState::Succeeded | RunState::Partial, Some("length" | "content_filter")) => {
            ("response.incomplete", "incomplete")
        }
        (RunState::Succeeded | RunState::Partial, _) => ("response.completed", "completed"),
        (RunState::Cancelled, _) => ("response.incomplete", "cancelled"),
        (RunState::Interrupted, _) => ("response.incomplete", "incomplete"),
        _ => ("response.failed", "failed"),
    }
}

fn usage(used: &Usage) -> Value {
    json!({
        "input_tokens": used.input_tokens,
        "input_tokens_details": {"cached_tokens": used.cached_tokens},
        "output_tokens": used.output_tokens,
        "output_tokens_details": {"reasoning_tokens": used.reasoning_tokens},
        "total_tokens": used.input_tokens + used.output_tokens,
    })
}

fn annotation(source: &Source) -> Value {
    match &source.url {
        Some(url) => json!({"type": "url_citation", "url": url, "title": source.title,
            "start_index": 0, "end_index": 0}),
        None => json!({"type": "file_citation", "file_id": source.document_id, "filename": source.title,
            "index": 0}),
    }
}

/// The id of the response.
pub fn id(run: &Constants) -> String {
    format!("resp_{}", run.run_id.simple())
}

/// An error of the stream rather than of the run.
pub fn broken(message: &str, code: &str) -> String {
    let error = json!({"type": "error", "code": code, "message": message, "param": null});
    format!("event: error\ndata: {error}\n\n")
}
