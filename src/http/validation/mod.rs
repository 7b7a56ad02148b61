//! Validation of bodies, forms and queries against the types of their operations.
//!
//! A valid value is deserialized once and checked against the limits (lengths, ranges, numbers of items, patterns) of
//! its type's JSON schema, which is the one in the OpenAPI document, and against the type's own [`Validate`]. A derived
//! `Deserialize` stops at its first error. A value that does not deserialize is therefore validated once against the
//! whole schema in order to report all errors; then the fields without an error are read once more for `Validate`.

mod contract;
pub(crate) mod objects;
pub(crate) mod schema;
mod text;
mod violations;

pub(crate) use crate::located::Mode;

use crate::located::{Document, Located, ReadError};
use contract::Contract;
use domain::{Fault, Faults, Validate};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::any::TypeId;
use std::collections::HashSet;

/// The maximum number of errors that are reported for one value.
pub const MAX_FAULTS: usize = 50;
/// The size in bytes beyond which only the first violation of the schema is searched: finding all takes memory for
/// each.
pub const MAX_THOROUGH: usize = 1024 * 1024;
/// Deserializes `value`, whose text had `size` bytes, as a `T`. `schema` returns the JSON schema of `T`, with the
/// schemas that it refers to at `#/components/schemas`.
///
/// # Errors
/// All errors that were found (at least one), each located below `part` (`body`, `query`).
pub fn read<T: DeserializeOwned + Validate + 'static>(
    part: &'static str,
    value: Value,
    size: usize,
    mode: Mode,
    schema: fn() -> Value,
) -> Result<T, Vec<Fault>> {
    let mut target = Target::<T>(None);
    let contract = Contract::cached(TypeId::of::<T>(), mode, schema);
    let faults = check(&mut target, &contract, Body { part, value, size, trimmed: T::TRIMMED }, mode);
    match target.0 {
        Some(read) if faults.is_empty() => Ok(read),
        _ => Err(faults),
    }
}

/// The part that depends on the type, so that everything around it is compiled only once.
trait Reading {
    /// Deserializes a value, and applies the type's rules to the result.
    fn read(&mut self, value: &Value, document: &Document, rules: &mut Faults) -> Result<(), ReadError>;

    /// Applies the type's rules for values that do not deserialize.
    fn check_refused(&self, value: &Value, rules: &mut Faults);
}

/// The most recently deserialized value.
struct Target<T>(Option<T>);

impl<T: DeserializeOwned + Validate> Reading for Target<T> {
    fn read(&mut self, value: &Value, document: &Document, rules: &mut Faults) -> Result<(), ReadError> {
        let read = T::deserialize(Located::top(value, document))?;
        read.validate(rules);
        self.0 = Some(read);
        Ok(())
    }

    fn check_refused(&self, value: &Value, rules: &mut Faults) {
        T::validate_refused(value, rules);
    }
}

fn check(target: &mut dyn Reading, contract: &Contract, body: Body, mode: Mode) -> Vec<Fault> {
    let Body { part, size, .. } = body;
    let mut rules = Faults::new(part);
    let document = Document::new(mode);
    let read = target.read(&body.value, &document, &mut rules);
    let unknown = document.into_unknown().into_iter();
    let mut faults: Vec<Fault> = unknown.map(|error| error.into_fault(part)).collect();
    let is_read = read.is_ok();
    if let Err(error) = read {
        faults.insert(0, error.into_fault(part));
        target.check_refused(&body.value, &mut rules);
    }
    faults.extend(rules.into_vec());
    let rest = (!is_read && size <= MAX_THOROUGH).then(|| body.value.clone());
    contract.check(body, is_read, &mut faults);
    if let Some(rest) = rest {
        check_rest(target, part, rest, mode, &mut faults);
    }
    faults
}

/// Applies the type's rules to those fields of a refused object that have no error so far, if the type can be read
/// without the others. Violations of rules are reported together with violations of the schema.
fn check_rest(
    target: &mut dyn Reading,
    part: &'static str,
    mut value: Value,
    mode: Mode,
    faults: &mut Vec<Fault>,
) {
    let Value::Object(fields) = &mut value else { return };
    let faulty: HashSet<String> =
        faults.iter().filter_map(|fault| fault.loc.get(1)).map(ToString::to_string).collect();
    fields.retain(|name, _| !faulty.contains(name));
    let mut rules = Faults::new(part);
    let found = match target.read(&value, &Document::new(mode), &mut rules) {
        Ok(()) => rules.into_vec(),
        Err(error) => vec![error.into_fault(part)],
    };
    let is_new = |fault: &Fault| fault.loc.get(1).is_some_and(|field| !faulty.contains(&field.to_string()));
    faults.extend(found.into_iter().filter(is_new));
}

/// A value that is checked against a [`Contract`].
struct Body {
    part: &'static str,
    value: Value,
    /// The length in bytes of its text.
    size: usize,
    /// Fields whose texts are measured without surrounding whitespace.
    trimmed: &'static [&'static str],
}
