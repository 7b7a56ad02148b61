//! Why a value was refused by the type that it was read as, and where.

use super::Path;
use domain::{Fault, Step};
use serde::de::{Error, Expected, Unexpected};
use std::fmt::{self, Display};

/// Characters after which a message is cut: some repeat what the caller sent.
const MAX_MESSAGE: usize = 300;

/// The message for a field that is missing.
pub(crate) const REQUIRED: &str = "this field is required";
/// The message for a field that the object does not have.
pub(crate) const UNKNOWN_FIELD: &str = "there is no such field";

/// A refusal by a type's `Deserialize`.
#[derive(Debug)]
pub(crate) struct ReadError {
    /// `None` until the value that was being read adds it.
    at: Option<Path>,
    /// A missing or unknown field below that path.
    field: Option<String>,
    /// The fields that there are, where one is unknown.
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

    /// Adds the path, unless a value further inside did.
    pub fn at(mut self, path: impl FnOnce() -> Path) -> Self {
        self.at.get_or_insert_with(path);
        self
    }

    /// The place of the fault: that of the field, where one is missing or unknown.
    pub fn path(&self) -> impl Iterator<Item = Step> {
        self.at.iter().flatten().cloned().chain(self.field.clone().map(Step::Name))
    }

    /// The fields that there are, where one is unknown.
    pub fn known(&self) -> Option<&'static [&'static str]> {
        (self.kind == "unknown_field").then_some(self.known)
    }

    /// Whether a field is missing.
    pub fn is_missing(&self) -> bool {
        self.kind == "missing"
    }

    /// As a fault of `part` (`body`, `query`).
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

/// What was expected, without the names of Rust types.
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

/// The type of a value; never the value, which may be a secret.
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
