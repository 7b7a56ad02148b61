//! Faults of a graph, and a JSON reader that collects all faults instead of stopping at the first.

use runs::GraphFault;
use runs::event::ValueType;
use serde_json::{Map, Value};

/// A location in the graph, as a path of names and indexes.
#[derive(Clone, Debug, Default)]
pub(super) struct Loc(Vec<String>);

impl Loc {
    pub fn new<const N: usize>(parts: [&str; N]) -> Self {
        Self(parts.map(String::from).to_vec())
    }

    pub fn at(&self, part: impl ToString) -> Self {
        let mut parts = self.0.clone();
        parts.push(part.to_string());
        Self(parts)
    }
}

/// The faults found so far.
#[derive(Debug, Default)]
pub(super) struct Faults(Vec<GraphFault>);

impl Faults {
    pub fn add(&mut self, loc: &Loc, kind: &'static str, msg: impl Into<String>) {
        self.0.push(GraphFault { loc: loc.0.clone(), msg: msg.into(), kind });
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn into_vec(self) -> Vec<GraphFault> {
        self.0
    }
}

/// The fields of an object. Fields that are never read are reported as unknown.
pub(super) struct Fields<'v, 'f> {
    map: Option<&'v Map<String, Value>>,
    pub loc: Loc,
    pub faults: &'f mut Faults,
    known: Vec<&'static str>,
}

impl<'v, 'f> Fields<'v, 'f> {
    /// Reads the fields of a value that must be an object. A missing or null value has no fields.
    pub fn read(value: Option<&'v Value>, loc: Loc, faults: &'f mut Faults) -> Self {
        let map = match value {
            None | Some(Value::Null) => None,
            Some(Value::Object(map)) => Some(map),
            Some(_) => {
                faults.add(&loc, "wrong_type", "must be an object");
                None
            }
        };
        Self { map, loc, faults, known: Vec::new() }
    }

    /// Returns a field. A null value counts as missing.
    pub fn get(&mut self, name: &'static str) -> Option<&'v Value> {
        self.raw(name).filter(|value| !value.is_null())
    }

    /// Returns a field, which may be null.
    pub fn raw(&mut self, name: &'static str) -> Option<&'v Value> {
        self.known.push(name);
        self.map?.get(name)
    }

    pub fn fault(&mut self, name: &str, kind: &'static str, msg: impl Into<String>) {
        let loc = self.loc.at(name);
        self.faults.add(&loc, kind, msg);
    }

    pub fn missing(&mut self, name: &str) {
        self.fault(name, "missing", "is missing");
    }

    fn typed<T>(
        &mut self,
        name: &'static str,
        what: &str,
        read: impl Fn(&'v Value) -> Option<T>,
    ) -> Option<T> {
        let value = self.get(name)?;
        let read = read(value);
        if read.is_none() {
            self.fault(name, "wrong_type", format!("must be {what}"));
        }
        read
    }

    pub fn string(&mut self, name: &'static str) -> Option<&'v str> {
        self.typed(name, "a string", Value::as_str)
    }

    /// Returns a string that must be present and not empty.
    pub fn filled(&mut self, name: &'static str) -> Option<&'v str> {
        let is_present = self.get(name).is_some();
        match self.string(name) {
            Some("") => self.fault(name, "missing", "is empty"),
            None if !is_present => self.missing(name),
            other => return other,
        }
        None
    }

    pub fn boolean(&mut self, name: &'static str) -> bool {
        self.typed(name, "true or false", Value::as_bool).unwrap_or_default()
    }

    pub fn array(&mut self, name: &'static str) -> &'v [Value] {
        self.typed(name, "a list", |value| value.as_array().map(Vec::as_slice)).unwrap_or_default()
    }

    pub fn object(&mut self, name: &'static str) -> Option<&'v Map<String, Value>> {
        self.typed(name, "an object", Value::as_object)
    }

    /// Reads a whole number between `least` and `most`.
    pub fn integer(&mut self, name: &'static str, least: u64, most: u64) -> Option<u64> {
        let number = self.typed(name, "a whole number, not negative", Value::as_u64)?;
        if (least..=most).contains(&number) {
            return Some(number);
        }
        self.fault(name, "out_of_range", format!("must be {least} to {most}"));
        None
    }

    /// Reads a number between `least` and `most`.
    pub fn number(&mut self, name: &'static str, least: f64, most: f64) -> Option<f64> {
        let number = self.typed(name, "a number", Value::as_f64)?;
        if (least..=most).contains(&number) {
            return Some(number);
        }
        self.fault(name, "out_of_range", format!("must be {least} to {most}"));
        None
    }

    /// Reads one of the listed names and returns its value.
    pub fn one_of<T: Copy>(&mut self, name: &'static str, names: &[(&str, T)]) -> Option<T> {
        let text = self.string(name)?;
        let found = names.iter().find(|(name, _)| *name == text).map(|(_, value)| *value);
        if found.is_none() {
            let names: Vec<_> = names.iter().map(|(name, _)| *name).collect();
            self.fault(name, "unknown_value", format!("must be one of {}", names.join(", ")));
        }
        found
    }

    pub fn value_type(&mut self, name: &'static str) -> Option<ValueType> {
        self.one_of(name, &ValueType::ALL.map(|kind| (kind.name(), kind)))
    }

    /// Reads a list of non-empty strings.
    pub fn strings(&mut self, name: &'static str) -> Vec<String> {
        let mut strings = Vec::new();
        for (at, value) in self.array(name).iter().enumerate() {
            match value.as_str() {
                Some(string) if !string.is_empty() => strings.push(string.to_owned()),
                _ => {
                    let loc = self.loc.at(name).at(at);
                    self.faults.add(&loc, "wrong_type", "must be a string that is not empty");
                }
            }
        }
        strings
    }

    /// Adds a fault for each unknown field.
    pub fn finish(self) {
        for name in self.map.into_iter().flat_map(Map::keys) {
            if !self.known.contains(&name.as_str()) {
                self.faults.add(&self.loc.at(name), "unknown_field", "there is no such field");
            }
        }
    }
}

/// Whether a name can be used in an expression: 1 to 64 letters, digits and `_`, not starting with a digit.
pub(super) fn is_name(name: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    (1..=64).contains(&name.len())
        && name.starts_with(letter)
        && name.chars().all(|c| letter(c) || c.is_ascii_digit())
}

/// Whether a name can be a port: 1 to 64 letters, digits, `_`, `-`, `.` and inner spaces.
pub(super) fn is_port(name: &str) -> bool {
    (1..=64).contains(&name.chars().count())
        && name.trim() == name
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ' '))
}
