//! How drafts are shown and listed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use storage::records::{Run, SkillDraft, SkillDraftState, SkillTrial};
use storage::{Cursor, Reader, Row, Scan, TenantId, Timestamp};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::view::SkillFile;
use crate::http::{Api, Faults, Validate, list_of, record_view};
use domain::paging::filter_page;

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

record_view! {
    /// A draft of a skill, without the text of its files.
    #[derive(Debug, Serialize, ToSchema)]
    pub struct SkillDraftResponse from row: Row<SkillDraft>, row.body => {
        /// The job that builds it.
        job_id: Uuid = row.id.1,
        assistant_id: Uuid = row.id.0,
        /// The name of the bundle that is built.
        skill_filename: String,
        /// The description that it is built from.
        prompt: String,
        /// The skill that it is to be a new version of.
        base_skill_id: Option<Uuid>,
        /// How far it has come.
        state: SkillDraftState,
        /// Whether its build is over.
        is_completed: bool = row.body.state != SkillDraftState::Building,
        /// Why it failed.
        error: Option<String>,
        /// How many drafts were made.
        attempts: u32,
        /// The files of the last one.
        files: Vec<SkillFile> = SkillFile::list(row.body.files),
        /// The faults found by checking the last one.
        faults: Vec<String>,
        /// The results of calling the functions of the last one.
        trials: Vec<SkillTrial>,
        /// What is to be known of how it was made, where there is something.
        note: Option<String>,
        /// The skill it became.
        skill_id: Option<Uuid>,
        /// The user who requested it.
        created_by: Uuid,
        /// When it was requested.
        created_at: Timestamp = row.created_at,
        /// When it was last changed.
        updated_at: Timestamp = row.updated_at,
        /// When its build was over.
        finished_at: Option<Timestamp>,
    }
}

/// A draft of a skill with its files.
#[derive(Debug, Serialize, ToSchema)]
pub struct SkillDraftDetailResponse {
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
    params: &ListDrafts,
) -> Api<SkillDraftResponseList> {
    let after = params.cursor.as_deref().map(Cursor::parse).transpose()?;
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
            && params.is_completed.is_none_or(|wanted| wanted == completed)
            && params.skill_filename.as_ref().is_none_or(|name| *name == row.skill_filename))
    };
    Ok(filter_page(after, params.limit as usize, page, wanted)?.into())
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
