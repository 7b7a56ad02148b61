//! The layers of the settings: defaults, file, environment.

use super::toml_format::Toml;
use super::{Config, DEFAULT};
use figment::error::Kind;
use figment::providers::{Env, Format};
use figment::value::{Dict, Map, Value};
use figment::{Error, Figment, Metadata, Profile, Provider};
use std::path::Path;

/// The most faults of form (unknown keys, wrong types) that are reported at once.
const MOST_FAULTS: usize = 100;

/// Reads all layers: the settings, where there are any without the keys that are wrong, and what is wrong with those,
/// each fault with its key and where it comes from.
pub(super) fn read(file: Option<&Path>) -> (Option<Config>, Vec<String>) {
    let text = match file.map(|path| (path, std::fs::read_to_string(path))) {
        Some((path, Err(error))) => return (None, vec![format!("cannot read {}: {error}", path.display())]),
        Some((_, Ok(text))) => text,
        None => String::new(),
    };
    // Reading stops at the first fault. To find the others, the key of each one is left out, and the rest read again.
    let mut left_out: Vec<Vec<String>> = Vec::new();
    let mut faults = Vec::new();
    loop {
        let error = match figment(&text, &left_out).extract::<Config>() {
            Ok(config) => return (Some(config), faults),
            Err(error) => error,
        };
        let key = key(&error);
        // A key that is needed and was left out for its wrong value is not missing.
        let is_ours = |path: &Vec<String>| path.starts_with(&error.path);
        if matches!(error.kind, Kind::MissingField(_)) && left_out.iter().any(is_ours) {
            return (None, faults);
        }
        for fault in explain(error, file) {
            if !faults.contains(&fault) {
                faults.push(fault);
            }
        }
        if key.is_empty() || left_out.contains(&key) || faults.len() >= MOST_FAULTS {
            return (None, faults);
        }
        left_out.push(key);
    }
}

fn figment(text: &str, left_out: &[Vec<String>]) -> Figment {
    let environment = Env::prefixed("UNDERSTUDY_").filter(|name| name.as_str().contains("__")).split("__");
    Figment::from(Toml::string(DEFAULT))
        .merge(Without { inner: Toml::string(text), left_out })
        .merge(Without { inner: environment, left_out })
}

/// A layer without some of its keys.
struct Without<'a, P> {
    inner: P,
    left_out: &'a [Vec<String>],
}

impl<P: Provider> Provider for Without<'_, P> {
    fn metadata(&self) -> Metadata {
        self.inner.metadata()
    }

    fn data(&self) -> Result<Map<Profile, Dict>, Error> {
        let mut data = self.inner.data()?;
        for values in data.values_mut() {
            for path in self.left_out {
                remove(values, path);
            }
        }
        Ok(data)
    }
}

/// Removes a value by its path, in which the elements of lists are numbers. Elements stay, so that the others keep their
/// numbers.
fn remove(values: &mut Dict, path: &[String]) {
    match path {
        [] => {}
        [last] => drop(values.remove(last)),
        [first, rest @ ..] => {
            if let Some(value) = values.get_mut(first) {
                remove_within(value, rest);
            }
        }
    }
}

fn remove_within(value: &mut Value, path: &[String]) {
    match (value, path) {
        (Value::Dict(_, values), path) => remove(values, path),
        (Value::Array(_, items), [at, rest @ ..]) => {
            if let Some(item) = at.parse().ok().and_then(|at: usize| items.get_mut(at)) {
                remove_within(item, rest);
            }
        }
        _ => {}
    }
}

/// The path of the key that an error is about.
fn key(error: &Error) -> Vec<String> {
    let mut key = error.path.clone();
    if let Kind::UnknownField(field, _) = &error.kind
        && key.last().is_none_or(|last| last != field)
    {
        key.push(field.clone());
    }
    key
}

/// Names the key and where it comes from.
fn explain(error: Error, file: Option<&Path>) -> Vec<String> {
    let explained = error.into_iter().map(|error| {
        let from = error.metadata.as_ref().map(|metadata| metadata.name.to_string()).unwrap_or_default();
        let from = match file {
            _ if from.contains("environment") => "environment".to_owned(),
            Some(file) => file.display().to_string(),
            None => "configuration".to_owned(),
        };
        let key = key(&error).join(".");
        if let Kind::UnknownField(field, known) = &error.kind {
            let near =
                nearest(field, known).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            return format!("{from}: there is no setting `{key}`{near}");
        }
        let at = if key.is_empty() { String::new() } else { format!("{key}: ") };
        format!("{from}: {at}{}", error.kind)
    });
    explained.collect()
}

/// The known name that a misspelt one is closest to.
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
