//! Folds a backlog: consecutive deltas of the same part become one delta. Its `seq` is that of the last delta, so a
//! reader that continues from there misses nothing.

use bytes::Bytes;
use runs::Event;
use serde_json::value::RawValue;

use super::canonical::{Call, Part, data};

/// The size, in bytes of JSON, at which a folded delta is completed and a new one begins.
const LIMIT: usize = 256 * 1024;

/// Consecutive deltas that have been joined so far.
struct Open {
    last: Event,
    /// The name of the part or call, as JSON.
    name: String,
    /// The text as JSON, without its quotes.
    text: String,
}

/// Folds a sequence of events.
#[derive(Default)]
pub struct Fold {
    open: Option<Open>,
    folded: Vec<Event>,
    bytes: usize,
}

impl Fold {
    /// Adds the next event.
    pub fn push(&mut self, event: &Event) {
        let Some((name, text)) = delta(event) else {
            self.close();
            self.bytes += event.json.len();
            return self.folded.push(event.clone());
        };
        let (name, text) = (name.get(), inner(text));
        let fits = self
            .open
            .as_ref()
            .is_some_and(|open| open.last.kind == event.kind && open.name == name && open.text.len() < LIMIT);
        if !fits {
            self.close();
        }
        self.bytes += text.len();
        match &mut self.open {
            Some(open) => {
                open.text.push_str(text);
                open.last = event.clone();
            }
            None => {
                self.open = Some(Open { last: event.clone(), name: name.into(), text: text.into() });
            }
        }
    }

    /// The approximate number of bytes folded since the last [`Fold::take`].
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the folded events, in order.
    pub fn take(&mut self) -> Vec<Event> {
        self.close();
        self.bytes = 0;
        std::mem::take(&mut self.folded)
    }

    fn close(&mut self) {
        if let Some(Open { last, name, text }) = self.open.take() {
            self.folded.push(rewritten(last, &name, &text));
        }
    }
}

/// The name and the text of a delta; `None` for all other events.
fn delta(event: &Event) -> Option<(&RawValue, &RawValue)> {
    match &*event.kind {
        "text.delta" | "reasoning.delta" => {
            let part: Part = data(event)?;
            Some((part.part, part.text?))
        }
        "tool.call.delta" => {
            let call: Call = data(event)?;
            Some((call.call_id, call.arguments?))
        }
        _ => None,
    }
}

/// The content of a JSON string without its quotes. Such contents can be concatenated.
fn inner(text: &RawValue) -> &str {
    let text = text.get();
    text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or_default()
}

/// Replaces the text of an event with all the text folded into it.
fn rewritten(last: Event, name: &str, text: &str) -> Event {
    const DATA: &[u8] = b",\"data\":";
    // No member before `data` contains free text, so the first occurrence is the member itself.
    let at = last.json.windows(DATA.len()).position(|window| window == DATA);
    let Some(at) = at else { return last };
    let (name_key, text_key) = match &*last.kind {
        "tool.call.delta" => ("call_id", "arguments"),
        _ => ("part", "text"),
    };
    let mut json = Vec::with_capacity(at + name.len() + text.len() + 48);
    json.extend_from_slice(&last.json[..at + DATA.len()]);
    let data = format!("{{\"{name_key}\":{name},\"{text_key}\":\"{text}\"}}}}");
    json.extend_from_slice(data.as_bytes());
    Event { json: Bytes::from(json), ..last }
}
