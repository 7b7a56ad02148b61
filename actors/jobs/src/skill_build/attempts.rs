//! Drafts a skill, checks the draft, and asks for corrections.

use std::collections::BTreeMap;
use std::sync::Arc;

use assist::offer::ModelAccess;
use assist::{RunWork, upstream_error};
use providers::{ChatMessage, ChatRequest, Keys, Model, Role};
use runs::{EventData, OverBudget, RunOutcome, WriteError};
use storage::records::{Skill, SkillContent, SkillDraft};
use storage::{Reader, Row, TenantId};

use super::check::{self, CheckResult};
use super::prompts::{self, ParsedDraft};
use super::spending::Spending;
use super::{ATTEMPTS, ask, builtin, draft_of};

/// The provider whose model cannot write skills.
const BUILTIN: &str = "builtin";

/// The input of a build, at its start or after a restart.
struct BuildInput {
    draft: Row<SkillDraft>,
    model: Arc<Model>,
    /// The files of the skill that the draft will be a new version of.
    base: Option<BTreeMap<String, String>>,
}

/// Asks for drafts until one passes, up to the maximum number of attempts.
pub(super) async fn build(work: &RunWork) -> Result<RunOutcome, WriteError> {
    let BuildInput { mut draft, model, base } = match open(work) {
        Ok(opened) => opened,
        Err(outcome) => return Ok(outcome),
    };
    let mut messages = vec![
        ChatMessage::text(Role::System, prompts::RULES),
        ChatMessage::text(Role::User, prompts::task(&draft.prompt, base.as_ref())),
    ];
    take_up(work, &model, &messages).await?;
    if draft.attempts > 0 {
        if draft.faults.is_empty() {
            return Ok(DONE);
        }
        messages.extend(again(prompts::reminder(&draft), &draft.faults));
    }
    while draft.attempts < ATTEMPTS {
        let (answer, drafted) = if model.info.provider == BUILTIN {
            let files = builtin::draft(&draft.skill_filename, &draft.prompt, base.as_ref());
            draft.note = Some(builtin::NOTE.to_owned());
            (String::new(), ParsedDraft { files, ..ParsedDraft::default() })
        } else {
            match ask_for(work, &model, &messages, draft.attempts + 1).await? {
                Ok(answer) => {
                    let drafted = prompts::read(&answer);
                    (answer, drafted)
                }
                Err(outcome) => return Ok(outcome),
            }
        };
        let checked = match check::check(work, &draft.skill_filename, base.as_ref(), drafted).await {
            Ok(checked) => checked,
            Err(why) => return Ok(RunOutcome::failed("sandbox_unavailable", why)),
        };
        record(work, &mut draft, checked).await?;
        if draft.faults.is_empty() {
            return Ok(DONE);
        }
        if model.info.provider == BUILTIN {
            // The built-in model would return the same draft again.
            break;
        }
        messages.extend(again(answer, &draft.faults));
    }
    let first = draft.faults.first().map(String::as_str).unwrap_or_default();
    let why = format!("{} drafts were made, and none passes: {first}", draft.attempts);
    Ok(RunOutcome::failed("skill_never_passed", why))
}

const DONE: RunOutcome = RunOutcome::Succeeded { reason: None };

fn again(answer: String, faults: &[String]) -> [ChatMessage; 2] {
    [ChatMessage::text(Role::Assistant, answer), ChatMessage::text(Role::User, prompts::complaint(faults))]
}

/// Loads what the build needs. Returns the outcome of the run if anything no longer exists.
fn open(work: &RunWork) -> Result<BuildInput, RunOutcome> {
    let name = &work.run.model;
    let model = work.run_context.models.find(name).ok_or_else(|| {
        RunOutcome::failed("unknown_model", format!("the model {name:?} is not there any more"))
    })?;
    let (tenant, run) = (work.tenant, &work.run);
    // Reads on this thread, which executes only runs.
    let found = work.store.read_now(|reader| {
        let Some(draft) = draft_of(reader, tenant, run)? else { return Ok(None) };
        let base = match draft.base_skill_id {
            Some(skill) => Some(files_of(reader, tenant, skill)?),
            None => None,
        };
        Ok::<_, storage::Error>(Some((draft, base)))
    });
    match found {
        Ok(Some((draft, None))) => Ok(BuildInput { draft, model, base: None }),
        Ok(Some((draft, Some(Some(base))))) => Ok(BuildInput { draft, model, base: Some(base) }),
        Ok(Some((_, Some(None)))) => Err(RunOutcome::failed("not_found", "the skill was deleted")),
        Ok(None) => Err(RunOutcome::failed("not_found", "the draft was deleted")),
        Err(why) => Err(RunOutcome::failed("storage", why.to_string())),
    }
}

