//! Filters for lists. An absent value counts as an empty list, and an object as the list of its keys.

use std::cmp::Ordering;

use serde_json::{Map, Value};

use super::super::args::FilterArgs;
use super::super::budget::Budget;
use super::super::error::TemplateError;
use super::super::operators::{self, Binary, order};
use super::super::val::Val;
use super::filter::{Filter, Outcome, alone, own, part, size};
use super::{filter, tests};

pub(super) const FILTERS: &[Filter] = &[
    Filter { name: "first", apply: first },
    Filter { name: "last", apply: last },
    Filter { name: "join", apply: join },
    Filter { name: "sort", apply: sort },
    Filter { name: "reverse", apply: reverse },
    Filter { name: "unique", apply: unique },
    Filter { name: "list", apply: list },
    Filter { name: "map", apply: map },
    Filter { name: "select", apply: |input, args, budget| choose(input, args, budget, false, true) },
    Filter { name: "reject", apply: |input, args, budget| choose(input, args, budget, false, false) },
    Filter { name: "selectattr", apply: |input, args, budget| choose(input, args, budget, true, true) },
    Filter { name: "rejectattr", apply: |input, args, budget| choose(input, args, budget, true, false) },
    Filter { name: "min", apply: |input, args, budget| extreme(input, args, budget, Ordering::Less) },
    Filter { name: "max", apply: |input, args, budget| extreme(input, args, budget, Ordering::Greater) },
    Filter { name: "sum", apply: sum },
    Filter { name: "batch", apply: batch },
    Filter { name: "groupby", apply: group_by },
    Filter { name: "dict", apply: dict },
];

/// Returns the path in the argument `attribute`, if there is one.
fn attribute(args: &mut FilterArgs<'_>, budget: &mut Budget) -> Outcome<Option<String>> {
    let attribute = args.named("attribute");
    if attribute.is_nothing() {
        return Ok(None);
    }
    Ok(Some(attribute.text(budget)?.into_owned()))
}

/// Returns the key by which an item is sorted or grouped.
fn key<'a>(item: &Val<'a>, attribute: Option<&str>, fold: bool, budget: &mut Budget) -> Outcome<Value> {
    let value = match attribute {
        Some(path) => part(item.clone(), path, budget)?,
        None => item.clone(),
    };
    match value.json() {
        Value::String(text) if fold => {
            budget.text(text.len())?;
            Ok(Value::from(text.to_lowercase()))
        }
        _ => value.into_json(budget),
    }
}

fn first<'a>(input: Val<'a>, args: FilterArgs<'a>, budget: &mut Budget) -> Outcome<Val<'a>> {
    alone(args)?;
    input.item(0, budget)
}

fn last<'a>(input: Val<'a>, args: FilterArgs<'a>, budget: &mut Budget) -> Outcome<Val<'a>> {
    alone(args)?;
    input.item(-1, budget)
}

fn join<'a>(input: Val<'a>, mut args: FilterArgs<'a>, budget: &mut Budget) -> Outcome<Val<'a>> {
    let attribute = attribute(&mut args, budget)?;
    let between = args.take("separator");
    args.finish()?;
    let between = between.text(budget)?.into_owned();
    let mut text = String::new();
    for (at, item) in input.items(budget)?.into_iter().enumerate() {
        let item = match &attribute {
            Some(path) => part(item, path, budget)?,
            None => item,
        };
        let piece = item.text(budget)?;
        let between = if at == 0 { "" } else { between.as_str() };
        budget.bytes(between.len() + piece.len())?;
        text.push_str(between);
        text.push_str(&piece);
        if text.len() > super::super::budget::TEXT {
            break;
        }
    }
    budget.text(text.len())?;
    own(text)
}

