//! Templates: JSON whose texts may contain `{{ expressions }}` over declared values.
//!
//! The syntax is that of minijinja, whose parser is used. Evaluation is implemented here, directly on the JSON values
//! that runs hold: only values that are part of the result are converted or copied, and every step and every byte is
//! paid for from a [`budget::Budget`]. Minijinja's own virtual machine counts only instructions, so a single line of
//! text could exhaust the memory (`{% set a = a ~ a %}`, `'x' * 99999999`).
//!
//! This crate depends on no other crate of the workspace.

#![forbid(unsafe_code)]

mod args;
mod budget;
mod error;
mod filters;
mod lower;
mod operators;
mod program;
mod run;
mod syntax;
#[cfg(test)]
mod tests;
mod val;
mod values;

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use budget::{Budget, DEPTH};
pub use error::TemplateError;
use program::{Program, References};
pub use values::{Reference, Values};

/// JSON whose texts may contain expressions. A text that consists of exactly one expression evaluates to the value of
/// that expression, of any type; any other text with expressions evaluates to a text. Cheap to clone.
#[derive(Clone)]
pub struct Template(Arc<Inner>);

struct Inner {
    source: Value,
    part: Part,
    references: Vec<Reference>,
}

/// A value within a template, including nested values.
enum Part {
    /// A value without expressions.
    Plain(Value),
    List(Vec<Part>),
    Object(Vec<(String, Part)>),
    Program(Program),
}

impl Template {
    pub fn read(value: &Value) -> Result<Self, TemplateError> {
        let mut references = References::default();
        let part = Part::read(value, &mut references, 0)?;
        Ok(Self(Arc::new(Inner { source: value.clone(), part, references: references.into_vec() })))
    }

    /// The values that the template refers to, without duplicates, in the order of first mention.
    pub fn references(&self) -> &[Reference] {
        &self.0.references
    }

    /// Evaluates the template. A reference without an entry in `values` is undefined: an empty text, or null if it is
    /// the whole expression.
    pub fn evaluate(&self, values: &Values) -> Result<Value, TemplateError> {
        self.0.part.evaluate(values, &mut Budget::default(), 0)
    }

    /// The template as its author wrote it.
    pub fn source(&self) -> &Value {
        &self.0.source
    }

    /// The value of the template if it contains no expressions.
    pub fn constant(&self) -> Option<&Value> {
        match &self.0.part {
            Part::Plain(value) => Some(value),
            _ => None,
        }
    }

    /// The reference if the template consists of nothing else: `"{{ write.text }}"`.
    pub fn reference(&self) -> Option<&Reference> {
        match &self.0.part {
            Part::Program(Program::Expression(program::Expr::Path(path))) if path.is_keys() => {
                self.0.references.first()
            }
            _ => None,
        }
    }

    /// Whether the template always evaluates to a text, because it is a text with more than one expression.
    pub fn is_text(&self) -> bool {
        match &self.0.part {
            Part::Plain(value) => value.is_string(),
            Part::Program(program) => matches!(program, Program::Text(_)),
            Part::List(_) | Part::Object(_) => false,
        }
    }

    /// Whether the template always evaluates to an object.
    pub fn is_object(&self) -> bool {
        matches!(&self.0.part, Part::Object(_)) || self.constant().is_some_and(Value::is_object)
    }

    /// Whether the template always evaluates to a list.
    pub fn is_list(&self) -> bool {
        matches!(&self.0.part, Part::List(_)) || self.constant().is_some_and(Value::is_array)
    }
}

/// Total order of values, as used by the filter `sort`: null, booleans, numbers (compared exactly, with or without a
/// fraction), strings, arrays, objects.
pub fn order(left: &Value, right: &Value) -> std::cmp::Ordering {
    operators::order(left, right, &mut Budget::unlimited()).unwrap_or(std::cmp::Ordering::Equal)
}

impl fmt::Debug for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Template({})", self.0.source)
    }
}

impl Part {
    fn read(value: &Value, references: &mut References, depth: usize) -> Result<Self, TemplateError> {
        if depth > DEPTH {
            return Err(TemplateError(format!("is nested deeper than {DEPTH} levels")));
        }
        match value {
            Value::String(text) => Ok(match syntax::read(text, references)? {
                Some(program) => Self::Program(program),
                None => Self::Plain(value.clone()),
            }),
            Value::Array(items) => {
                let read = |item| Self::read(item, references, depth + 1);
                let parts: Vec<Self> = items.iter().map(read).collect::<Result<_, _>>()?;
                let plain = parts.iter().all(Self::is_plain);
                Ok(if plain { Self::Plain(value.clone()) } else { Self::List(parts) })
            }
            Value::Object(fields) => {
                let read = |(name, field): (&String, &Value)| {
                    Ok((name.clone(), Self::read(field, references, depth + 1)?))
                };
                let parts: Vec<(String, Self)> =
                    fields.iter().map(read).collect::<Result<_, TemplateError>>()?;
                let plain = parts.iter().all(|(_, part)| part.is_plain());
                Ok(if plain { Self::Plain(value.clone()) } else { Self::Object(parts) })
            }
            _ => Ok(Self::Plain(value.clone())),
        }
    }

    fn is_plain(&self) -> bool {
        matches!(self, Self::Plain(_))
    }

    fn evaluate(&self, values: &Values, budget: &mut Budget, depth: usize) -> Result<Value, TemplateError> {
        match self {
            Self::Plain(value) => budget.copy(value, depth),
            Self::List(parts) => {
                let each = parts.iter().map(|part| part.evaluate(values, budget, depth + 1));
                Ok(Value::Array(each.collect::<Result<_, _>>()?))
            }
            Self::Object(parts) => {
                let each = parts
                    .iter()
                    .map(|(name, part)| Ok((name.clone(), part.evaluate(values, budget, depth + 1)?)));
                Ok(Value::Object(each.collect::<Result<_, TemplateError>>()?))
            }
            Self::Program(program) => run::evaluate(program, values, budget, depth),
        }
    }
}
