//! Operators on JSON values: lossless arithmetic, equality, order, and text.

use std::cmp::Ordering;
use std::io;

use serde_json::{Number, Value};

use super::budget::{Budget, TEXT, too_long};
use super::error::TemplateError;
use super::val::{Val, kind};

/// A binary operator, which always evaluates both operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    FloorDiv,
    Rem,
    Pow,
    Concat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    In,
    NotIn,
}

type Outcome<T> = Result<T, TemplateError>;

/// A number. Integers stay integers as long as possible.
#[derive(Clone, Copy, Debug)]
pub(super) enum Num {
    Int(i128),
    Float(f64),
}

impl Num {
    pub fn from_value(value: &Value) -> Option<Self> {
        let number = value.as_number()?;
        let int = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
        int.map(Self::Int).or_else(|| number.as_f64().map(Self::Float))
    }

    pub fn float(self) -> f64 {
        match self {
            Self::Int(int) => int as f64,
            Self::Float(float) => float,
        }
    }

    pub fn json(self) -> Outcome<Value> {
        let number = match self {
            Self::Int(int) => {
                i64::try_from(int).map(Number::from).or_else(|_| u64::try_from(int).map(Number::from)).ok()
            }
            Self::Float(float) => Number::from_f64(float),
        };
        number
            .map(Value::Number)
            .ok_or_else(|| TemplateError("the result is too large a number, or none".into()))
    }
}

pub(super) fn negate(value: &Value) -> Outcome<Value> {
    match Num::from_value(value) {
        Some(Num::Int(int)) => Num::Int(-int).json(),
        Some(Num::Float(float)) => Num::Float(-float).json(),
        None => Err(TemplateError(format!("`-` cannot be applied to {}", kind(value)))),
    }
}

pub(super) fn binary<'a>(op: Binary, left: Val<'a>, right: Val<'a>, budget: &mut Budget) -> Outcome<Val<'a>> {
    if op == Binary::Concat {
        let (left, right) = (left.text(budget)?.into_owned(), right.text(budget)?.into_owned());
        return join(&left, &right, budget);
    }
    if let (Some(a), Some(b)) = (Num::from_value(left.json()), Num::from_value(right.json())) {
        return arithmetic(op, a, b)?.json().map(Val::Own);
    }
    match (op, left.json(), right.json()) {
        (Binary::Add, Value::String(a), Value::String(b)) => join(a, b, budget),
        (Binary::Add, Value::Array(_), Value::Array(_)) => {
            let mut items = left.items(budget)?;
            items.extend(right.items(budget)?);
            Val::list(items, budget)
        }
        (Binary::Mul, Value::String(text), times) | (Binary::Mul, times, Value::String(text)) => {
            let times = times.as_u64().and_then(|times| usize::try_from(times).ok());
            let times =
                times.ok_or_else(|| TemplateError("a string is repeated a whole number of times".into()))?;
            budget.text(text.len().saturating_mul(times))?;
            Ok(Val::Own(Value::from(text.repeat(times))))
        }
        (_, left, right) => {
            let why = format!("`{}` cannot be applied to {} and {}", sign(op), kind(left), kind(right));
            Err(TemplateError(why))
        }
    }
}

fn join<'a>(left: &str, right: &str, budget: &mut Budget) -> Outcome<Val<'a>> {
    budget.text(left.len() + right.len())?;
    Ok(Val::Own(Value::from([left, right].concat())))
}

fn arithmetic(op: Binary, left: Num, right: Num) -> Outcome<Num> {
    let zero = || TemplateError("division by zero".into());
    let large = || TemplateError("the result is too large a number".into());
    let (Num::Int(a), Num::Int(b)) = (left, right) else {
        return float_arithmetic(op, left.float(), right.float()).map(Num::Float);
    };
    match op {
        Binary::Add => a.checked_add(b).map(Num::Int).ok_or_else(large),
        Binary::Sub => a.checked_sub(b).map(Num::Int).ok_or_else(large),
        Binary::Mul => a.checked_mul(b).map(Num::Int).ok_or_else(large),
        Binary::FloorDiv if b == 0 => Err(zero()),
        Binary::Rem if b == 0 => Err(zero()),
        Binary::FloorDiv => Ok(Num::Int(a.div_euclid(b))),
        Binary::Rem => Ok(Num::Int(a.rem_euclid(b))),
        Binary::Pow => match u32::try_from(b) {
            Ok(b) => a.checked_pow(b).map(Num::Int).ok_or_else(large),
            Err(_) => float_arithmetic(op, a as f64, b as f64).map(Num::Float),
        },
        Binary::Div | Binary::Concat => float_arithmetic(op, a as f64, b as f64).map(Num::Float),
    }
}

fn float_arithmetic(op: Binary, a: f64, b: f64) -> Outcome<f64> {
    if b == 0.0 && matches!(op, Binary::Div | Binary::FloorDiv | Binary::Rem) {
        return Err(TemplateError("division by zero".into()));
    }
    Ok(match op {
        Binary::Add => a + b,
        Binary::Sub => a - b,
        Binary::Mul => a * b,
        Binary::Div | Binary::Concat => a / b,
        Binary::FloorDiv => a.div_euclid(b),
        Binary::Rem => a.rem_euclid(b),
        Binary::Pow => a.powf(b),
    })
}

const fn sign(op: Binary) -> &'static str {
    match op {
        Binary::Add => "+",
        Binary::Sub => "-",
        Binary::Mul => "*",
        Binary::Div => "/",
        Binary::FloorDiv => "//",
        Binary::Rem => "%",
        Binary::Pow => "**",
        Binary::Concat => "~",
    }
}

