//! Accepts a build: one transaction either adds the draft and the run, or refuses the request.

use assist::accept;
use providers::Models;
use runs::{RequestKey, Runs, StartError};
use storage::authority::Subject;
use storage::records::{
    Assistant, GrantLevel, Recovery, Run, RunKind, RunState, Shared, Skill, SkillDraft, SkillDraftState,
};
use storage::{Row, Scan, TenantId, Tx, journal};
use uuid::Uuid;

use super::SkillBuild;

/// Maximum number of drafts in the history of an assistant.
const HISTORY: usize = 100;
/// Maximum length of a name made from a prompt, in characters.
const MAX_NAME_LENGTH: usize = 40;

/// A request to build a skill.
#[derive(Clone, Debug)]
pub struct BuildStart {
    /// The tenant that owns the assistant.
    pub tenant: TenantId,
    /// The user who makes the request. The user may edit the assistant.
    pub user: Uuid,
    /// The API token of the request, for the usage record.
    pub token_id: Option<Uuid>,
    /// The assistant that receives the skill.
    pub assistant_id: Uuid,
    /// Describes in words what the skill must do.
    pub prompt: String,
    /// The bundle's file name, which ends in `.skill` or `.zip`. Defaults to a name made from the prompt.
    pub skill_filename: Option<String>,
    /// The skill that the build creates a new version of. The user may edit the skill.
    pub base_skill_id: Option<Uuid>,
    /// The model. Defaults to the assistant's model, then the user's, then the tenant's.
    pub model: Option<String>,
    /// The client's idempotency key. A repeated key within 24 hours returns the same build.
    pub idempotency_key: Option<RequestKey>,
    /// SHA-256 of the request, in hex. A key that was used for a different request is refused.
    pub request_sha256: String,
}

/// The decision of the accepting transaction.
enum Accepted {
    New(Row<SkillDraft>, Box<Row<Run>>),
    Before(Row<SkillDraft>),
}

/// Accepts a build and starts it. Returns the draft, whose job id is the id of the run. When this function returns, both are
/// durable.
///
/// # Errors
/// Returns the reason why the build was refused. A refusal changes nothing.
pub async fn start(runs: &Runs, mut start: BuildStart) -> Result<Row<SkillDraft>, StartError> {
    if runs.draining() {
        return Err(StartError::ShuttingDown);
    }
    if let Some(key) = &mut start.idempotency_key
        && let Some(run) = key.run(runs.store(), &start.request_sha256).await?
    {
        let tenant = start.tenant;
        let draft = runs.store().read(move |reader| super::draft_of(reader, tenant, &run)).await?;
        return draft.ok_or(StartError::Expired);
    }
    runs.may_start(start.tenant, start.user)?;
    let models = runs.handler::<SkillBuild>().run_context.models.clone();
    let (own, tenant) = (runs.clone(), start.tenant);
    let accepted = async move {
        match own.store().run(move |tx| accept(tx, &models, &start)).await? {
            Accepted::New(draft, run) => {
                own.launch(tenant, *run);
                Ok(draft)
            }
            Accepted::Before(draft) => Ok(draft),
        }
    };
    runs.run_uninterrupted(accepted).await
}

fn accept(tx: &mut Tx, models: &Models, start: &BuildStart) -> Result<Accepted, StartError> {
    let (tenant, user) = (start.tenant, start.user);
    if let Some(key) = &start.idempotency_key
        && let Some(run) = key.accepted(tx, &start.request_sha256)?
    {
        let draft = super::draft_of(tx, tenant, &run)?.ok_or(StartError::Expired)?;
        return Ok(Accepted::Before(draft));
    }
    let assistant = editable::<Assistant>(tx, tenant, user, start.assistant_id, "assistant")?;
    if assistant.deleted_at.is_some() {
        return Err(StartError::NotFound("assistant"));
    }
    accept::enabled(&assistant)?;
    if let Some(base) = start.base_skill_id {
        editable::<Skill>(tx, tenant, user, base, "skill")?;
    }
    let drafts = tx.scan::<SkillDraft>(tenant, Scan::table().prefix(assistant.id.as_bytes()))?.items;
    if drafts.iter().filter(|draft| draft.state != SkillDraftState::Published).count() >= HISTORY {
        let msg = format!("the history has {HISTORY} drafts; delete some of them first");
        return Err(StartError::Invalid { loc: "assistant_id", msg });
    }
    let model = accept::model(tx, models, tenant, user, [start.model.as_deref(), None], Some(&assistant))?;
    let job = Uuid::now_v7();
    let draft = SkillDraft {
        skill_filename: start.skill_filename.clone().unwrap_or_else(|| filename_of(&start.prompt)),
        prompt: start.prompt.clone(),
        base_skill_id: start.base_skill_id,
        created_by: user,
        ..SkillDraft::default()
    };
    let draft = tx.insert(tenant, (assistant.id, job), draft)?;
    let run = Run {
        kind: RunKind::SkillBuild,
        user,
        assistant_id: Some(assistant.id),
        model,
        state: RunState::Queued,
        epoch: 1,
        recovery: Recovery::Continue,
        token_id: start.token_id,
        trace: tx.trace(),
        ..Run::default()
    };
    let run = tx.insert(tenant, job, run)?;
    journal::set_epoch(tx.batch(), tenant, job, 1);
    if let Some(key) = &start.idempotency_key {
        key.record_run(tx, &start.request_sha256, job)?;
    }
    Ok(Accepted::New(draft, Box::new(run)))
}

/// Returns a row that the user may edit. Rows that the user may not edit are reported as not found.
fn editable<T>(
    tx: &mut Tx,
    tenant: TenantId,
    user: Uuid,
    id: Uuid,
    name: &'static str,
) -> Result<Row<T>, StartError>
where
    T: storage::Record<Id = Uuid> + Shared,
{
    let subject = Subject::read(tx, tenant, user)?.ok_or(StartError::NotFound(name))?;
    let may = |row: &Row<T>| row.body.level_of(&subject) >= Some(GrantLevel::Editor);
    tx.get::<T>(tenant, &id)?.filter(may).ok_or(StartError::NotFound(name))
}

/// Makes a file name from the first words of a prompt.
fn filename_of(prompt: &str) -> String {
    let mut name = String::new();
    for word in prompt.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        if name.chars().count() + word.chars().count() >= MAX_NAME_LENGTH {
            break;
        }
        if !name.is_empty() {
            name.push('-');
        }
        name.extend(word.chars().flat_map(char::to_lowercase));
    }
    if name.is_empty() {
        name.push_str("skill");
    }
    name + ".skill"
}

#[cfg(test)]
mod tests {
    use super::filename_of;

    #[test]
    fn filename_of_uses_the_first_words() {
        for (prompt, name) in [
            ("Work out the VAT of a price!", "work-out-the-vat-of-a-price.skill"),
            ("../../etc/passwd", "etc-passwd.skill"),
            ("Ärger über Öl", "ärger-über-öl.skill"),
            ("?!", "skill.skill"),
            (&"a".repeat(100), "skill.skill"),
        ] {
            assert_eq!(filename_of(prompt), name);
        }
    }
}
