//! Whether a draft would do as a skill.

use std::collections::BTreeMap;

use assist::RunWork;
use assist::skills::bundle::{self, BundleFault};
use assist::skills::{Bill, FunctionError, InspectError, execute, inspect};
use runs::Caller;
use serde_json::{Map, Value};
use storage::records::{SkillContent, SkillFunction, SkillTrial, SkillUsableIn};

use super::pack::pack;
use super::words::ParsedDraft;

/// Characters of a result that are kept of a trial.
const LONGEST_RESULT: usize = 4_000;

/// What came of checking a draft.
pub(super) struct CheckResult {
    pub files: BTreeMap<String, String>,
    /// What is wrong with it; nothing, where it is good.
    pub faults: Vec<String>,
    /// What came of calling its functions.
    pub trials: Vec<SkillTrial>,
}

/// Checks a draft as an upload would be, and calls each of its functions once. Fails, in words, where
/// there is nothing to call them in.
///
/// Functions of files that are as they were in the skill that it is to be a new version of need no example.
pub(super) async fn check(
    work: &RunWork,
    filename: &str,
    base: Option<&BTreeMap<String, String>>,
    drafted: ParsedDraft,
) -> Result<CheckResult, String> {
    let ParsedDraft { files, examples, faults } = drafted;
    let mut checked = CheckResult { files, faults, trials: Vec::new() };
    if !checked.faults.is_empty() {
        return Ok(checked);
    }
    let packed = pack(&checked.files).map_err(|why| vec![why]);
    let read = packed.and_then(|bytes| bundle::read(filename, &bytes).map_err(messages));
    let bundle = match read {
        Ok(bundle) => bundle,
        Err(faults) => return Ok(CheckResult { faults, ..checked }),
    };
    let content = match inspect(&work.run_context.sandbox, bundle).await {
        Ok(inspected) => inspected.content,
        Err(InspectError::Faults(faults)) => return Ok(CheckResult { faults: messages(faults), ..checked }),
        Err(InspectError::Unavailable(why)) => return Err(why),
    };
    for function in &content.functions {
        match examples.get(&function.name).cloned().or_else(|| nothing_needed(function)) {
            Some(arguments) => {
                let trial = call(work, &content, &function.name, arguments).await?;
                if let Some(why) = trial.error.as_ref().filter(|_| !trial.needs_service) {
                    let fault =
                        format!("{}: {} called with its example fails: {why}", function.file, function.name);
                    checked.faults.push(fault);
                }
                checked.trials.push(trial);
            }
            None if is_as_before(function, &checked.files, base) => {}
            None => checked.faults.push(format!("{} has no example in `examples`", function.name)),
        }
    }
    Ok(checked)
}

fn messages(faults: Vec<BundleFault>) -> Vec<String> {
    faults.iter().map(ToString::to_string).collect()
}

/// The arguments of a function that can do without any.
fn nothing_needed(function: &SkillFunction) -> Option<Value> {
    let required = function.parameters.get("required").and_then(Value::as_array);
    required.is_none_or(Vec::is_empty).then(|| Value::Object(Map::new()))
}

fn is_as_before(
    function: &SkillFunction,
    files: &BTreeMap<String, String>,
    base: Option<&BTreeMap<String, String>>,
) -> bool {
    let before = base.and_then(|base| base.get(&function.file));
    before.is_some() && before == files.get(&function.file)
}

/// Calls a function once. It has no assistant, and so none of the services that one may approve.
async fn call(
    work: &RunWork,
    content: &SkillContent,
    name: &str,
    arguments: Value,
) -> Result<SkillTrial, String> {
    let caller = Caller {
        tenant: work.tenant,
        user: work.run.user,
        assistant_id: None,
        conversation_id: None,
        run_id: Some(work.run.id),
        place: SkillUsableIn::Both,
        fence: Some(work.fence()),
    };
    let mut trial = SkillTrial { function: name.to_owned(), arguments, ..SkillTrial::default() };
    match execute(&work.run_context, &caller, None, content, name, &trial.arguments, &Bill::default()).await {
        Ok(ran) => trial.result = Some(short(ran.result)),
        Err(FunctionError::Unavailable(why)) => return Err(why),
        Err(why) => {
            trial.needs_service = needs_service(&why, content);
            trial.error = Some(why.to_string());
        }
    }
    Ok(trial)
}

/// Whether a function failed because it was refused a service that its skill asks for.
fn needs_service(why: &FunctionError, content: &SkillContent) -> bool {
    !content.services.is_empty() && why.to_string().contains("is not approved")
}

/// A result as it is kept: whole, or the beginning of its JSON.
fn short(result: Value) -> Value {
    let text = result.to_string();
    match text.char_indices().nth(LONGEST_RESULT) {
        Some((end, _)) => Value::String(format!("{}…", &text[..end])),
        None => result,
    }
}
