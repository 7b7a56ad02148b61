//! The parameters of an installation.

use serde_json::{Map, Value};

use super::{Manifest, ParameterKind, Setting};

/// Longest text, in characters.
const LONGEST: usize = 10_000;

impl Setting {
    /// Holds a value against the parameter.
    ///
    /// # Errors
    /// What is wrong with it, to be read after its name.
    pub fn check(&self, value: &Value) -> Result<(), String> {
        let (fits, kind) = match self.kind {
            ParameterKind::String => (value.is_string(), "a text"),
            ParameterKind::Integer => (value.is_i64() || value.is_u64(), "a whole number"),
            ParameterKind::Number => (value.is_number(), "a number"),
            ParameterKind::Boolean => (value.is_boolean(), "true or false"),
        };
        if !fits {
            return Err(format!("must be {kind}"));
        }
        if !self.choices.is_empty() && !self.choices.contains(value) {
            let choices: Vec<_> = self.choices.iter().map(ToString::to_string).collect();
            return Err(format!("must be one of {}", choices.join(", ")));
        }
        let number = value.as_f64();
        if let Some(least) = self.minimum.filter(|least| number.is_some_and(|number| number < *least)) {
            return Err(format!("must be at least {least}"));
        }
        if let Some(most) = self.maximum.filter(|most| number.is_some_and(|number| number > *most)) {
            return Err(format!("must be at most {most}"));
        }
        match value.as_str().is_some_and(|text| text.chars().count() > LONGEST) {
            true => Err(format!("has more than {LONGEST} characters")),
            false => Ok(()),
        }
    }
}

/// A parameter's name, with what is wrong in words and for machines.
pub type Unfit = (String, String, &'static str);

impl Manifest {
    /// The value of every parameter: what was given, else its default.
    ///
    /// # Errors
    /// What is wrong, each with the parameter's name, in words and for machines.
    pub fn settle(&self, values: &Map<String, Value>) -> Result<Map<String, Value>, Vec<Unfit>> {
        let (mut settled, mut faults) = (Map::new(), Vec::new());
        for setting in &self.parameters {
            let value = values.get(&setting.name).or(setting.default.as_ref());
            match value.map(|value| (value, setting.check(value))) {
                Some((value, Ok(()))) => drop(settled.insert(setting.name.clone(), value.clone())),
                Some((_, Err(why))) => faults.push((setting.name.clone(), why, "out_of_range")),
                None => faults.push((setting.name.clone(), "is required".to_owned(), "missing")),
            }
        }
        for name in values.keys().filter(|name| !self.parameters.iter().any(|known| known.name == **name)) {
            faults.push((name.clone(), "the package has no such parameter".to_owned(), "unknown"));
        }
        if faults.is_empty() { Ok(settled) } else { Err(faults) }
    }
}
