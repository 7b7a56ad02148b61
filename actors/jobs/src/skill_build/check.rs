//! Checks whether a draft is usable as a skill.

use std::collections::BTreeMap;

use assist::RunWork;
use assist::skills::bundle::{self, BundleFault};
use assist::skills::{Bill, FunctionError, InspectError, execute, inspect};
use runs::Caller;
use serde_json::{Map, Value};
use storage::records::{SkillContent, SkillFunction, SkillTrial, SkillUsableIn};

use super::pack::pack;
use super::prompts::ParsedDraft;

/// Maximum number of characters of a result that are stored with a trial.
const MAX_RESULT_LENGTH: usize = 4_000;

/// The result of checking a draft.
pub(super) struct CheckResult {
    pub files: BTreeMap<String, String>,
    /// The faults of the draft. Empty if the draft passes.
    pub faults: Vec<String>,
    /// The results of calling its functions.
    pub trials: Vec<SkillTrial>,
}

/// Checks a draft in the same way as an uploaded bundle, and calls each of its functions once. Returns an error message if no
/// sandbox is available to call them.
///
/// A function needs no example if its file is unchanged from the skill that the draft is a new version of.
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

/// Returns empty arguments for a function that requires none.
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

/// Calls a function once. The call has no assistant, and therefore none of the services that an assistant may approve.
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

/// Whether a function failed because a service that its skill requests was refused.
fn needs_service(why: &FunctionError, content: &SkillContent) -> bool {
    !content.services.is_empty() && why.to_string().contains("is not approved")
}

/// Returns a result in the form that is stored: complete, or the beginning of its JSON.
fn short(result: Value) -> Value {
    let text = result.to_string();
    match text.char_indices().nth(MAX_RESULT_LENGTH) {
        Some((end, _)) => Value::String(format!("{}…", &text[..end])),
        None => result,
    }
}
