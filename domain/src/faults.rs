//! Collects the faults of a request.

use serde_json::Value;

use crate::fault::Fault;
use crate::refusal::Refusal;

/// Length of the names of tenants and API tokens, in characters.
pub const NAME_LENGTH: std::ops::RangeInclusive<usize> = 1..=100;

/// Collects the faults of one part of a request.
pub struct Faults {
    place: &'static str,
    faults: Vec<Fault>,
}

impl Faults {
    /// Creates an empty collection for `body`, `query` or `path`.
    pub fn new(place: &'static str) -> Self {
        Self { place, faults: Vec::new() }
    }

    /// Adds a fault; `loc` leads from the top of the body (query, path) to the field.
    pub fn add<'a>(
        &mut self,
        loc: impl IntoIterator<Item = &'a str>,
        msg: impl Into<String>,
        kind: &'static str,
    ) {
        self.faults.push(Fault::new(self.place, loc, msg, kind));
    }

    /// Requires a length in characters (not bytes).
    pub fn length(&mut self, field: &str, text: &str, limits: std::ops::RangeInclusive<usize>) {
        // Counting stops early, so that a text that is far too long is not read to its end.
        let length = text.chars().take(limits.end() + 1).count();
        if length < *limits.start() {
            let least = limits.start();
            self.add([field], format!("must have at least {least} character{}", plural(*least)), "too_short");
        } else if length > *limits.end() {
            self.add([field], format!("must have at most {} characters", limits.end()), "too_long");
        }
    }

    /// Requires a name: one line without hidden or reordering characters. Every field with a name for people is checked
    /// by this method.
    pub fn name(&mut self, field: &str, text: &str) {
        if text.contains(is_unfit_for_names) {
            self.add([field], UNFIT_FOR_NAMES, "malformed");
        }
    }

    /// Requires a number within limits.
    pub fn range<N: PartialOrd + std::fmt::Display>(
        &mut self,
        field: &str,
        number: N,
        limits: std::ops::RangeInclusive<N>,
    ) {
        if !limits.contains(&number) {
            let (least, most) = limits.into_inner();
            self.add([field], format!("must be between {least} and {most}"), "out_of_range");
        }
    }

    /// Requires at most `most` items.
    pub fn at_most(&mut self, field: &str, items: usize, most: usize) {
        if items > most {
            self.add([field], format!("must have at most {most} items"), "too_many");
        }
    }

    /// Returns whether there are no faults.
    pub fn is_empty(&self) -> bool {
        self.faults.is_empty()
    }

    /// Returns an error with all faults, if there are any.
    ///
    /// # Errors
    /// `invalid` (422) with all faults.
    pub fn into_result(self) -> Result<(), Refusal> {
        match self.into_vec() {
            faults if faults.is_empty() => Ok(()),
            faults => Err(Refusal::faulty(faults)),
        }
    }

    pub fn into_vec(self) -> Vec<Fault> {
        self.faults
    }
}

/// The message for a name with a character that [`is_unfit_for_names`].
pub const UNFIT_FOR_NAMES: &str =
    "contains a control character, a line break, or a character that reorders text; remove it";

/// Returns whether a character is not allowed in names: control characters (including NUL, CR and LF), line and
/// paragraph separators, and characters that embed, override or isolate the direction of text. Direction marks and
/// joiners are allowed, because names in some scripts contain them.
pub fn is_unfit_for_names(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

/// Returns whether a character is invisible in an email address, or changes how the address is displayed. Such a
/// character could make two addresses look the same.
pub fn is_unseen(c: char) -> bool {
    is_unfit_for_names(c)
        || matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{e0000}'..='\u{e0fff}')
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// Rules that a type's schema does not express. Lengths, ranges and numbers of items are attributes of the type's fields
/// (`#[schema(max_length = 100)]`), which are both documented and enforced.
pub trait Validate {
    /// Text fields at the top of the body whose length is counted without surrounding white space.
    const TRIMMED: &'static [&'static str] = &[];

    /// Adds a fault for each violated rule.
    fn validate(&self, faults: &mut Faults) {
        let _ = faults;
    }

    /// Adds a fault for each violated rule that can be found in the JSON of a body that does not deserialize.
    fn validate_refused(body: &Value, faults: &mut Faults) {
        let _ = (body, faults);
    }
}

impl<T: Validate> Validate for Vec<T> {}
impl Validate for serde_json::Value {}
impl Validate for serde_json::Map<String, serde_json::Value> {}
