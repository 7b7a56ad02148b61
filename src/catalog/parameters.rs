//! Validates the parameters of an installation.

use serde_json::{Map, Value};

use super::{Manifest, ParameterKind, Setting};

/// The maximum length of a text in characters.
const MAX_TEXT_CHARS: usize = 10_000;

impl Setting {
    /// Validates a value of the parameter.
    ///
    /// # Errors
    /// The problem, as a phrase that follows the parameter's name.
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
        match value.as_str().is_some_and(|text| text.chars().count() > MAX_TEXT_CHARS) {
            true => Err(format!("has more than {MAX_TEXT_CHARS} characters")),
            false => Ok(()),
        }
    }
}

/// A parameter's name, with a description of the problem and an error code.
pub type Unfit = (String, String, &'static str);

impl Manifest {
    /// Returns the values of all parameters: the given value, or otherwise the default.
    ///
    /// # Errors
    /// All problems, each with the parameter's name, a description and an error code.
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