fn sort<'a>(input: Val<'a>, mut args: FilterArgs<'a>, budget: &mut Budget) -> Outcome<Val<'a>> {
    let attribute = attribute(&mut args, budget)?;
    let (reverse, exact) = (args.take("reverse"), args.take("case_sensitive"));
    args.finish()?;
    let mut keyed = Vec::new();
    let before = budget.memory();
    for item in input.items(budget)? {
        let item = item.named();
        keyed.push((key(&item, attribute.as_deref(), !exact.is_true(), budget)?, item));
    }
    // A comparison cannot abort sorting, so all are paid for in advance: each visits at most the size of a key.
    let size = before.saturating_sub(budget.memory()) / 32;
    budget.steps(size.saturating_mul(keyed.len().max(2).ilog2() as usize))?;
    let mut free = Budget::unlimited();
    keyed.sort_by(|(a, _), (b, _)| {
        let order = order(a, b, &mut free).unwrap_or(Ordering::Equal);
        if reverse.is_true() { order.reverse() } else { order }
    });
    Val::list(keyed.into_iter().map(|(_, item)| item).collect(), budget)
}

fn reverse<'a>(input: Val<'a>, args: FilterArgs<'a>, budget: &mut Budget) -> Outcome<Val<'a>> {
    alone(args)?;
    if input.json().is_string() {
        let text = input.text(budget)?;
        budget.text(text.len())?;
        return own(text.chars().rev().collect::<String>());
    }
    let mut items = input.items(budget)?;
    items.reverse();
    Val::list(items, budget)
}

fn unique<'a>(input: Val<'a>, mut args: FilterArgs<'a>, budget: &mut Budget) -> Outcome<Val<'a>> {
    let attribute = attribute(&mut args, budget)?;
    let exact = args.take("case_sensitive");
    args.finish()?;
    let mut seen = std::collections::HashSet::new();
    let mut unique_items = Vec::new();
    for item in input.items(budget)? {
        let item = item.named();
        let key = key(&item, attribute.as_deref(), !exact.is_true(), budget)?;
        if seen.insert(operators::to_json(&key, None, budget)?) {
            unique_items.push(item);
        }
    }
    Val::list(unique_items, budget)
}

fn list<'a>(input: Val<'a>, args: FilterArgs<'a>, budget: &mut Budget) -> Outcome<Val<'a>> {
    alone(args)?;
    let items = input.items(budget)?;
    Val::list(items, budget)
}

/// `map(attribute="name")` or `map("upper")`.
fn map<'a>(input: Val<'a>, mut args: FilterArgs<'a>, budget: &mut Budget) -> Outcome<Val<'a>> {
    let mut mapped = Vec::new();
    if let Some(path) = attribute(&mut args, budget)? {
        let default = args.named("default");
        args.finish()?;
        for item in input.items(budget)? {
            let found = part(item, &path, budget)?;
            mapped.push(if matches!(found, Val::Undefined) { default.clone() } else { found });
        }
        return Val::list(mapped, budget);
    }
    let name = args.take("filter").text(budget)?.into_owned();
    let Some(found) = filter(&name) else {
        return Err(TemplateError(format!("there is no filter {name:?}")));
    };
    // Filters that take filters could be nested without limit.
    if matches!(found.name, "map" | "select" | "reject" | "selectattr" | "rejectattr") {
        return Err(TemplateError(format!("`{name}` cannot be used here")));
    }
    for item in input.items(budget)? {
        mapped.push((found.apply)(item, args.clone(), budget)?);
    }
    Val::list(mapped, budget)
}

fn choose<'a>(
    input: Val<'a>,
    mut args: FilterArgs<'a>,
    budget: &mut Budget,
    by_part: bool,
    keep: bool,
) -> Outcome<Val<'a>> {
    let path =
        by_part.then(|| args.take("attribute").text(budget).map(|path| path.into_owned())).transpose()?;
    let name = args.take("test");
    let test = match name.is_nothing() {
        true => None,
        false => {
            let name = name.text(budget)?;
            Some(tests::test(&name).ok_or_else(|| TemplateError(format!("there is no test {name:?}")))?)
        }
    };
    let mut selected = Vec::new();
    for item in input.items(budget)? {
        let item = item.named();
        let tested = match &path {
            Some(path) => part(item.clone(), path, budget)?,
            None => item.clone(),
        };
        let holds = match test {
            Some(test) => (test.holds)(&tested, args.clone(), budget)?,
            None => tested.is_true(),
        };
        if holds == keep {
            selected.push(item);
        }
    }
    Val::list(selected, budget)
}

