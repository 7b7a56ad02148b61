//! The `list` node: filters, sorts, slices and maps lists.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use expr::{Template, Values, order};
use serde_json::{Value, json};

use super::{Fields, NodeError, NodeResult, is_true};
use crate::graph::{ListConfig, ListStep};

/// Maximum number of items in a list.
const MAX_ITEMS: usize = 100_000;
/// Maximum time that the evaluation of all templates may take together.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Applies all steps in order.
pub(super) fn run(config: &ListConfig, mut inputs: Fields, values: &Values) -> Result<NodeResult, NodeError> {
    let mut items = match inputs.remove("items") {
        Some(Value::Array(items)) => items,
        Some(Value::Null) | None => Vec::new(),
        Some(_) => return Err(NodeError::new("type_mismatch", "`items` is not a list")),
    };
    if items.len() > MAX_ITEMS {
        return Err(NodeError::new("invalid_input", format!("`items` has more than {MAX_ITEMS} items")));
    }
    let mut scope = Scope { values: values.clone(), deadline: Instant::now() + TIMEOUT };
    for step in &config.steps {
        items = scope.step(step, items)?;
    }
    let (count, first, last) = (items.len(), items.first().cloned(), items.last().cloned());
    let outputs = json!({"items": items, "count": count, "first": first, "last": last});
    match outputs {
        Value::Object(outputs) => Ok(NodeResult::with(outputs)),
        _ => Ok(NodeResult::default()),
    }
}

/// The values that the templates of list steps can read.
struct Scope {
    values: Values,
    deadline: Instant,
}

impl Scope {
    fn step(&mut self, step: &ListStep, items: Vec<Value>) -> Result<Vec<Value>, NodeError> {
        Ok(match step {
            ListStep::Filter(keep) => {
                let verdict = self.each(keep, &items)?;
                items
                    .into_iter()
                    .zip(verdict)
                    .filter(|(_, verdict)| is_true(verdict))
                    .map(|(item, _)| item)
                    .collect()
            }
            ListStep::Map(to) => self.each(to, &items)?,
            ListStep::Unique(by) => {
                let keys = self.each(by, &items)?;
                let mut seen = HashSet::new();
                let new = |(item, key): (Value, Value)| seen.insert(identity(&key)).then_some(item);
                items.into_iter().zip(keys).filter_map(new).collect()
            }
            ListStep::Sort { by, descending } => {
                let keys = self.each(by, &items)?;
                let mut keyed: Vec<(Value, Value)> = keys.into_iter().zip(items).collect();
                // The sort is stable in both directions: items with equal keys retain their order.
                keyed.sort_by(|(a, _), (b, _)| if *descending { order(b, a) } else { order(a, b) });
                keyed.into_iter().map(|(_, item)| item).collect()
            }
            ListStep::Slice { start, count } => slice(items, *start, *count),
        })
    }

    /// Evaluates the template for each item.
    fn each(&mut self, template: &Template, items: &[Value]) -> Result<Vec<Value>, NodeError> {
        let mut all = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            if Instant::now() > self.deadline {
                let message = format!("the list's templates took more than {} s", TIMEOUT.as_secs());
                return Err(NodeError::new("template", message));
            }
            self.values.insert("item".into(), Arc::new(item.clone()));
            self.values.insert("index".into(), Arc::new(index.into()));
            let value = template.evaluate(&self.values);
            all.push(value.map_err(|why| NodeError::new("template", format!("item {index}: {why}")))?);
        }
        Ok(all)
    }
}

fn slice(items: Vec<Value>, start: i64, count: Option<u64>) -> Vec<Value> {
    let back = usize::try_from(start.unsigned_abs()).unwrap_or(usize::MAX);
    let skipped = if start < 0 { items.len().saturating_sub(back) } else { back };
    let count = count.map_or(usize::MAX, |count| usize::try_from(count).unwrap_or(usize::MAX));
    items.into_iter().skip(skipped).take(count).collect()
}

/// Returns a string that is identical for equal values. Numbers are compared by value, not by notation.
fn identity(value: &Value) -> String {
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(float) if float.fract() == 0.0 && float.abs() < 9e15 => format!("{}", float as i64),
            _ => number.to_string(),
        },
        other => other.to_string(),
    }
}
