//! The stored form of a record's body: JSON without the members that have their default value.
//!
//! Most members of most rows have it: a run has thirty members, of which a dozen are set. Rows that were written with all
//! members are read as before.

use memchr::memchr2;
use serde::Serialize;
use std::ops::Range;

/// The stored form of a record's body. Its functions have no type parameters, so they are compiled once, in this crate,
/// instead of in every crate that reads or writes the record.
pub trait StoredForm: Sized {
    /// Decodes a body.
    fn from_stored(bytes: &[u8]) -> serde_json::Result<Self>;
    /// Appends the encoded body.
    fn write_stored(&self, to: &mut Vec<u8>) -> serde_json::Result<()>;
}

/// Implements [`StoredForm`] for a record, encoded as JSON.
macro_rules! stored_as_json {
    ($record:ty) => {
        impl crate::record::StoredForm for $record {
            fn from_stored(bytes: &[u8]) -> serde_json::Result<Self> {
                serde_json::from_slice(bytes)
            }

            fn write_stored(&self, to: &mut Vec<u8>) -> serde_json::Result<()> {
                use crate::record::DefaultMembers;
                static DEFAULTS: std::sync::LazyLock<DefaultMembers> =
                    std::sync::LazyLock::new(DefaultMembers::of::<$record>);
                let begin = to.len();
                serde_json::to_writer(&mut *to, self)?;
                DEFAULTS.omit(to, begin);
                Ok(())
            }
        }
    };
}
pub(crate) use stored_as_json;

/// The members that a record has if its JSON does not name them, each as `"name":value`, sorted.
pub(crate) struct DefaultMembers(Vec<Box<[u8]>>);

impl DefaultMembers {
    /// Decodes an empty object, and lists the members of the result. Nothing is omitted for a type that requires a
    /// member.
    pub fn of<T: StoredForm + Serialize>() -> Self {
        let defaults = T::from_stored(b"{}").and_then(|record| serde_json::to_vec(&record));
        Self::listed(&defaults.unwrap_or_default())
    }

    fn listed(json: &[u8]) -> Self {
        let mut members: Vec<Box<[u8]>> = Vec::new();
        let mut at = 1;
        while let Some(member) = member_at(json, at) {
            members.push(json[member.clone()].into());
            at = member.end + 1;
        }
        members.sort_unstable();
        Self(members)
    }

    /// Removes these members from the JSON object that begins at `begin` and ends with the buffer.
    pub fn omit(&self, json: &mut Vec<u8>, begin: usize) {
        if self.0.is_empty() || json.get(begin) != Some(&b'{') {
            return;
        }
        let (mut at, mut end) = (begin + 1, begin + 1);
        while let Some(member) = member_at(json, at) {
            at = member.end + 1;
            if self.0.binary_search_by(|default| (**default).cmp(&json[member.clone()])).is_ok() {
                continue;
            }
            if end > begin + 1 {
                json[end] = b',';
                end += 1;
            }
            json.copy_within(member.clone(), end);
            end += member.len();
        }
        json[end] = b'}';
        json.truncate(end + 1);
    }
}

/// The place of the member that begins at `begin` in a JSON object without white space; `None` at the end of the object.
fn member_at(json: &[u8], begin: usize) -> Option<Range<usize>> {
    json.get(begin).filter(|byte| **byte == b'"')?;
    let (mut at, mut depth) = (begin, 0u32);
    loop {
        match json.get(at)? {
            b'"' => at = end_of_string(json, at + 1)?,
            b'{' | b'[' => depth += 1,
            b',' if depth == 0 => return Some(begin..at),
            b'}' if depth == 0 => return Some(begin..at),
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
}

/// The place of the quotation mark that ends the string whose contents begin at `at`.
fn end_of_string(json: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += memchr2(b'"', b'\\', json.get(at..)?)?;
        if json[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}

#[cfg(test)]
mod tests {
    use super::DefaultMembers;

    fn omit(defaults: &str, json: &str) -> String {
        let mut buffer = b"head".to_vec();
        buffer.extend_from_slice(json.as_bytes());
        DefaultMembers::listed(defaults.as_bytes()).omit(&mut buffer, 4);
        String::from_utf8(buffer.split_off(4)).expect("text")
    }

    #[test]
    fn members_with_default_values_are_omitted() {
        let defaults = r#"{"a":null,"b":0,"c":[],"d":{"x":"}\","},"e":"\\"}"#;
        assert_eq!(omit(defaults, defaults), "{}");
        assert_eq!(omit(defaults, r#"{"a":1,"b":0,"c":[],"d":{"x":"}\","},"e":"\\"}"#), r#"{"a":1}"#);
        assert_eq!(omit(defaults, r#"{"a":null,"b":0,"c":[0],"d":{},"e":"\\"}"#), r#"{"c":[0],"d":{}}"#);
        assert_eq!(omit(defaults, r#"{"a":null,"b":10,"c":[],"d":{},"e":""}"#), r#"{"b":10,"d":{},"e":""}"#);
    }

    #[test]
    fn names_and_values_are_compared_as_a_whole() {
        let defaults = r#"{"a":null,"nested":{"b":0}}"#;
        for kept in [
            r#"{"b":{"a":null}}"#,
            r#"{"aa":null}"#,
            r#"{"text":",\"a\":null,"}"#,
            r#"{"list":[{"a":null}]}"#,
        ] {
            assert_eq!(omit(defaults, kept), kept);
        }
    }

    #[test]
    fn other_values_than_objects_are_left_as_they_are() {
        for json in ["null", "[1,2]", "\"text\"", "{}"] {
            assert_eq!(omit(r#"{"a":null}"#, json), json);
        }
    }
}
