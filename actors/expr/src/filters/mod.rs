//! Filters (`|`) and tests (`is`). Each pays for the bytes that it reads and creates.

mod filter;
mod list;
mod number;
mod tests;
mod text;

use serde_json::Value;

use super::args::FilterArgs;
use super::budget::Budget;
use super::error::TemplateError;
use super::val::{Val, kind};

pub(super) use filter::Filter;
use filter::{Outcome, alone, own, size};
pub(super) use tests::{Test, test};

/// Looks up a filter by its name.
pub(super) fn filter(name: &str) -> Option<&'static Filter> {
    [GENERAL, text::FILTERS, list::FILTERS, number::FILTERS]
        .into_iter()
        .flatten()
        .find(|filter| filter.name == name)
}

/// The names of all filters, for the documentation.
#[cfg(test)]
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    [GENERAL, text::FILTERS, list::FILTERS, number::FILTERS].into_iter().flatten().map(|filter| filter.name)
}

const GENERAL: &[Filter] = &[
    Filter { name: "default", apply: default },
    Filter { name: "d", apply: default },
    Filter { name: "length", apply: length },
    Filter { name: "count", apply: length },
    Filter { name: "tojson", apply: to_json },
    Filter { name: "fromjson", apply: from_json },
    Filter { name: "string", apply: string },
    Filter { name: "bool", apply: boolean },
    Filter { name: "items", apply: items },
    Filter { name: "keys", apply: keys },
    Filter { name: "values", apply: values },
    Filter { name: "dictsort", apply: items },
    Filter { name: "attr", apply: attr },
];

fn default<'a>(input: Val<'a>, mut args: FilterArgs<'a>, _: &mut Budget) -> Outcome<Val<'a>> {
    let (other, falsy) = (args.take("value"), args.take("boolean"));
    args.finish()?;
    let missing = input.is_nothing() || falsy.is_true() && !input.is_true();
    match (missing, other) {
        (true, Val::Undefined) => own(""),
        (true, other) => Ok(other),
        (false, _) => Ok(input),
    }
}

fn length<'a>(input: Val<'a>, args: FilterArgs<'a>, budget: &mut Budget) -> Outcome<Val<'a>> {
    alone(args)?;
    own(match input.json() {
        Value::Null => 0,
        Value::Array(items) => items.len(),
        Value::Object(fields) => fields.len(),
        Value::String(text) => {
            budget.read(text.len())?;
            text.chars().count()
        }
        other => return Err(TemplateError(format!("{} has no length", kind(other)))),
    })
}

fn to_json<'a>(input: Val<'a>, mut args: FilterArgs<'a>, budget: &mut Budget) -> Outcome<Val<'a>> {
    let indent = args.take("indent");
    args.finish()?;
    let indent = match indent.json() {
        Value::Null | Value::Bool(false) => None,
        Value::Bool(true) => Some(2),
        _ => Some(size(&indent, 2)?),
    };
    own(super::operators::to_json(input.json(), indent, budget)?)
}

fn from_json<'a>(input: Val<'a>, args: FilterArgs<'a>, budget: &mut Budget) -> Outcome<Val<'a>> {
    alone(args)?;
    let Value::String(text) = input.json() else {
        return Err(TemplateError(format!("{} is no text", kind(input.json()))));
    };
    // Two bytes can produce one value.
    budget.values(text.len() / 2)?;
    let value: Value =
        serde_json::from_str(text).map_err(|error| TemplateError(format!("is no JSON: {error}")))?;
    Ok(Val::Own(value))
}

fn string<'a>(input: Val<'a>, args: FilterArgs<'a>, budget: &mut Budget) -> Outcome<Val<'a>> {
    alone(args)?;
    if input.json().is_string() {
        return Ok(input);
    }
    let text = input.text(budget)?.into_owned();
    own(text)
}

fn boolean<'a>(input: Val<'a>, args: FilterArgs<'a>, _: &mut Budget) -> Outcome<Val<'a>> {
    alone(args)?;
    own(input.is_true())
}

/// Converts an object to pairs of name and value.
fn items<'a>(input: Val<'a>, args: FilterArgs<'a>, budget: &mut Budget) -> Outcome<Val<'a>> {
    alone(args)?;
    let Value::Object(fields) = input.json() else { return no_object(&input) };
    budget.values(fields.len() * 3)?;
    let mut pairs = Vec::with_capacity(fields.len());
    for (name, field) in fields {
        budget.bytes(name.len())?;
        pairs.push(Value::Array(vec![Value::from(name.as_str()), budget.copy(field, 0)?]));
    }
    own(pairs)
}

fn keys<'a>(input: Val<'a>, args: FilterArgs<'a>, budget: &mut Budget) -> Outcome<Val<'a>> {
    alone(args)?;
    let Value::Object(fields) = input.json() else { return no_object(&input) };
    budget.values(fields.len())?;
    budget.bytes(fields.keys().map(String::len).sum())?;
    own(fields.keys().map(|name| Value::from(name.as_str())).collect::<Vec<_>>())
}

fn values<'a>(input: Val<'a>, args: FilterArgs<'a>, budget: &mut Budget) -> Outcome<Val<'a>> {
    alone(args)?;
    let Value::Object(fields) = input.json() else { return no_object(&input) };
    budget.values(fields.len())?;
    let values = fields.values().map(|field| budget.copy(field, 0));
    own(values.collect::<Outcome<Vec<_>>>()?)
}

fn attr<'a>(input: Val<'a>, mut args: FilterArgs<'a>, budget: &mut Budget) -> Outcome<Val<'a>> {
    let name = args.take("name");
    args.finish()?;
    let name = name.text(budget)?.into_owned();
    input.field(&name, budget)
}

fn no_object<'a>(input: &Val<'_>) -> Outcome<Val<'a>> {
    if input.is_nothing() {
        return own(Vec::<Value>::new());
    }
    Err(TemplateError(format!("{} is no object", kind(input.json()))))
}
