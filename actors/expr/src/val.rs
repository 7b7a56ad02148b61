//! Intermediate values of an evaluation, which mostly borrow from the input.

use std::borrow::Cow;
use std::rc::Rc;

use serde_json::Value;

use super::budget::Budget;
use super::error::TemplateError;

static NULL: Value = Value::Null;

/// An intermediate value of an evaluation.
#[derive(Clone, Debug)]
pub(super) enum Val<'a> {
    /// A value that does not exist.
    Undefined,
    /// Part of the input.
    Borrowed(&'a Value),
    /// Created by the evaluation.
    Own(Value),
    /// Created by the evaluation, and shared because it has a name.
    Named(Rc<Value>),
}

impl<'a> Val<'a> {
    /// The value as JSON. Undefined is null.
    pub fn json(&self) -> &Value {
        match self {
            Self::Undefined => &NULL,
            Self::Borrowed(value) => value,
            Self::Own(value) => value,
            Self::Named(value) => value,
        }
    }

    /// Whether the value is undefined or null.
    pub fn is_nothing(&self) -> bool {
        self.json().is_null()
    }

    pub fn into_json(self, budget: &mut Budget) -> Result<Value, TemplateError> {
        match self {
            Self::Undefined => Ok(Value::Null),
            Self::Borrowed(value) => budget.copy(value, 0),
            Self::Own(value) => Ok(value),
            Self::Named(value) => match Rc::try_unwrap(value) {
                Ok(value) => Ok(value),
                Err(shared) => budget.copy(&shared, 0),
            },
        }
    }

    /// Makes the value cheap to clone.
    pub fn named(self) -> Self {
        match self {
            Self::Own(value) => Self::Named(Rc::new(value)),
            other => other,
        }
    }

    /// Returns the field with this name.
    pub fn field(self, name: &str, budget: &mut Budget) -> Result<Self, TemplateError> {
        let found = match self {
            Self::Borrowed(value) => return Ok(value.get(name).map_or(Self::Undefined, Self::Borrowed)),
            Self::Own(Value::Object(mut fields)) => fields.remove(name).map(Ok),
            Self::Named(value) => value.get(name).map(|field| budget.copy(field, 0)),
            Self::Own(_) | Self::Undefined => None,
        };
        found.transpose().map(|found| found.map_or(Self::Undefined, Self::Own))
    }

    /// Returns the item at an index, or the character of a text. A negative index counts from the end.
    pub fn item(self, index: i64, budget: &mut Budget) -> Result<Self, TemplateError> {
        let place = |len: usize| match usize::try_from(index) {
            Ok(index) => Some(index),
            Err(_) => usize::try_from(index.unsigned_abs()).ok().and_then(|back| len.checked_sub(back)),
        };
        if let Value::String(text) = self.json() {
            budget.read(text.len())?;
            let found =
                place(if index < 0 { text.chars().count() } else { 0 }).and_then(|at| text.chars().nth(at));
            return Ok(found.map_or(Self::Undefined, |found| Self::Own(Value::from(found.to_string()))));
        }
        let Some(place) = self.json().as_array().and_then(|items| place(items.len())) else {
            return Ok(Self::Undefined);
        };
        let found = match self {
            Self::Borrowed(value) => return Ok(value.get(place).map_or(Self::Undefined, Self::Borrowed)),
            Self::Own(Value::Array(mut items)) if place < items.len() => Some(Ok(items.swap_remove(place))),
            Self::Named(value) => value.get(place).map(|item| budget.copy(item, 0)),
            Self::Own(_) | Self::Undefined => None,
        };
        found.transpose().map(|found| found.map_or(Self::Undefined, Self::Own))
    }

    /// Returns the contents: items of a list, keys of an object, characters of a text. Null has none.
    pub fn items(self, budget: &mut Budget) -> Result<Vec<Self>, TemplateError> {
        let own = |value: Value| Self::Own(value);
        match self.json() {
            Value::Array(items) => budget.values(items.len())?,
            Value::Object(fields) => budget.values(fields.len())?,
            Value::String(text) => budget.values(text.len())?,
            Value::Null => return Ok(Vec::new()),
            other => return Err(TemplateError(format!("{} has no items", kind(other)))),
        }
        match self {
            Self::Borrowed(Value::Array(items)) => Ok(items.iter().map(Self::Borrowed).collect()),
            Self::Own(Value::Array(items)) => Ok(items.into_iter().map(own).collect()),
            other => match other.json() {
                Value::Array(items) => {
                    items.iter().map(|item| budget.copy(item, 0).map(own)).collect::<Result<_, _>>()
                }
                Value::Object(fields) => {
                    Ok(fields.keys().map(|name| own(Value::from(name.as_str()))).collect())
                }
                Value::String(text) => Ok(text.chars().map(|c| own(Value::from(c.to_string()))).collect()),
                _ => Ok(Vec::new()),
            },
        }
    }

    /// Creates a list of values.
    pub fn list(items: Vec<Self>, budget: &mut Budget) -> Result<Self, TemplateError> {
        budget.values(items.len())?;
        let items = items.into_iter().map(|item| item.into_json(budget));
        Ok(Self::Own(Value::Array(items.collect::<Result<_, _>>()?)))
    }

    /// Whether the value counts as true in a condition.
    pub fn is_true(&self) -> bool {
        match self.json() {
            Value::Null => false,
            Value::Bool(truth) => *truth,
            Value::Number(number) => number.as_f64() != Some(0.0),
            Value::String(text) => !text.is_empty(),
            Value::Array(items) => !items.is_empty(),
            Value::Object(fields) => !fields.is_empty(),
        }
    }

    /// Converts the value to text: lists and objects as JSON, null as an empty text.
    pub fn text(&self, budget: &mut Budget) -> Result<Cow<'_, str>, TemplateError> {
        Ok(match self.json() {
            Value::String(text) => {
                budget.read(text.len())?;
                Cow::Borrowed(text)
            }
            Value::Null => Cow::Borrowed(""),
            Value::Bool(true) => Cow::Borrowed("true"),
            Value::Bool(false) => Cow::Borrowed("false"),
            Value::Number(number) => Cow::Owned(number.to_string()),
            composed => Cow::Owned(super::operators::to_json(composed, None, budget)?),
        })
    }
}

/// Describes the type of a value for people: `a number`.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
