//! Listing drafts, and responses about drafts.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use storage::records::{SkillDraft, SkillDraftState, SkillTrial};
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
    /// Returns only drafts of this bundle file.
    pub skill_filename: Option<String>,
    /// Returns only drafts whose build has ended (`true`) or is still running (`false`).
    pub is_completed: Option<bool>,
    /// The maximum number of items to return.
    #[param(minimum = 1, maximum = 200, default = 50)]
    pub limit: u32,
    /// The `next_cursor` of the previous page.
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
        /// The job that builds the draft.
        job_id: Uuid = row.id.1,
        assistant_id: Uuid = row.id.0,
        /// The file name of the bundle.
        skill_filename: String,
        /// The description from which the skill is built.
        prompt: String,
        /// The skill of which the draft is a new version.
        base_skill_id: Option<Uuid>,
        /// The state of the draft.
        state: SkillDraftState,
        /// Whether the build has ended.
        is_completed: bool = row.body.state != SkillDraftState::Building,
        /// Why the build failed.
        error: Option<String>,
        /// The number of drafts that the model wrote.
        attempts: u32,
        /// The files of the last draft.
        files: Vec<SkillFile> = SkillFile::list(row.body.files),
        /// The faults found in the last draft.
        faults: Vec<String>,
        /// The results of calling the functions of the last draft.
        trials: Vec<SkillTrial>,
        /// A note about how the draft was written, if there is one.
        note: Option<String>,
        /// The skill that was published from the draft.
        skill_id: Option<Uuid>,
        /// The user who requested the draft.
        created_by: Uuid,
        /// When the draft was requested.
        created_at: Timestamp = row.created_at,
        /// When the draft was last changed.
        updated_at: Timestamp = row.updated_at,
        /// When the build ended.
        finished_at: Option<Timestamp>,
    }
}

/// A draft of a skill with the contents of its files.
#[derive(Debug, Serialize, ToSchema)]
pub struct SkillDraftDetailResponse {
    #[serde(flatten)]
    pub draft: SkillDraftResponse,
    /// The text of the files, by path.
    pub contents: BTreeMap<String, String>,
}

impl From<Row<SkillDraft>> for SkillDraftDetailResponse {
    fn from(row: Row<SkillDraft>) -> Self {
        let contents = row.files.clone();
        Self { draft: row.into(), contents }
    }
}

list_of! {
    /// A page of drafts, newest first.
    #[derive(Debug)]
    pub SkillDraftResponseList of SkillDraftResponse
}

/// A page of an assistant's drafts that have not been published.
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
            .map(|row| domain::skills::with_build_state(reader, tenant, row))
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
