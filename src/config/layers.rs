//! The layers of the settings: defaults, file, environment.

use super::{Config, DEFAULT};
use crate::located::{Document, Located, Mode, ReadError};
use domain::Step;
use serde::Deserialize;
use serde_json::{Map, Number, Value};
use std::path::Path;

/// The maximum number of structural errors (unknown keys, wrong types) that are reported at once.
const MAX_FAULTS: usize = 100;
/// The prefix of environment variables that contain settings.
const PREFIX: &str = "UNDERSTUDY_";
/// The separator between the parts of a key in the name of a variable.
const SEPARATOR: &str = "__";

/// Reads all layers. Returns the settings without the invalid keys, if they can be read, and the faults, each with its
/// key and origin.
pub(super) fn read(file: Option<&Path>) -> (Option<Config>, Vec<String>) {
    let from = file.map_or("configuration".to_owned(), |path| path.display().to_string());
    let text = match file.map(std::fs::read_to_string) {
        Some(Err(error)) => return (None, vec![format!("cannot read {from}: {error}")]),
        Some(Ok(text)) => text,
        None => String::new(),
    };
    let mut layers = Layers { from, file: Value::Null, environment: environment(), faults: Vec::new() };
    let (file, not_finite) = match parse(&text) {
        Ok(parsed) => parsed,
        Err(error) => return (None, vec![format!("{}: {}", layers.from, error.trim_end())]),
    };
    let not_finite = not_finite.iter().map(|key| format!("{}: {key} must be a finite number", layers.from));
    layers.faults.extend(not_finite);
    layers.file = file;
    layers.read()
}

/// Returns the defaults alone.
pub(super) fn defaults() -> Config {
    let layers = Layers { from: String::new(), file: Value::Null, environment: Value::Null, faults: vec![] };
    match layers.read() {
        (Some(config), faults) if faults.is_empty() => config,
        (_, faults) => unreachable!("the built-in default configuration is invalid: {faults:?}"),
    }
}

/// The layers above the defaults.
struct Layers {
    /// The origin of the file layer, for messages.
    from: String,
    file: Value,
    environment: Value,
    faults: Vec<String>,
}

impl Layers {
    fn read(mut self) -> (Option<Config>, Vec<String>) {
        // Deserialization stops at the first wrong value. To find further ones, the value is left out and the rest is
        // read again.
        let mut left_out: Vec<Vec<Step>> = Vec::new();
        let (defaults, _) = parse(DEFAULT).unwrap_or_default();
        loop {
            let mut settings = defaults.clone();
            merge(&mut settings, self.file.clone());
            merge(&mut settings, self.environment.clone());
            let document = Document::new(Mode::Json);
            let read = Config::deserialize(Located::top(&settings, &document));
            document.into_unknown().iter().for_each(|unknown| self.note(unknown));
            let error = match read {
                Ok(config) => return (Some(config), self.faults),
                Err(error) => error,
            };
            let mut path: Vec<Step> = error.path().collect();
            // A required key that was left out because of its wrong value is not missing.
            if !error.is_missing() || !left_out.contains(&path) {
                self.note(&error);
            }
            if error.is_missing() {
                // Its table cannot be read further. A list keeps its elements and is left out as a whole.
                path.pop();
                while matches!(path.last(), Some(Step::Index(_))) {
                    path.pop();
                }
            }
            if path.is_empty() || left_out.contains(&path) || self.faults.len() >= MAX_FAULTS {
                return (None, self.faults);
            }
            remove(&mut self.file, &path);
            remove(&mut self.environment, &path);
            left_out.push(path);
        }
    }

    /// Adds a fault with its key and origin.
    fn note(&mut self, error: &ReadError) {
        let path: Vec<Step> = error.path().collect();
        let from = match find(&self.environment, &path) {
            Some(_) => "environment",
            None => &self.from,
        };
        let key = path.iter().map(ToString::to_string).collect::<Vec<_>>().join(".");
        let fault = match (error.known(), path.last()) {
            (Some(known), Some(Step::Name(name))) => {
                let near = nearest(name, known);
                let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                format!("{from}: there is no setting `{key}`{near}")
            }
            _ if error.is_missing() => format!("{from}: the setting `{key}` is missing"),
            _ if key.is_empty() => format!("{from}: {error}"),
            _ => format!("{from}: {key}: {error}"),
        };
        if !self.faults.contains(&fault) {
            self.faults.push(fault);
        }
    }
}

/// Parses a TOML text. Also returns the keys of numbers that JSON does not support, such as `nan`; they are replaced by
/// null.
fn parse(text: &str) -> Result<(Value, Vec<String>), String> {
    let table: toml::Table = toml::from_str(text).map_err(|error| error.to_string())?;
    let mut not_finite = Vec::new();
    let value = json(toml::Value::Table(table), "", &mut not_finite);
    Ok((value, not_finite))
}

