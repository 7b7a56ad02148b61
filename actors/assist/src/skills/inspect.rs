//! Determines which functions scripts declare.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use futures::{StreamExt, stream};
use sandbox::{Limits, Sandbox, Script, ScriptErrorKind};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use storage::records::{SkillContent, SkillFunction, SkillUsableIn};

use super::bundle::usable_in;
use super::bundle::{Bundle, BundleFault, Front, MAX_FAULTS};
use crate::data::Schema;

/// Maximum number of functions of a skill.
const MAX_FUNCTIONS: usize = 50;
/// Maximum number of characters of a function's description.
const DESCRIPTION: usize = 4_000;
/// Maximum size in bytes of the schema of a function's arguments.
const PARAMETERS: usize = 32 << 10;
/// Number of scripts that are inspected concurrently.
const MAX_CONCURRENT: usize = 4;
/// Resource limits of a script before any of its functions is called.
const LIMITS: Limits = Limits {
    time: Duration::from_secs(5),
    memory_bytes: 32 << 20,
    stack_bytes: 512 << 10,
    output_bytes: 4 << 20,
    log_bytes: 64 << 10,
    depth: 64,
    calls: 0,
    call_bytes: 0,
};

/// Appended to a script, so that its line numbers stay the same. Invalid declarations are returned unchanged, because
/// they are validated outside of the sandbox.
const ASKING: &str = "
;function __understudy_tells() {
  const all = typeof functions === 'undefined' ? null : functions;
  const its = typeof skill === 'undefined' ? null : skill;
  const tell = ([name, one]) => ({
    name,
    description: one?.description ?? null,
    parameters: one?.parameters ?? null,
    runs: typeof one?.run === 'function',
  });
  const listed = all !== null && typeof all === 'object' && !Array.isArray(all);
  return { functions: listed ? Object.entries(all).map(tell) : null, declared: all !== null, skill: its };
}";

/// The contents of a bundle whose scripts have been inspected.
#[derive(Clone, Debug, PartialEq)]
pub struct BundleInspection {
    pub name: String,
    pub description: String,
    /// Where the skill can be used.
    pub usable_in: SkillUsableIn,
    /// SHA-256 of its content, in hex.
    pub content_hash: String,
    /// The parts that the skill consists of.
    pub content: SkillContent,
    /// Paths of files that are not text, which are stored only in the bundle.
    pub ignored: Vec<String>,
}

/// Why a bundle is not a valid skill.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InspectError {
    /// The faults of the bundle.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Faults(Vec<BundleFault>),
    /// No sandbox process is available to inspect scripts.
    #[error("{0}")]
    Unavailable(String),
}

/// The declarations of a script.
#[derive(Deserialize)]
struct ScriptDescription {
    functions: Option<Vec<FunctionDescription>>,
    declared: bool,
    skill: Value,
}

#[derive(Deserialize)]
struct FunctionDescription {
    name: String,
    description: Value,
    parameters: Value,
    runs: bool,
}

/// Executes the scripts of a bundle to determine their functions, and checks everything that can be checked without
/// calling a function.
///
/// # Errors
/// All faults of the bundle, or the error that no sandbox is available.
pub async fn inspect(sandbox: &Sandbox, bundle: Bundle) -> Result<BundleInspection, InspectError> {
    let Bundle { mut front, mut instructions, files, scripts, ignored, content_hash, lone_script, stem } =
        bundle;
    let candidates = scripts.iter().filter_map(|path| Some((path.as_str(), files.get(path)?.as_str())));
    // Scripts without the word `functions` cannot declare any and are only stored.
    let candidates = candidates.filter(|(_, code)| lone_script || code.contains("functions"));
    let candidates: Vec<_> = candidates.map(|(path, code)| ask(sandbox, path, code)).collect();
    let report: Vec<_> = stream::iter(candidates).buffered(MAX_CONCURRENT).collect().await;
    let (mut functions, mut faults) = (Vec::new(), Vec::new());
    for (path, report) in report {
        let report = match report {
            Ok(report) => report,
            Err(Refusal::Fault(fault)) => {
                faults.push(fault);
                continue;
            }
            Err(Refusal::Unavailable(why)) => return Err(InspectError::Unavailable(why)),
        };
        match report.functions {
            Some(listed) => {
                let read = listed.into_iter().map(|one| function(path, one));
                read.for_each(|read| read.map_or_else(|wrong| faults.extend(wrong), |it| functions.push(it)));
            }
            None if report.declared => {
                faults.push(BundleFault::new(path, "`functions` has to be an object of functions by name"));
            }
            None if lone_script => faults.push(BundleFault::new(path, "declares no `functions`")),
            None => {}
        }
        if lone_script {
            faults.extend(
                itself(report.skill, &mut front, &mut instructions)
                    .into_iter()
                    .map(|why| BundleFault::new(path, why)),
            );
        }
    }
    faults.extend(clashes(&functions));
    if lone_script && faults.is_empty() {
        front.name = front.name.filter(|name| !name.is_empty()).or(Some(stem));
        let first = functions.first().map(|it: &SkillFunction| it.description.chars().take(2_000).collect());
        front.description = front.description.filter(|text| !text.is_empty()).or(first);
        let path = scripts.first().cloned().unwrap_or_default();
        faults.extend(front.faults().into_iter().map(|why| BundleFault::new(path.clone(), why)));
    }
    faults.truncate(MAX_FAULTS);
    if !faults.is_empty() {
        return Err(InspectError::Faults(faults));
    }
    let Front { name, description, usable_in, services } = front;
    let (name, description) = (name.unwrap_or_default(), description.unwrap_or_default());
    let content = SkillContent { instructions, functions, services, files };
    let usable_in = usable_in.unwrap_or_default();
    Ok(BundleInspection { name, description, usable_in, content_hash, content, ignored })
}

