//! References in manifests. An object with one of these members is replaced by the value it refers to:
//!
//! | written | replaced by |
//! |---|---|
//! | `{"$file": "prompt.md"}` | the text of a file of the package |
//! | `{"$json": "graph.json"}` | the content of a JSON file, with its references resolved |
//! | `{"$parameter": "hour"}` | the value of a parameter |
//! | `{"$join": ["0 ", {"$parameter": "hour"}, " * * *"]}` | the concatenation of these parts |
//! | `{"$resource": "search"}` | the id of an earlier resource of the package |
//! | `{"$package": "acme/search", "key": "skill"}` | the id of a resource of a required package |

use serde_json::{Map, Value};

/// The maximum depth of JSON files that refer to each other, and of nested lists and objects.
const MAX_DEPTH: usize = 64;

/// A reference to the value that replaces it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reference<'a> {
    /// The text of a file.
    File(&'a str),
    /// The content of a JSON file.
    Json(&'a str),
    Parameter(&'a str),
    /// A resource of the same package, by its key.
    Resource(&'a str),
    /// A resource of another package: the package's id, and the key of the resource there.
    Package(&'a str, &'a str),
}

/// Replaces all references in a value with the results of `look_up`.
///
/// # Errors
/// The first reference that cannot be resolved, or that is malformed.
pub fn expand(
    value: &Value,
    look_up: &mut dyn FnMut(Reference<'_>) -> Result<Value, String>,
) -> Result<Value, String> {
    walk(value, look_up, MAX_DEPTH)
}

fn walk(
    value: &Value,
    look_up: &mut dyn FnMut(Reference<'_>) -> Result<Value, String>,
    depth: usize,
) -> Result<Value, String> {
    let depth = depth.checked_sub(1).ok_or("is nested too deeply")?;
    match value {
        Value::Array(items) => {
            let walked: Result<_, _> = items.iter().map(|item| walk(item, look_up, depth)).collect();
            walked.map(Value::Array)
        }
        Value::Object(members) => {
            let Some((name, of)) = members.iter().find(|(name, _)| name.starts_with('$')) else {
                let walked: Result<Map<_, _>, String> = members
                    .iter()
                    .map(|(name, value)| Ok((name.clone(), walk(value, look_up, depth)?)))
                    .collect();
                return walked.map(Value::Object);
            };
            match name.as_str() {
                "$join" => join(of, look_up, depth),
                "$json" => {
                    let held = look_up(Reference::Json(text(members, name)?))?;
                    walk(&held, look_up, depth)
                }
                _ => look_up(reference(members, name)?),
            }
        }
        plain => Ok(plain.clone()),
    }
}

fn reference<'a>(members: &'a Map<String, Value>, name: &str) -> Result<Reference<'a>, String> {
    let of = text(members, name)?;
    if name == "$package" {
        return Ok(Reference::Package(of, text(members, "key")?));
    }
    if members.len() > 1 {
        return Err(format!("`{name}` must be the only field"));
    }
    match name {
        "$file" => Ok(Reference::File(of)),
        "$parameter" => Ok(Reference::Parameter(of)),
        "$resource" => Ok(Reference::Resource(of)),
        _ => Err(format!("`{name}` is not a known reference")),
    }
}

fn text<'a>(members: &'a Map<String, Value>, name: &str) -> Result<&'a str, String> {
    members.get(name).and_then(Value::as_str).ok_or_else(|| format!("`{name}` must be a string"))
}

fn join(
    pieces: &Value,
    look_up: &mut dyn FnMut(Reference<'_>) -> Result<Value, String>,
    depth: usize,
) -> Result<Value, String> {
    let pieces = pieces.as_array().ok_or("`$join` must be a list")?;
    let mut joined = String::new();
    for piece in pieces {
        match walk(piece, look_up, depth)? {
            Value::String(text) => joined.push_str(&text),
            Value::Array(_) | Value::Object(_) => {
                return Err("`$join` accepts only strings and numbers".to_owned());
            }
            Value::Null => {}
            other => joined.push_str(&other.to_string()),
        }
    }
    Ok(Value::String(joined))
}
