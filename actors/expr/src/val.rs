//! Values while a template is evaluated: mostly parts of what is there already.

use std::borrow::Cow;
use std::rc::Rc;

use serde_json::Value;

use super::budget::Budget;
use super::error::TemplateError;

static NULL: Value = Value::Null;

/// A value while a template is evaluated.
#[derive(Clone, Debug)]
pub(super) enum Val<'a> {
    /// What is not there.
    Undefined,
    /// Part of what was given.
    Borrowed(&'a Value),
    /// Made here.
    Own(Value),
    /// Made here, and it has a name.
    Named(Rc<Value>),
}

impl<'a> Val<'a> {
    /// As JSON; what is undefined is null.
    pub fn json(&self) -> &Value {
        match self {
            Self::Undefined => &NULL,
            Self::Borrowed(value) => value,
            Self::Own(value) => value,
            Self::Named(value) => value,
        }
    }

    /// Undefined or null.
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

    /// So that it can be had several times.
    pub fn named(self) -> Self {
        match self {
            Self::Own(value) => Self::Named(Rc::new(value)),
            other => other,
        }
    }

    /// The field of a name.
    pub fn field(self, name: &str, budget: &mut Budget) -> Result<Self, TemplateError> {
        let found = match self {
            Self::Borrowed(value) => return Ok(value.get(name).map_or(Self::Undefined, Self::Borrowed)),
            Self::Own(Value::Object(mut fields)) => fields.remove(name).map(Ok),
            Self::Named(value) => value.get(name).map(|field| budget.copy(field, 0)),
            Self::Own(_) | Self::Undefined => None,
        };
        found.transpose().map(|found| found.map_or(Self::Undefined, Self::Own))
    }

    /// The item of a place, counted from the end where it is negative; a character of a text.
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

    /// What is in it: items of a list, names of an object, characters of a text, nothing of nothing.
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

    /// A list of values.
    pub fn list(items: Vec<Self>, budget: &mut Budget) -> Result<Self, TemplateError> {
        budget.values(items.len())?;
        let items = items.into_iter().map(|item| item.into_json(budget));
        Ok(Self::Own(Value::Array(items.collect::<Result<_, _>>()?)))
    }

    /// Whether a condition holds that it stands for.
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

    /// As it stands in a text: lists and objects as JSON, nothing as nothing.
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

/// What a value is, for people: `a number`.
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
