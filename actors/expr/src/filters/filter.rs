//! The definition of a filter, and how filters read their arguments.

use serde_json::Value;

use super::super::args::FilterArgs;
use super::super::budget::Budget;
use super::super::error::TemplateError;
use super::super::val::Val;

pub(super) type Outcome<T> = Result<T, TemplateError>;

/// The function that applies a filter to its input.
pub(super) type Apply = for<'a> fn(Val<'a>, FilterArgs<'a>, &mut Budget) -> Outcome<Val<'a>>;

/// A filter, which is applied with `|`.
pub(in super::super) struct Filter {
    pub name: &'static str,
    pub apply: Apply,
}

/// Fails if there are any arguments.
pub(super) fn alone(args: FilterArgs<'_>) -> Outcome<()> {
    args.finish()
}

pub(super) fn own<'a>(value: impl Into<Value>) -> Outcome<Val<'a>> {
    Ok(Val::Own(value.into()))
}

/// Reads a non-negative integer argument. Returns `or` if it is absent.
pub(super) fn size(value: &Val<'_>, or: usize) -> Outcome<usize> {
    match value.json() {
        Value::Null => Ok(or),
        number => number
            .as_u64()
            .and_then(|number| usize::try_from(number).ok())
            .ok_or_else(|| TemplateError("takes a whole number that is not negative".into())),
    }
}

/// Returns the part of a value at a path such as `address.city` or `0.name`.
pub(super) fn part<'a>(value: Val<'a>, path: &str, budget: &mut Budget) -> Outcome<Val<'a>> {
    let mut value = value;
    for step in path.split('.') {
        budget.steps(1)?;
        value = match step.parse::<i64>() {
            Ok(index) if value.json().is_array() => value.item(index, budget)?,
            _ => value.field(step, budget)?,
        };
    }
    Ok(value)
}
