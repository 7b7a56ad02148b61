//! Chunks that differ in their text alone.
//!
//! Servers repeat id, time, model and so on in every chunk. Comparing what stands around the text with an earlier chunk
//! is much less work than parsing it.

use memchr::memmem;

/// What stands before the text.
const CONTENT: &[u8] = b"\"content\":\"";

/// What stands around the text of a chunk that was parsed, and was text and nothing else.
#[derive(Default)]
pub(super) struct RepeatedChunk {
    before: Vec<u8>,
    after: Vec<u8>,
}

impl RepeatedChunk {
    /// The text of a chunk, if all else of it is as in the one that was remembered. None for an empty text, and for one with
    /// escapes.
    pub fn text_of<'a>(&self, json: &'a [u8]) -> Option<&'a str> {
        let text = json.strip_prefix(&*self.before)?.strip_suffix(&*self.after)?;
        // A quotation mark would end the text earlier, and control characters do not stand in JSON.
        let is_plain = |byte: &u8| *byte >= 0x20 && !matches!(byte, b'"' | b'\\');
        let is_known = !self.before.is_empty() && !text.is_empty();
        std::str::from_utf8(text).ok().filter(|_| is_known && text.iter().all(is_plain))
    }

    /// Remembers a chunk with this text.
    pub fn remember(&mut self, json: &[u8], text: &str) {
        let mut places = memmem::find_iter(json, CONTENT).map(|at| at + CONTENT.len());
        // With a second field of the name, it is open which of them is the text.
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
    fn chunks_with_another_text_are_known() {
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
    fn a_text_that_may_stand_elsewhere_is_not_remembered() {
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
