//! Bodies, forms and queries as the types of their operations.
//!
//! A valid one is deserialized once and held against the limits (lengths, ranges, numbers of items, patterns) of its
//! type's JSON schema, the same that the document shows, and against the type's own [`Validate`]. A derived
//! `Deserialize` stops at its first error, so one that does not read is held against the whole schema, once, in order
//! to report everything that is wrong with it; then the fields without a fault are read once more, for `Validate`.

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

/// Faults that are looked for in one value.
const MAX_FAULTS: usize = 50;
/// Bytes of text beyond which only the first violation of the schema is looked for: finding all takes memory for each.
const MAX_THOROUGH: usize = 1024 * 1024;
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
    let mut target = Target::<T>(None);
    let contract = Contract::cached(TypeId::of::<T>(), mode, schema);
    let faults = check(&mut target, &contract, Body { part, value, size, trimmed: T::TRIMMED }, mode);
    match target.0 {
        Some(read) if faults.is_empty() => Ok(read),
        _ => Err(faults),
    }
}

/// What depends on the type that is read, so that everything around it is compiled once.
trait Reading {
    /// Reads a value, and applies the rules of the type to what was read.
    fn read(&mut self, value: &Value, document: &Document, rules: &mut Faults) -> Result<(), ReadError>;

    /// Applies those rules of the type that hold for values it does not read.
    fn check_refused(&self, value: &Value, rules: &mut Faults);
}

/// What was read last.
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

/// Applies the rules of the type to the fields of a refused object that have no fault so far, as far as the type can be
/// read without the others: what the rules refuse is reported together with what the schema refuses.
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
