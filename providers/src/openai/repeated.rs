//! Fast path for chunks that differ only in their text.
//!
//! Servers repeat the id, time, model and other fields in every chunk. Comparing the bytes around the text with those
//! of an earlier chunk is much cheaper than parsing the chunk.

use memchr::memmem;

/// The bytes before the text.
const CONTENT: &[u8] = b"\"content\":\"";

/// The bytes around the text of a parsed chunk that contained only text.
#[derive(Default)]
pub(super) struct RepeatedChunk {
    before: Vec<u8>,
    after: Vec<u8>,
}

impl RepeatedChunk {
    /// Returns the text of a chunk if the bytes around it equal those of the remembered chunk. `None` for an empty
    /// text and for a text with escapes.
    pub fn text_of<'a>(&self, json: &'a [u8]) -> Option<&'a str> {
        let text = json.strip_prefix(&*self.before)?.strip_suffix(&*self.after)?;
        // A quotation mark would end the text earlier, and JSON strings cannot contain control characters.
        let is_plain = |byte: &u8| *byte >= 0x20 && !matches!(byte, b'"' | b'\\');
        let is_known = !self.before.is_empty() && !text.is_empty();
        std::str::from_utf8(text).ok().filter(|_| is_known && text.iter().all(is_plain))
    }

    /// Remembers a chunk with this text.
    pub fn remember(&mut self, json: &[u8], text: &str) {
        let mut places = memmem::find_iter(json, CONTENT).map(|at| at + CONTENT.len());
        // If the field name occurs twice, it is ambiguous which one is the text.
        let (Some(begin), None) = (places.next(), places.next()) else { return };
        let end = begin + text.len();
        if json.get(begin..end) == Some(text.as_bytes()) && json.get(end) == Some(&b'"') {
            json[..begin].clone_into(&mut self.before);
            json[end..].clone_into(&mut self.after);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RepeatedChunk;

    fn chunk(text: &str) -> Vec<u8> {
        format!(r#"{{"id":"c","choices":[{{"index":0,"delta":{{"content":"{text}"}}}}]}}"#).into_bytes()
    }

    #[test]
    fn text_of_recognizes_chunks_with_another_text() {
        let mut repeated = RepeatedChunk::default();
        assert_eq!(repeated.text_of(&chunk("one")), None, "nothing was remembered");
        repeated.remember(&chunk("one"), "one");
        for text in ["two", "drei, vier", "ö", "}]"] {
            assert_eq!(repeated.text_of(&chunk(text)), Some(text));
        }
        for text in ["", "a\\n", "\\\"", "a\",\"role\":\"x", "line\nbreak"] {
            assert_eq!(repeated.text_of(&chunk(text)), None, "{text}");
        }
        assert_eq!(repeated.text_of(&chunk("two").replace_id()), None);
    }

    #[test]
    fn remember_skips_ambiguous_chunks() {
        let mut repeated = RepeatedChunk::default();
        let twice = br#"{"content":"one","choices":[{"delta":{"content":"one"}}]}"#;
        repeated.remember(twice, "one");
        assert_eq!(repeated.text_of(twice), None);
        let escaped = chunk("a\\n");
        repeated.remember(&escaped, "a\n");
        assert_eq!(repeated.text_of(&chunk("b")), None, "it was written otherwise");
    }

    trait ReplaceId {
        fn replace_id(self) -> Self;
    }

    impl ReplaceId for Vec<u8> {
        fn replace_id(mut self) -> Self {
            self[7] = b'd';
            self
        }
    }
}
