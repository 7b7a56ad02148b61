//! Deltas of texts, which are most of all events: read without taking the whole event apart.

use memchr::{memchr2_iter, memmem};
use storage::journal::JournalEvent as Event;

use super::EventData;

const DATA: &[u8] = b"\"data\":{\"part\":";
const TEXT: &[u8] = b",\"text\":";
const END: &[u8] = b"}}";

/// The data of a `text.delta` or `reasoning.delta`, as the JSON that it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawDelta<'a> {
    /// The name of the part, a JSON string.
    pub part: &'a str,
    /// What is added, a JSON string.
    pub text: &'a str,
}

impl<'a> RawDelta<'a> {
    /// Reads an event that was written by this version, whose data come last and have these two fields in this order. None
    /// for every other event, which has to be parsed.
    pub fn read(event: &'a Event) -> Option<Self> {
        if !matches!(&*event.kind, "text.delta" | "reasoning.delta") {
            return None;
        }
        let json = event.json.strip_suffix(END)?;
        // Within a JSON string, quotation marks are escaped, so that these do not stand in one.
        let data = &json[memmem::find(json, DATA)? + DATA.len()..];
        let end = memmem::find(data, TEXT)?;
        let (part, text) = (&data[..end], &data[end + TEXT.len()..]);
        (is_string(part) && is_string(text)).then_some(())?;
        Some(Self { part: std::str::from_utf8(part).ok()?, text: std::str::from_utf8(text).ok()? })
    }
}

/// Whether this is one JSON string and nothing else, if it is part of a JSON text.
fn is_string(json: &[u8]) -> bool {
    let Some(inner) = json.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")) else {
        return false;
    };
    let mut escaped = None;
    for at in memchr2_iter(b'"', b'\\', inner) {
        match inner[at] {
            _ if escaped == Some(at) => escaped = None,
            b'\\' => escaped = Some(at + 1),
            _ => return false,
        }
    }
    // The last mark would be part of the text.
    escaped != Some(inner.len())
}

impl EventData {
    /// What an event says; none for one that cannot be read, which was written by a later version.
    pub fn read(event: &Event) -> Option<Self> {
        let Some(RawDelta { part, text }) = RawDelta::read(event) else {
            return serde_json::from_slice(&event.json).ok();
        };
        let (part, text) = (serde_json::from_str(part).ok()?, serde_json::from_str(text).ok()?);
        Some(match &*event.kind {
            "text.delta" => Self::TextDelta { part, text },
            _ => Self::ReasoningDelta { part, text },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn event(kind: &'static str, json: String) -> Event {
        Event { seq: 1, kind: kind.into(), json: json.into() }
    }

    proptest! {
        #[test]
        fn deltas_are_read_as_they_are_parsed(part: String, text in "(\\PC|[\"\\\\{}:,]|\",\"text\":\"|\"data\":\\{\"part\":)*", reasoning: bool) {
            let (kind, data) = match reasoning {
                true => ("reasoning.delta", EventData::ReasoningDelta { part, text }),
                false => ("text.delta", EventData::TextDelta { part, text }),
            };
            let body = serde_json::to_string(&data).unwrap();
            let event = event(kind, format!("{{\"seq\":1,\"node_id\":\"\\\"data\\\":{{\",{}", &body[1..]));
            prop_assert!(RawDelta::read(&event).is_some());
            prop_assert_eq!(EventData::read(&event), Some(data));
        }
    }

    #[test]
    fn other_forms_are_parsed() {
        for json in [
            r#"{"type":"text.delta","data":{"part":"1","text":"a","more":"b"}}"#,
            r#"{"type":"text.delta","data":{"text":"a","part":"1"}}"#,
            r#"{"data":{"part":"1","text":"a"},"type":"text.delta","seq":1}"#,
            r#"{"type":"text.delta","data":{"part":"1","text":"a"} }"#,
        ] {
            let event = event("text.delta", json.to_owned());
            assert_eq!(RawDelta::read(&event), None, "{json}");
            let parsed = EventData::TextDelta { part: "1".into(), text: "a".into() };
            assert_eq!(EventData::read(&event), Some(parsed), "{json}");
        }
    }
}
