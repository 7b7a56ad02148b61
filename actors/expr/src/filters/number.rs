//! Filters for numbers.

use serde_json::Value;

use super::super::args::FilterArgs;
use super::super::budget::Budget;
use super::super::error::TemplateError;
use super::super::operators::Num;
use super::super::val::{Val, kind};
use super::filter::{Filter, Outcome, alone, own};

pub(super) const FILTERS: &[Filter] = &[
    Filter { name: "round", apply: round },
    Filter { name: "abs", apply: abs },
    Filter { name: "int", apply: int },
    Filter { name: "float", apply: float },
];

fn number(input: &Val<'_>) -> Outcome<Num> {
    Num::from_value(input.json()).ok_or_else(|| TemplateError(format!("{} is no number", kind(input.json()))))
}

fn round<'a>(input: Val<'a>, mut args: FilterArgs<'a>, _: &mut Budget) -> Outcome<Val<'a>> {
    let (precision, method) = (args.take("precision"), args.take("method"));
    args.finish()?;
    let precision = match precision.json() {
        Value::Null => 0,
        value => value
            .as_i64()
            .and_then(|places| i32::try_from(places).ok())
            .filter(|places| (-15..=15).contains(places))
            .ok_or_else(|| TemplateError("the precision is a number from -15 to 15".into()))?,
    };
    let number = number(&input)?;
    if let (Num::Int(_), 0..) = (number, precision) {
        return Ok(input);
    }
    let scale = 10f64.powi(precision);
    let scaled = number.float() * scale;
    let rounded = match method.json() {
        Value::Null => scaled.round(),
        Value::String(method) if method == "common" => scaled.round(),
        Value::String(method) if method == "ceil" => scaled.ceil(),
        Value::String(method) if method == "floor" => scaled.floor(),
        _ => return Err(TemplateError("the method is `common`, `ceil` or `floor`".into())),
    };
    Num::Float(rounded / scale).json().map(Val::Own)
}

fn abs<'a>(input: Val<'a>, args: FilterArgs<'a>, _: &mut Budget) -> Outcome<Val<'a>> {
    alone(args)?;
    let number = match number(&input)? {
        Num::Int(int) => Num::Int(int.abs()),
        Num::Float(float) => Num::Float(float.abs()),
    };
    number.json().map(Val::Own)
}

/// Converts to an integer by truncation. A text is parsed as a number first.
fn int<'a>(input: Val<'a>, mut args: FilterArgs<'a>, _: &mut Budget) -> Outcome<Val<'a>> {
    let default = args.take("default");
    args.finish()?;
    let number = match input.json() {
        Value::Bool(truth) => Some(Num::Int(i128::from(*truth))),
        Value::String(text) => {
            let text = text.trim();
            let whole = text.parse().ok().map(Num::Int);
            whole.or_else(|| text.parse().ok().map(Num::Float))
        }
        value => Num::from_value(value),
    };
    match number {
        Some(Num::Float(float)) if float.is_finite() => Num::Int(float.trunc() as i128).json().map(Val::Own),
        Some(Num::Int(int)) => Num::Int(int).json().map(Val::Own),
        _ => otherwise(input, default),
    }
}

fn float<'a>(input: Val<'a>, mut args: FilterArgs<'a>, _: &mut Budget) -> Outcome<Val<'a>> {
    let default = args.take("default");
    args.finish()?;
    let number = match input.json() {
        Value::Bool(truth) => Some(f64::from(u8::from(*truth))),
        Value::String(text) => text.trim().parse().ok(),
        value => Num::from_value(value).map(Num::float),
    };
    match number.filter(|number| number.is_finite()) {
        Some(number) => own(number),
        None => otherwise(input, default),
    }
}

fn otherwise<'a>(input: Val<'a>, default: Val<'a>) -> Outcome<Val<'a>> {
    if matches!(default, Val::Undefined) {
        return Err(TemplateError(format!("{} says no number", kind(input.json()))));
    }
    Ok(default)
}
