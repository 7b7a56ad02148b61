//! Text deltas, which make up most events: read without parsing the whole event.

use std::sync::LazyLock;

use memchr::memchr2_iter;
use memchr::memmem::Finder;
use storage::journal::JournalEvent as Event;

use super::EventData;

const DATA: &[u8] = b"\"data\":{\"part\":";
const TEXT: &[u8] = b",\"text\":";
/// Made once, because that takes longer than a search in an event.
static DATA_FINDER: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(DATA));
static TEXT_FINDER: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(TEXT));
const END: &[u8] = b"}}";

/// The data of a `text.delta` or `reasoning.delta` as unparsed JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawDelta<'a> {
    /// The name of the part, as a JSON string.
    pub part: &'a str,
    /// The text to append, as a JSON string.
    pub text: &'a str,
}

impl<'a> RawDelta<'a> {
    /// Reads an event that was written by this version, whose data come last and have these two fields in this order.
    /// Returns `None` for every other event, which has to be parsed.
    pub fn read(event: &'a Event) -> Option<Self> {
        if !matches!(&*event.kind, "text.delta" | "reasoning.delta") {
            return None;
        }
        let json = event.json.strip_suffix(END)?;
        // Quotation marks within a JSON string are escaped, so these patterns cannot occur in one.
        let data = &json[DATA_FINDER.find(json)? + DATA.len()..];
        let end = TEXT_FINDER.find(data)?;
        let (part, text) = (&data[..end], &data[end + TEXT.len()..]);
        (is_string(part) && is_string(text)).then_some(())?;
        Some(Self { part: std::str::from_utf8(part).ok()?, text: std::str::from_utf8(text).ok()? })
    }
}

/// Whether `json`, which is part of a JSON text, is exactly one JSON string.
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
    // Otherwise the final quotation mark is escaped and part of the text.
    escaped != Some(inner.len())
}

impl EventData {
    /// Returns the data of an event, or `None` if it cannot be read because a later version wrote it.
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
        fn raw_delta_agrees_with_the_parser(part: String, text in "(\\PC|[\"\\\\{}:,]|\",\"text\":\"|\"data\":\\{\"part\":)*", reasoning: bool) {
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
    fn read_parses_other_forms() {
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
