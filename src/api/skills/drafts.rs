//! How drafts are shown and listed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use storage::records::{Run, SkillDraft, SkillDraftState, SkillTrial};
use storage::{Cursor, Reader, Row, Scan, TenantId, Timestamp};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::view::SkillFile;
use crate::http::{Api, Faults, Validate, list_of};
use domain::paging::filter_page;

/// Which drafts to list.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct ListDrafts {
    /// Only those that are to be this file.
    pub skill_filename: Option<String>,
    /// Only those whose build is over, or only those whose build is not.
    pub is_completed: Option<bool>,
    /// How many.
    #[param(minimum = 1, maximum = 200, default = 50)]
    pub limit: u32,
    /// `next_cursor` of the page before.
    pub cursor: Option<String>,
}

impl Default for ListDrafts {
    fn default() -> Self {
        Self { skill_filename: None, is_completed: None, limit: 50, cursor: None }
    }
}

impl Validate for ListDrafts {
    fn validate(&self, faults: &mut Faults) {
        if self.cursor.as_deref().is_some_and(|cursor| Cursor::parse(cursor).is_err()) {
            faults.add(["cursor"], "is not a cursor of this list", "malformed");
        }
    }
}

/// A draft of a skill, without the text of its files.
#[derive(Debug, Serialize, ToSchema)]
pub struct SkillDraftResponse {
    /// Its build.
    pub job_id: Uuid,
    /// The assistant it is for.
    pub assistant_id: Uuid,
    /// The file it is to be.
    pub skill_filename: String,
    /// What was asked for.
    pub prompt: String,
    /// The skill that it is to be a new version of.
    pub base_skill_id: Option<Uuid>,
    /// How far it has come.
    pub state: SkillDraftState,
    /// Whether its build is over.
    pub is_completed: bool,
    /// Why it failed.
    pub error: Option<String>,
    /// How many drafts were made.
    pub attempts: u32,
    /// The files of the last one,
    pub files: Vec<SkillFile>,
    /// what its checks found,
    pub faults: Vec<String>,
    /// and what came of calling its functions.
    pub trials: Vec<SkillTrial>,
    /// What is to be known of how it was made, where there is something.
    pub note: Option<String>,
    /// The skill it became.
    pub skill_id: Option<Uuid>,
    /// Who asked for it.
    pub created_by: Uuid,
    /// When that was.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// When its build was over.
    pub finished_at: Option<Timestamp>,
}

impl From<Row<SkillDraft>> for SkillDraftResponse {
    fn from(row: Row<SkillDraft>) -> Self {
        let Row { id: (assistant_id, job_id), created_at, updated_at, body, .. } = row;
        let file = |(path, content): (String, String)| SkillFile { path, size: content.len() as u64 };
        Self {
            job_id,
            assistant_id,
            skill_filename: body.skill_filename,
            prompt: body.prompt,
            base_skill_id: body.base_skill_id,
            state: body.state,
            is_completed: body.state != SkillDraftState::Building,
            error: body.error,
            attempts: body.attempts,
            files: body.files.into_iter().map(file).collect(),
            faults: body.faults,
            trials: body.trials,
            note: body.note,
            skill_id: body.skill_id,
            created_by: body.created_by,
            created_at,
            updated_at,
            finished_at: body.finished_at,
        }
    }
}

/// A draft of a skill with its files.
#[derive(Debug, Serialize, ToSchema)]
pub struct SkillDraftDetailResponse {
    /// The draft.
    #[serde(flatten)]
    pub draft: SkillDraftResponse,
    /// The text of its files, by their paths.
    pub contents: BTreeMap<String, String>,
}

impl From<Row<SkillDraft>> for SkillDraftDetailResponse {
    fn from(row: Row<SkillDraft>) -> Self {
        let contents = row.files.clone();
        Self { draft: row.into(), contents }
    }
}

list_of! {
    /// A page of drafts, the latest first.
    #[derive(Debug)]
    pub SkillDraftResponseList of SkillDraftResponse
}

/// A page of the drafts of an assistant that have not become skills.
pub fn list(
    reader: &Reader,
    tenant: TenantId,
    assistant: Uuid,
    asked: &ListDrafts,
) -> Api<SkillDraftResponseList> {
    let after = asked.cursor.as_deref().map(Cursor::parse).transpose()?;
    let all = || Scan::table().prefix(assistant.as_bytes()).reverse();
    let page = |after, limit| {
        let mut page = reader.scan::<SkillDraft>(tenant, all().after(after).limit(limit))?;
        page.items = page
            .items
            .into_iter()
            .map(|row| true_state(reader, tenant, row))
            .collect::<storage::Result<_>>()?;
        Ok(page)
    };
    let wanted = |row: &Row<SkillDraft>| {
        let completed = row.state != SkillDraftState::Building;
        Ok(row.state != SkillDraftState::Published
            && asked.is_completed.is_none_or(|wanted| wanted == completed)
            && asked.skill_filename.as_ref().is_none_or(|name| *name == row.skill_filename))
    };
    Ok(filter_page(after, asked.limit as usize, page, wanted)?.into())
}

/// A draft as it is. The end of a build writes its draft; one that was given up, as it took the process
/// down again and again, wrote nothing any more.
pub fn true_state(
    reader: &Reader,
    tenant: TenantId,
    mut row: Row<SkillDraft>,
) -> storage::Result<Row<SkillDraft>> {
    if row.state == SkillDraftState::Building {
        let run = reader.get::<Run>(tenant, &row.id.1)?;
        if run.as_ref().is_none_or(|run| run.state.is_terminal()) {
            row.state = SkillDraftState::Failed;
            row.error = Some("the build went down again and again".to_owned());
            row.finished_at = run.and_then(|run| run.ended_at);
        }
    }
    Ok(row)
}