fn json(value: toml::Value, key: &str, not_finite: &mut Vec<String>) -> Value {
    let below = |part: &str| if key.is_empty() { part.to_owned() } else { format!("{key}.{part}") };
    match value {
        toml::Value::String(text) => Value::String(text),
        toml::Value::Integer(number) => Value::from(number),
        toml::Value::Float(number) => Number::from_f64(number).map_or_else(
            || {
                not_finite.push(key.to_owned());
                Value::Null
            },
            Value::Number,
        ),
        toml::Value::Boolean(flag) => Value::Bool(flag),
        toml::Value::Datetime(time) => Value::String(time.to_string()),
        toml::Value::Array(items) => {
            let items = items.into_iter().enumerate();
            items.map(|(at, item)| json(item, &below(&at.to_string()), not_finite)).collect()
        }
        toml::Value::Table(table) => {
            let entry = |(part, value): (String, _)| {
                let value = json(value, &below(&part), not_finite);
                (part, value)
            };
            table.into_iter().map(entry).collect()
        }
    }
}

/// Reads the environment variables that contain settings, `UNDERSTUDY_SECTION__KEY`. Their values are TOML, or
/// otherwise texts.
fn environment() -> Value {
    let mut settings = Value::Null;
    for (name, text) in std::env::vars_os() {
        let (Some(name), Some(text)) = (name.to_str(), text.to_str()) else { continue };
        let Some(key) = name.strip_prefix(PREFIX).filter(|key| key.contains(SEPARATOR)) else { continue };
        let key = key.to_ascii_lowercase();
        let value = key
            .rsplit(SEPARATOR)
            .fold(variable(text), |value, part| Value::Object(Map::from_iter([(part.to_owned(), value)])));
        merge(&mut settings, value);
    }
    settings
}

pub fn variable(text: &str) -> Value {
    if let Some(value) = toml_value(text) {
        return value;
    }
    let plain = |text: &str| toml_value(text).unwrap_or_else(|| Value::String(text.to_owned()));
    // A list may be written without quotation marks, which shells remove. Such a list contains no lists.
    match text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(items) => items.split(',').map(|item| plain(item.trim())).collect(),
        None => Value::String(text.to_owned()),
    }
}

/// Parses a text as a single TOML value.
fn toml_value(text: &str) -> Option<Value> {
    // Further lines could contain other keys, and the part after a `#` would be a comment.
    let is_plain = !text.contains(['\n', '#']) || text.starts_with(['"', '\'', '[', '{']);
    let (mut table, not_finite) = is_plain.then(|| parse(&format!("value = {text}")).ok())??;
    let is_one = table.as_object().is_some_and(|table| table.len() == 1) && not_finite.is_empty();
    is_one.then(|| table["value"].take())
}

/// Merges one layer into the one below: tables are merged, all other values are replaced.
pub fn merge(below: &mut Value, above: Value) {
    match (below, above) {
        (_, Value::Null) => {}
        (Value::Object(below), Value::Object(above)) => {
            for (key, value) in above {
                merge(below.entry(key).or_insert(Value::Null), value);
            }
        }
        (below, above) => *below = above,
    }
}

fn find<'v>(value: &'v Value, path: &[Step]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, step| match step {
        Step::Name(name) => value.get(name),
        Step::Index(index) => value.get(usize::try_from(*index).ok()?),
    })
}

/// Removes a key. Elements of lists are not removed, so that the other elements keep their indexes.
fn remove(layer: &mut Value, path: &[Step]) {
    let Some((Step::Name(last), above)) = path.split_last() else { return };
    let mut table = Some(layer);
    for step in above {
        table = table.and_then(|value| match step {
            Step::Name(name) => value.get_mut(name),
            Step::Index(index) => value.get_mut(usize::try_from(*index).ok()?),
        });
    }
    if let Some(Value::Object(table)) = table {
        table.remove(last);
    }
}

/// The known name that is most similar to a misspelled one.
fn nearest(wrong: &str, known: &'static [&'static str]) -> Option<&'static str> {
    let distance = |name: &&&str| {
        let mut row: Vec<usize> = (0..=name.len()).collect();
        for (i, a) in wrong.bytes().enumerate() {
            let mut diagonal = std::mem::replace(&mut row[0], i + 1);
            for (j, b) in name.bytes().enumerate() {
                let cost = diagonal + usize::from(a != b);
                diagonal = row[j + 1];
                row[j + 1] = cost.min(diagonal + 1).min(row[j] + 1);
            }
        }
        row[name.len()]
    };
    let best = known.iter().min_by_key(distance)?;
    (distance(&best) <= 3).then_some(*best)
}
