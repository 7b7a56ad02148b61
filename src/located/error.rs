//! Errors of deserialization: why a type refused a value, and the path of that value.

use super::Path;
use domain::{Fault, Step};
use serde::de::{Error, Expected, Unexpected};
use std::fmt::{self, Display};

/// The maximum length of a message in characters. Messages are cut because some repeat input of the caller.
const MAX_MESSAGE: usize = 300;

/// The message for a field that is missing.
pub(crate) const REQUIRED: &str = "this field is required";
/// The message for a field that the type does not define.
pub(crate) const UNKNOWN_FIELD: &str = "there is no such field";

/// An error returned by a type's `Deserialize` implementation.
#[derive(Debug)]
pub(crate) struct ReadError {
    /// The path of the value; `None` until the value being deserialized adds it.
    at: Option<Path>,
    /// The name of a missing or unknown field below that path.
    field: Option<String>,
    /// The fields that the type defines, if the error is an unknown field.
    known: &'static [&'static str],
    msg: String,
    kind: &'static str,
}

impl ReadError {
    fn new(kind: &'static str, msg: impl Display) -> Self {
        let mut msg = msg.to_string();
        if let Some((cut, _)) = msg.char_indices().nth(MAX_MESSAGE) {
            msg.truncate(cut);
        }
        Self { at: None, field: None, known: &[], msg, kind }
    }

    /// Adds the path, unless a nested value has already done so.
    pub fn at(mut self, path: impl FnOnce() -> Path) -> Self {
        self.at.get_or_insert_with(path);
        self
    }

    /// The path of the error. For a missing or unknown field, the path includes the field.
    pub fn path(&self) -> impl Iterator<Item = Step> {
        self.at.iter().flatten().cloned().chain(self.field.clone().map(Step::Name))
    }

    /// The fields that the type defines, if the error is an unknown field.
    pub fn known(&self) -> Option<&'static [&'static str]> {
        (self.kind == "unknown_field").then_some(self.known)
    }

    /// Whether the error is a missing field.
    pub fn is_missing(&self) -> bool {
        self.kind == "missing"
    }

    /// Converts the error into a fault of a `part` of the request (`body`, `query`).
    pub fn into_fault(self, part: &str) -> Fault {
        let loc = std::iter::once(Step::Name(part.to_owned())).chain(self.path()).collect();
        Fault { loc, msg: self.msg, kind: self.kind.to_owned() }
    }
}

impl Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.msg)
    }
}

impl std::error::Error for ReadError {}

impl Error for ReadError {
    fn custom<T: Display>(msg: T) -> Self {
        let msg = msg.to_string();
        // The uuid crate's messages describe its parser.
        match msg.starts_with("UUID parsing failed") {
            true => Self::new("malformed", "is not a UUID"),
            false => Self::new("malformed", msg),
        }
    }

    fn invalid_type(actual: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new("wrong_type", format_args!("expected {}, not {}", plain(expected), type_of(&actual)))
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new("wrong_value", format_args!("expected {}", plain(expected)))
    }

    fn invalid_length(length: usize, expected: &dyn Expected) -> Self {
        Self::new("wrong_length", format_args!("expected {expected}, not {length} items"))
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        Self::new("unknown_value", format_args!("must be one of: {}", expected.join(", ")))
    }

    fn unknown_field(field: &str, known: &'static [&'static str]) -> Self {
        Self { field: Some(field.to_owned()), known, ..Self::new("unknown_field", UNKNOWN_FIELD) }
    }

    fn missing_field(field: &'static str) -> Self {
        Self { field: Some(field.to_owned()), ..Self::new("missing", REQUIRED) }
    }
}

/// Describes the expected value without the names of Rust types.
fn plain(expected: &dyn Expected) -> String {
    let text = expected.to_string();
    match text.split(' ').next() {
        Some("struct") => "an object".to_owned(),
        Some("u8" | "u16" | "u32" | "u64" | "usize") => "a whole number from 0 on".to_owned(),
        Some("i8" | "i16" | "i32" | "i64" | "isize") => "a whole number".to_owned(),
        Some("f32" | "f64") => "a number".to_owned(),
        Some("enum" | "internally" | "adjacently") => "one of its forms".to_owned(),
        _ if text == "a map" => "an object".to_owned(),
        _ if text == "a sequence" => "a list".to_owned(),
        _ => text,
    }
}

/// The type of a value. The value itself is never shown because it may be a secret.
fn type_of(actual: &Unexpected<'_>) -> &'static str {
    match actual {
        Unexpected::Bool(_) => "a boolean",
        Unexpected::Unsigned(_) | Unexpected::Signed(_) => "an integer",
        Unexpected::Float(_) => "a decimal number",
        Unexpected::Char(_) | Unexpected::Str(_) => "a string",
        Unexpected::Unit | Unexpected::Option => "null",
        Unexpected::Seq => "a list",
        Unexpected::Map => "an object",
        _ => "something else",
    }
}