/// Compares two values. Null is neither less nor greater than anything.
pub(super) fn compare(how: Comparison, left: &Value, right: &Value, budget: &mut Budget) -> Outcome<bool> {
    match how {
        Comparison::Eq => equal(left, right, budget),
        Comparison::Ne => equal(left, right, budget).map(|equal| !equal),
        Comparison::In => contains(right, left, budget),
        Comparison::NotIn => contains(right, left, budget).map(|found| !found),
        _ if left.is_null() || right.is_null() => Ok(false),
        _ if std::mem::discriminant(left) != std::mem::discriminant(right) => {
            Err(TemplateError(format!("{} cannot be compared with {}", kind(left), kind(right))))
        }
        _ => {
            let order = order(left, right, budget)?;
            Ok(match how {
                Comparison::Lt => order.is_lt(),
                Comparison::Le => order.is_le(),
                Comparison::Gt => order.is_gt(),
                _ => order.is_ge(),
            })
        }
    }
}

/// Whether two values are equal. `1` and `1.0` are equal.
pub(super) fn equal(left: &Value, right: &Value, budget: &mut Budget) -> Outcome<bool> {
    budget.steps(1)?;
    match (left, right) {
        (Value::Number(_), Value::Number(_)) => Ok(number_order(left, right).is_eq()),
        (Value::String(a), Value::String(b)) => {
            budget.read(if a.len() == b.len() { a.len() } else { 0 })?;
            Ok(a == b)
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (a, b) in a.iter().zip(b) {
                if !equal(a, b, budget)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (Value::Object(a), Value::Object(b)) if a.len() == b.len() => {
            for (name, a) in a {
                match b.get(name) {
                    Some(b) if equal(a, b, budget)? => {}
                    _ => return Ok(false),
                }
            }
            Ok(true)
        }
        (Value::Array(_) | Value::Object(_), _) => Ok(false),
        _ => Ok(left == right),
    }
}

/// Total order of values: null, booleans, numbers, strings, arrays, objects.
pub(super) fn order(left: &Value, right: &Value, budget: &mut Budget) -> Outcome<Ordering> {
    budget.steps(1)?;
    Ok(match (left, right) {
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::Number(_), Value::Number(_)) => number_order(left, right),
        (Value::String(a), Value::String(b)) => {
            budget.read(a.len().min(b.len()))?;
            a.cmp(b)
        }
        (Value::Array(a), Value::Array(b)) => {
            for (a, b) in a.iter().zip(b) {
                let order = order(a, b, budget)?;
                if order.is_ne() {
                    return Ok(order);
                }
            }
            a.len().cmp(&b.len())
        }
        (Value::Object(a), Value::Object(b)) => {
            for ((a_name, a), (b_name, b)) in a.iter().zip(b) {
                let order = a_name.cmp(b_name).then(order(a, b, budget)?);
                if order.is_ne() {
                    return Ok(order);
                }
            }
            a.len().cmp(&b.len())
        }
        _ => rank(left).cmp(&rank(right)),
    })
}

/// Exact order of two numbers. Lists are sorted by it, and an order with cycles, which results if large numbers are
/// rounded in only some of the comparisons, makes sorting panic.
fn number_order(left: &Value, right: &Value) -> Ordering {
    let mixed = |int: i128, float: f64| {
        let whole = float.trunc();
        int.cmp(&(whole as i128)).then_with(|| 0.0.partial_cmp(&(float - whole)).unwrap_or(Ordering::Equal))
    };
    match (Num::from_value(left), Num::from_value(right)) {
        (Some(Num::Int(a)), Some(Num::Int(b))) => a.cmp(&b),
        (Some(Num::Int(a)), Some(Num::Float(b))) => mixed(a, b),
        (Some(Num::Float(a)), Some(Num::Int(b))) => mixed(b, a).reverse(),
        (Some(Num::Float(a)), Some(Num::Float(b))) => a.partial_cmp(&b).unwrap_or(Ordering::Equal),
        (a, b) => a.is_some().cmp(&b.is_some()),
    }
}

const fn rank(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Number(_) => 2,
        Value::String(_) => 3,
        Value::Array(_) => 4,
        Value::Object(_) => 5,
    }
}

/// Whether a value is contained in a text, in a list, or in the keys of an object.
pub(super) fn contains(container: &Value, sought: &Value, budget: &mut Budget) -> Outcome<bool> {
    match (container, sought) {
        (Value::Null, _) => Ok(false),
        (Value::String(text), Value::String(part)) => {
            budget.read(text.len())?;
            Ok(text.contains(part.as_str()))
        }
        (Value::Object(fields), Value::String(name)) => Ok(fields.contains_key(name)),
        (Value::Array(items), sought) => {
            for item in items {
                if equal(item, sought, budget)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        _ => Err(TemplateError(format!("{} cannot be in {}", kind(sought), kind(container)))),
    }
}

/// Serializes a value as JSON. `indent` is the number of spaces per level for human-readable output.
pub(super) fn to_json(value: &Value, indent: Option<usize>, budget: &mut Budget) -> Outcome<String> {
    use serde::Serialize;
    let mut out = Capped(Vec::new());
    let written = match indent {
        None => serde_json::to_writer(&mut out, value),
        Some(indent) => {
            let indent = " ".repeat(indent.min(8));
            let formatter = serde_json::ser::PrettyFormatter::with_indent(indent.as_bytes());
            value.serialize(&mut serde_json::Serializer::with_formatter(&mut out, formatter))
        }
    };
    written.map_err(|_| too_long())?;
    budget.text(out.0.len())?;
    String::from_utf8(out.0).map_err(|error| TemplateError(error.to_string()))
}

/// A buffer that fails beyond the maximum length of a text.
struct Capped(Vec<u8>);

impl io::Write for Capped {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > TEXT {
            return Err(io::Error::other("too long"));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
