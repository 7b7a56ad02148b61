//! Bodies, forms and queries as the types of their operations.
//!
//! A valid one is deserialized once and held against the limits (lengths, ranges, numbers of items, patterns) of its
//! type's JSON schema, the same that the document shows, and against the type's own [`Validate`]. A derived
//! `Deserialize` stops at its first error, so one that does not read is held against the whole schema, once, in order
//! to report everything that is wrong with it; then the fields without a fault are read once more, for `Validate`.

mod contract;
mod error;
mod located;
pub(crate) mod objects;
pub(crate) mod schema;
mod text;
mod violations;

use contract::Contract;
use domain::{Fault, Faults, Step, Validate};
use located::{Document, Located};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::any::TypeId;
use std::cell::RefCell;
use std::collections::HashSet;

/// The steps from the top of a value to a place in it.
pub(crate) type Path = Vec<Step>;

/// Faults that are looked for in one value.
const MAX_FAULTS: usize = 50;
/// Bytes of text beyond which only the first violation of the schema is looked for: finding all takes memory for each.
const MAX_THOROUGH: usize = 1024 * 1024;
/// The message for a field that is missing.
const REQUIRED: &str = "this field is required";
/// The message for a field that the object does not have.
const UNKNOWN_FIELD: &str = "there is no such field";

/// How strings are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Mode {
    Json,
    /// As form fields: a text may stand for a number, a boolean or a list of one.
    Form,
    /// As query parameters: like form fields, and unknown ones are ignored.
    Query,
}

/// Reads `value`, whose text had `size` bytes, as a `T`. `schema` makes the JSON schema of `T`, with the schemas that it
/// refers to at `#/components/schemas`.
///
/// # Errors
/// All faults that were found, each located below `part` (`body`, `query`); at least one.
pub(crate) fn read<T: DeserializeOwned + Validate + 'static>(
    part: &'static str,
    value: Value,
    size: usize,
    mode: Mode,
    schema: fn() -> Value,
) -> Result<T, Vec<Fault>> {
    let document = Document { part, mode, unknown: RefCell::default() };
    let read = T::deserialize(Located::top(&value, &document));
    let mut faults = document.unknown.into_inner();
    let contract = Contract::cached(TypeId::of::<T>(), mode, schema);
    let read = match read {
        Ok(read) => {
            let mut rules = Faults::new(part);
            read.validate(&mut rules);
            faults.extend(rules.into_vec());
            Some(read)
        }
        Err(error) => {
            faults.insert(0, error.into_fault(part));
            let mut rules = Faults::new(part);
            T::validate_refused(&value, &mut rules);
            faults.extend(rules.into_vec());
            None
        }
    };
    let rest = (read.is_none() && size <= MAX_THOROUGH).then(|| value.clone());
    contract.check(Body { part, value, size, trimmed: T::TRIMMED }, read.is_some(), &mut faults);
    if let Some(rest) = rest {
        check_rest::<T>(part, rest, mode, &mut faults);
    }
    match read {
        Some(read) if faults.is_empty() => Ok(read),
        _ => Err(faults),
    }
}

/// Applies the rules of the type to the fields of a refused object that have no fault so far, as far as the type can be
/// read without the others: what the rules refuse is reported together with what the schema refuses.
fn check_rest<T: DeserializeOwned + Validate>(
    part: &'static str,
    mut value: Value,
    mode: Mode,
    faults: &mut Vec<Fault>,
) {
    let Value::Object(fields) = &mut value else { return };
    let faulty: HashSet<String> =
        faults.iter().filter_map(|fault| fault.loc.get(1)).map(ToString::to_string).collect();
    fields.retain(|name, _| !faulty.contains(name));
    let found =
        match T::deserialize(Located::top(&value, &Document { part, mode, unknown: RefCell::default() })) {
            Ok(read) => {
                let mut rules = Faults::new(part);
                read.validate(&mut rules);
                rules.into_vec()
            }
            Err(error) => vec![error.into_fault(part)],
        };
    let is_new = |fault: &Fault| fault.loc.get(1).is_some_and(|field| !faulty.contains(&field.to_string()));
    faults.extend(found.into_iter().filter(is_new));
}

/// A value on its way through a [`Contract`].
struct Body {
    part: &'static str,
    value: Value,
    /// Bytes of its text.
    size: usize,
    /// Fields whose texts count without the blanks around them.
    trimmed: &'static [&'static str],
}

#[cfg(test)]
mod tests;