fn files_of(
    reader: &Reader,
    tenant: TenantId,
    skill: uuid::Uuid,
) -> storage::Result<Option<BTreeMap<String, String>>> {
    let Some(row) = reader.get::<Skill>(tenant, &skill)? else { return Ok(None) };
    let content = reader.get::<SkillContent>(tenant, &(skill, row.content_hash.clone()))?;
    Ok(content.map(|content| content.body.files))
}

/// Records that work begins, or that it continues after a crash.
async fn take_up(work: &RunWork, model: &Model, messages: &[ChatMessage]) -> Result<(), WriteError> {
    let mut spending = Spending::from_history(&work.history);
    if !spending.started {
        let input_estimate = ask::request(model, messages).input_chars().div_ceil(4);
        let model = model.info.id.clone();
        let first = EventData::RunStarted { model, message_id: None, parent_id: None, input_estimate };
        return work.begin(first)?.verdict().await.map_err(|_| WriteError);
    }
    for event in spending.close_parts() {
        work.writer.push(event)?;
    }
    if let Some(owed) = spending.unreported_usage(&work.run.model, &work.run_context.models) {
        work.writer.push(owed)?;
    }
    work.writer.push(EventData::RunRecovered { epoch: work.run.epoch, kept_chars: 0 })
}

/// Returns the keys for model calls, or the outcome of the run if the budget is exhausted.
fn keys(work: &RunWork) -> Result<Keys, RunOutcome> {
    let (tenant, user) = (work.tenant, work.run.user);
    let offer =
        work.store.read_now(|reader| ModelAccess::read(reader, &work.run_context.models, tenant, user));
    let offer = offer.map_err(|why| RunOutcome::failed("storage", why.to_string()))?;
    offer.within_budget().map_err(|why| RunOutcome::failed(OverBudget::CODE, why.to_string()))?;
    Ok(offer.keys())
}

/// Asks the model for a draft. Returns the outcome of the run if the model gives none.
async fn ask_for(
    work: &RunWork,
    model: &Model,
    messages: &[ChatMessage],
    attempt: u32,
) -> Result<Result<String, RunOutcome>, WriteError> {
    let keys = match keys(work) {
        Ok(keys) => keys,
        Err(outcome) => return Ok(Err(outcome)),
    };
    let mut request = ChatRequest { keys, ..ask::request(model, messages) };
    let name = format!("{}-{attempt}", work.run.epoch);
    let mut answer = ask::ask(work, model, request.clone(), &name).await?;
    if answer.as_ref().is_err_and(|why| ask::may_lack_response_format(why, &request)) {
        request.parameters.remove("response_format");
        answer = ask::ask(work, model, request, &format!("{name}b")).await?;
    }
    Ok(answer.map_err(|why| RunOutcome::Failed { error: upstream_error(&why) }))
}

/// Writes the result of a draft together with its event.
async fn record(work: &RunWork, draft: &mut Row<SkillDraft>, checked: CheckResult) -> Result<(), WriteError> {
    let CheckResult { files, faults, trials } = checked;
    draft.attempts += 1;
    let files_told = files.keys().cloned().collect();
    let event = EventData::SkillDraft { attempt: draft.attempts, files: files_told, faults: faults.clone() };
    (draft.files, draft.faults, draft.trials) = (files, faults, trials);
    let (tenant, id, now) = (work.tenant, draft.id, &draft.body);
    work.write(vec![event.into()], |tx| {
        // If the draft was deleted together with the assistant, there is nothing to store.
        let Some(mut row) = tx.get::<SkillDraft>(tenant, &id)? else { return Ok(()) };
        row.attempts = now.attempts;
        row.files.clone_from(&now.files);
        row.faults.clone_from(&now.faults);
        row.trials.clone_from(&now.trials);
        row.note.clone_from(&now.note);
        tx.update(tenant, row).map(drop)
    })
    .await
}
