//! Tests of values, which are applied with `is`.

use serde_json::Value;

use super::super::args::FilterArgs;
use super::super::budget::Budget;
use super::super::error::TemplateError;
use super::super::operators::{Comparison, Num, compare};
use super::super::val::{Val, kind};
use super::filter::Outcome;

/// The function that applies a test to its input.
type Predicate = for<'a> fn(&Val<'a>, FilterArgs<'a>, &mut Budget) -> Outcome<bool>;

/// A test, which is applied with `is`.
pub(in super::super) struct Test {
    pub name: &'static str,
    pub holds: Predicate,
}

/// Looks up a test by its name.
pub(in super::super) fn test(name: &str) -> Option<&'static Test> {
    TESTS.iter().find(|test| test.name == name)
}

/// Defines a test that takes no arguments.
macro_rules! plain {
    ($name:literal, $value:ident => $holds:expr) => {
        Test {
            name: $name,
            holds: |value, args, _| {
                args.finish()?;
                let $value = value.json();
                Ok($holds)
            },
        }
    };
}

/// Defines a test that compares its input with an argument.
macro_rules! comparing {
    ($name:literal, $how:ident) => {
        Test {
            name: $name,
            holds: |value, mut args, budget| {
                let other = args.take("other");
                args.finish()?;
                compare(Comparison::$how, value.json(), other.json(), budget)
            },
        }
    };
}

const TESTS: &[Test] = &[
    Test {
        name: "defined",
        holds: |value, args, _| args.finish().map(|()| !matches!(value, Val::Undefined)),
    },
    Test {
        name: "undefined",
        holds: |value, args, _| args.finish().map(|()| matches!(value, Val::Undefined)),
    },
    plain!("none", value => value.is_null()),
    plain!("true", value => value == &Value::Bool(true)),
    plain!("false", value => value == &Value::Bool(false)),
    plain!("boolean", value => value.is_boolean()),
    plain!("number", value => value.is_number()),
    plain!("integer", value => value.is_i64() || value.is_u64()),
    plain!("int", value => value.is_i64() || value.is_u64()),
    plain!("float", value => value.is_f64()),
    plain!("string", value => value.is_string()),
    plain!("sequence", value => value.is_array()),
    plain!("iterable", value => value.is_array() || value.is_object() || value.is_string()),
    plain!("mapping", value => value.is_object()),
    Test {
        name: "odd",
        holds: |value, args, _| args.finish().and_then(|()| remainder(value.json(), 2)).map(|rest| rest == 1),
    },
    Test {
        name: "even",
        holds: |value, args, _| args.finish().and_then(|()| remainder(value.json(), 2)).map(|rest| rest == 0),
    },
    Test { name: "divisibleby", holds: divisible_by },
    Test {
        name: "startingwith",
        holds: |value, args, budget| pair(value, args, budget, |text, part| text.starts_with(part)),
    },
    Test {
        name: "endingwith",
        holds: |value, args, budget| pair(value, args, budget, |text, part| text.ends_with(part)),
    },
    comparing!("eq", Eq),
    comparing!("equalto", Eq),
    comparing!("sameas", Eq),
    comparing!("==", Eq),
    comparing!("ne", Ne),
    comparing!("!=", Ne),
    comparing!("lt", Lt),
    comparing!("lessthan", Lt),
    comparing!("<", Lt),
    comparing!("le", Le),
    comparing!("<=", Le),
    comparing!("gt", Gt),
    comparing!("greaterthan", Gt),
    comparing!(">", Gt),
    comparing!("ge", Ge),
    comparing!(">=", Ge),
    comparing!("in", In),
];

fn remainder(value: &Value, by: i128) -> Outcome<i128> {
    match Num::from_value(value) {
        Some(Num::Int(number)) if by != 0 => Ok(number.rem_euclid(by)),
        _ if by == 0 => Err(TemplateError("division by zero".into())),
        _ => Err(TemplateError(format!("{} is no whole number", kind(value)))),
    }
}

fn divisible_by<'a>(value: &Val<'a>, mut args: FilterArgs<'a>, _: &mut Budget) -> Outcome<bool> {
    let by = args.take("num");
    args.finish()?;
    match Num::from_value(by.json()) {
        Some(Num::Int(by)) => remainder(value.json(), by).map(|rest| rest == 0),
        _ => Err(TemplateError("takes a whole number".into())),
    }
}

fn pair<'a>(
    value: &Val<'a>,
    mut args: FilterArgs<'a>,
    budget: &mut Budget,
    holds: impl Fn(&str, &str) -> bool,
) -> Outcome<bool> {
    let part = args.take("other");
    args.finish()?;
    let (text, part) = (value.text(budget)?, part.text(budget)?);
    Ok(holds(&text, &part))
}