fn extreme<'a>(
    input: Val<'a>,
    mut args: FilterArgs<'a>,
    budget: &mut Budget,
    wanted: Ordering,
) -> Outcome<Val<'a>> {
    let attribute = attribute(&mut args, budget)?;
    args.finish()?;
    let mut best: Option<(Value, Val<'a>)> = None;
    for item in input.items(budget)? {
        let item = item.named();
        let key = key(&item, attribute.as_deref(), false, budget)?;
        let better = match &best {
            Some((best, _)) => order(&key, best, budget)? == wanted,
            None => true,
        };
        if better {
            best = Some((key, item));
        }
    }
    Ok(best.map_or(Val::Undefined, |(_, item)| item))
}

fn sum<'a>(input: Val<'a>, mut args: FilterArgs<'a>, budget: &mut Budget) -> Outcome<Val<'a>> {
    let attribute = attribute(&mut args, budget)?;
    let start = args.take("start");
    args.finish()?;
    let mut sum = if start.is_nothing() { Val::Own(Value::from(0)) } else { start };
    for item in input.items(budget)? {
        let item = match &attribute {
            Some(path) => part(item, path, budget)?,
            None => item,
        };
        sum = operators::binary(Binary::Add, sum, item, budget)?;
    }
    Ok(sum)
}

fn batch<'a>(input: Val<'a>, mut args: FilterArgs<'a>, budget: &mut Budget) -> Outcome<Val<'a>> {
    let (count, fill) = (args.take("count"), args.take("fill_with"));
    args.finish()?;
    let count = size(&count, 0)?;
    if !(1..=10_000).contains(&count) {
        return Err(TemplateError("a batch has 1 to 10000 items".into()));
    }
    let items = input.items(budget)?;
    let mut batches = Vec::new();
    for chunk in items.chunks(count) {
        let mut batch = chunk.to_vec();
        if !fill.is_nothing() {
            batch.resize(count, fill.clone());
        }
        batches.push(Val::list(batch, budget)?);
    }
    Val::list(batches, budget)
}

/// Groups by an attribute, in the order of its values: `[{"grouper": ..., "list": [...]}, ...]`.
fn group_by<'a>(input: Val<'a>, mut args: FilterArgs<'a>, budget: &mut Budget) -> Outcome<Val<'a>> {
    let path = args.take("attribute").text(budget)?.into_owned();
    args.finish()?;
    let mut groups: std::collections::BTreeMap<String, (Value, Vec<Val<'a>>)> = Default::default();
    for item in input.items(budget)? {
        let item = item.named();
        let key = key(&item, Some(&path), false, budget)?;
        let name = operators::to_json(&key, None, budget)?;
        groups.entry(name).or_insert_with(|| (key, Vec::new())).1.push(item);
    }
    let mut list = Vec::new();
    for (key, items) in groups.into_values() {
        budget.values(3)?;
        let items = Val::list(items, budget)?.into_json(budget)?;
        list.push(Value::Object(Map::from_iter([("grouper".to_owned(), key), ("list".to_owned(), items)])));
    }
    own(list)
}

/// Converts a list of pairs to an object.
fn dict<'a>(input: Val<'a>, args: FilterArgs<'a>, budget: &mut Budget) -> Outcome<Val<'a>> {
    alone(args)?;
    let mut fields = Map::new();
    for pair in input.items(budget)? {
        let pair: [Val<'a>; 2] = pair
            .items(budget)?
            .try_into()
            .map_err(|_| TemplateError("takes a list of pairs of a name and a value".into()))?;
        let [name, value] = pair;
        fields.insert(name.text(budget)?.into_owned(), value.into_json(budget)?);
    }
    own(Value::Object(fields))
}
