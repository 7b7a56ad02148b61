//! Takes the texts out of a provider's events, by the methods of the server: lines are sliced out of what was read, and an event is
//! compared with an earlier one before it is parsed.

use bytes::{Buf, Bytes};
use memchr::{memchr, memmem};
use serde_json::Value;

/// The bytes before the text.
const CONTENT: &[u8] = b"\"content\":\"";

/// What an event means for the answer.
pub enum Event {
    /// A part of the text; borrowed from the decoder's input.
    Text(Bytes),
    /// The provider has sent everything.
    Done,
}

/// The decoder of one answer.
#[derive(Default)]
pub struct Decoder {
    /// The unread part of the last piece.
    piece: Bytes,
    /// The beginning of a line whose end has not arrived yet.
    partial: Vec<u8>,
    /// The bytes around the text of an event that was parsed.
    before: Vec<u8>,
    after: Vec<u8>,
}

impl Decoder {
    /// Adds bytes that were read. All events of the previous piece must have been taken.
    pub fn push(&mut self, piece: Bytes) {
        self.piece = piece;
    }

    /// Returns the next text, or the end.
    pub fn next(&mut self) -> Option<Event> {
        while let Some(line) = self.line() {
            let Some(data) = line.strip_prefix(b"data: ") else { continue };
            if data == b"[DONE]" {
                return Some(Event::Done);
            }
            if let Some(text) = self.repeated(data) {
                return Some(Event::Text(line.slice_ref(text)));
            }
            if let Some(text) = self.parse(data) {
                return Some(Event::Text(text));
            }
        }
        None
    }

    fn line(&mut self) -> Option<Bytes> {
        let Some(end) = memchr(b'\n', &self.piece) else {
            self.partial.extend_from_slice(&self.piece);
            self.piece.clear();
            return None;
        };
        let rest = self.piece.split_to(end);
        self.piece.advance(1);
        if self.partial.is_empty() {
            return Some(rest);
        }
        self.partial.extend_from_slice(&rest);
        Some(std::mem::take(&mut self.partial).into())
    }

    /// The text of an event that equals the remembered one before and after it.
    fn repeated<'a>(&self, json: &'a [u8]) -> Option<&'a [u8]> {
        let text = json.strip_prefix(&*self.before)?.strip_suffix(&*self.after)?;
        let is_plain = |byte: &u8| *byte >= 0x20 && !matches!(byte, b'"' | b'\\');
        let is_known = !self.before.is_empty() && !text.is_empty();
        (is_known && std::str::from_utf8(text).is_ok() && text.iter().all(is_plain)).then_some(text)
    }

    fn parse(&mut self, json: &[u8]) -> Option<Bytes> {
        let event: Value = serde_json::from_slice(json).ok()?;
        let text = event["choices"][0]["delta"]["content"].as_str().filter(|text| !text.is_empty())?;
        let begin = memmem::find(json, CONTENT)? + CONTENT.len();
        let end = begin + text.len();
        if json.get(begin..end) == Some(text.as_bytes()) && json.get(end) == Some(&b'"') {
            json[..begin].clone_into(&mut self.before);
            json[end..].clone_into(&mut self.after);
        }
        Some(Bytes::copy_from_slice(text.as_bytes()))
    }
}
