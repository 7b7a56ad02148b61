//! An error while reading, with its place.

use super::Way;
use domain::Step;
use serde::de::{Error, Expected, Unexpected};
use std::fmt::{self, Display};

/// Longer messages are cut: some repeat what the caller sent.
const LONGEST: usize = 300;

/// One thing that did not read.
#[derive(Debug)]
pub(super) struct ReadError {
    /// Where; `None` until the node that was being read adds it.
    at: Option<Way>,
    /// A missing or unknown field below that place.
    field: Option<String>,
    pub msg: String,
    pub kind: &'static str,
    /// How many stand-ins may be tried there.
    pub tries: usize,
}

impl ReadError {
    fn new(kind: &'static str, msg: impl Display) -> Self {
        let mut msg = msg.to_string();
        if let Some((cut, _)) = msg.char_indices().nth(LONGEST) {
            msg.truncate(cut);
        }
        Self { at: None, field: None, msg, kind, tries: super::standin::TRIES }
    }

    /// A field that is not one of those known.
    pub fn unknown(at: Way, field: &str) -> Self {
        let mut error = Self::new("unknown_field", "there is no such field");
        error.at = Some(at);
        error.field = Some(field.to_owned());
        error
    }

    /// Adds the place, unless an inner node did.
    pub fn at(mut self, way: impl FnOnce() -> Way) -> Self {
        if self.at.is_none() {
            self.at = Some(way());
        }
        self
    }

    pub fn at_top(self) -> Self {
        self.at(Way::new)
    }

    /// The whole way to the fault.
    pub fn way(&self) -> Way {
        let mut way = self.at.clone().unwrap_or_default();
        way.extend(self.field.clone().map(Step::Name));
        way
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
        // What the crates say whose types are read here is for programmers.
        match msg.starts_with("UUID parsing failed") {
            true => Self::new("malformed", "is not a UUID"),
            false => Self::new("malformed", msg),
        }
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new("wrong_type", format_args!("expected {}, not {}", plain(expected), name_of(&found)))
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new("wrong_value", format_args!("expected {}", plain(expected)))
    }

    fn invalid_length(length: usize, expected: &dyn Expected) -> Self {
        Self::new("wrong_length", format_args!("expected {expected}, not {length} items"))
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        Self::new("unknown_value", format_args!("expected one of: {}", expected.join(", ")))
    }

    fn unknown_field(field: &str, _: &'static [&'static str]) -> Self {
        let mut error = Self::new("unknown_field", "there is no such field");
        error.field = Some(field.to_owned());
        error
    }

    fn missing_field(field: &'static str) -> Self {
        let mut error = Self::new("missing", "this field is required");
        error.field = Some(field.to_owned());
        error
    }
}

/// What was expected, without the names of our types.
fn plain(expected: &dyn Expected) -> String {
    let said = expected.to_string();
    match said.split(' ').next() {
        Some("struct") => "an object".to_owned(),
        Some("u8" | "u16" | "u32" | "u64" | "usize") => "a whole number from 0 on".to_owned(),
        Some("i8" | "i16" | "i32" | "i64" | "isize") => "a whole number".to_owned(),
        Some("f32" | "f64") => "a number".to_owned(),
        Some("enum" | "internally" | "adjacently") => "one of its forms".to_owned(),
        _ if said == "a map" => "an object".to_owned(),
        _ if said == "a sequence" => "a list".to_owned(),
        _ => said,
    }
}

/// What was found, by its kind and never by its value, which may be a secret.
fn name_of(found: &Unexpected<'_>) -> &'static str {
    match found {
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