enum Refusal {
    Fault(BundleFault),
    Unavailable(String),
}

async fn ask<'b>(
    sandbox: &Sandbox,
    path: &'b str,
    code: &str,
) -> (&'b str, Result<ScriptDescription, Refusal>) {
    let entry = "__understudy_tells".to_owned();
    let script = Script { code: format!("{code}{ASKING}"), inputs: Map::new(), entry };
    let ran = sandbox.run(&script, &LIMITS).await;
    let report = match ran {
        Ok(ran) => serde_json::from_value(ran.output).map_err(|why| {
            Refusal::Fault(BundleFault::new(path, format!("does not tell what functions it has: {why}")))
        }),
        Err(why) if why.kind == ScriptErrorKind::Unavailable => Err(Refusal::Unavailable(why.message)),
        Err(why) => {
            let line = why.line.filter(|line| *line as usize <= code.lines().count());
            Err(Refusal::Fault(BundleFault { path: path.to_owned(), line, message: why.message }))
        }
    };
    (path, report)
}

/// Validates the declaration of a function. Returns all faults.
fn function(path: &str, report: FunctionDescription) -> Result<SkillFunction, Vec<BundleFault>> {
    let FunctionDescription { name, description, parameters, runs } = report;
    let mut faults = Vec::new();
    let shown: String = name.chars().take(80).collect();
    let mut wrong =
        |why: String| faults.push(BundleFault::new(path, format!("the function {shown:?} {why}")));
    if !is_name(&name) {
        let rule = "needs a name of letters, digits and underscores, 64 at most, that begins with no digit";
        wrong(rule.to_owned());
    }
    let description = match description {
        Value::String(text) if !text.trim().is_empty() => text.trim().to_owned(),
        _ => {
            wrong("lacks a `description`".to_owned());
            String::new()
        }
    };
    if description.chars().count() > DESCRIPTION {
        wrong(format!("has a description of more than {DESCRIPTION} characters"));
    }
    if !runs {
        wrong("lacks `run`, which has to be a function".to_owned());
    }
    let parameters = match parameters {
        Value::Null => {
            Map::from_iter([("type".to_owned(), json!("object")), ("properties".to_owned(), json!({}))])
        }
        Value::Object(schema) => schema,
        _ => {
            wrong("has `parameters` that are no object".to_owned());
            Map::new()
        }
    };
    let schema = Value::Object(parameters.clone());
    if schema.to_string().len() > PARAMETERS {
        wrong(format!("has `parameters` of more than {PARAMETERS} bytes"));
    } else if let Err(why) = Schema::read(&schema) {
        wrong(format!("has `parameters` that are no JSON Schema: {why}"));
    } else if !parameters.is_empty() && parameters.get("type") != Some(&json!("object")) {
        wrong("has `parameters` whose `type` is not \"object\"".to_owned());
    }
    let file = path.to_owned();
    if faults.is_empty() { Ok(SkillFunction { name, description, parameters, file }) } else { Err(faults) }
}

fn is_name(name: &str) -> bool {
    let begins_well = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    begins_well && name.len() <= 64 && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

fn clashes(functions: &[SkillFunction]) -> Vec<BundleFault> {
    let (mut seen, mut faults) = (HashSet::new(), Vec::new());
    for function in functions {
        if !seen.insert(&function.name) {
            let message = format!("the function {:?} is in another script, too", function.name);
            faults.push(BundleFault::new(function.file.clone(), message));
        }
    }
    if functions.len() > MAX_FUNCTIONS {
        let message = format!("there are {} functions; the most is {MAX_FUNCTIONS}", functions.len());
        faults.push(BundleFault::new("", message));
    }
    faults
}

/// Applies the description of the skill in a single script. Returns its faults.
fn itself(report: Value, front: &mut Front, instructions: &mut String) -> Vec<String> {
    let fields: BTreeMap<String, Value> = match report {
        Value::Null => return Vec::new(),
        Value::Object(fields) => fields.into_iter().collect(),
        _ => return vec!["`skill` has to be an object".to_owned()],
    };
    let mut faults = Vec::new();
    for (field, value) in fields {
        match (field.as_str(), value) {
            (_, Value::Null) => {}
            ("name", Value::String(text)) => front.name = Some(text.trim().to_owned()),
            ("description", Value::String(text)) => front.description = Some(text.trim().to_owned()),
            ("instructions", Value::String(text)) => *instructions = text.trim().to_owned(),
            ("usable_in", Value::String(text)) if usable_in(&text).is_some() => {
                front.usable_in = usable_in(&text)
            }
            ("services", Value::Array(services)) if services.iter().all(Value::is_string) => {
                let texts = services.iter().filter_map(Value::as_str);
                front.services = texts.map(str::to_owned).collect();
            }
            ("usable_in", _) => faults.push("`skill.usable_in` is `chat`, `workflow` or `both`".to_owned()),
            ("services", _) => faults.push("`skill.services` has to be a list of texts".to_owned()),
            ("name" | "description" | "instructions", _) => {
                faults.push(format!("`skill.{field}` has to be a text"));
            }
            _ => {}
        }
    }
    if instructions.chars().count() > super::bundle::MAX_INSTRUCTIONS_LENGTH {
        faults.push("`skill.instructions` is too long".to_owned());
    }
    faults
}
