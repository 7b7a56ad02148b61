//! Responses about skills.

use std::collections::BTreeMap;

use serde::Serialize;
use storage::records::{
    CatalogMetadata, Grant, Skill, SkillContent, SkillFunction, SkillUsableIn, SkillVersion, Visibility,
};
use storage::{Row, Timestamp};
use utoipa::ToSchema;
use uuid::Uuid;

use super::PATH;
use crate::api::images;
use crate::api::permissions::permissions;
use crate::http::{Caller, HasVersion, list_of, record_view};
use domain::sharing;

permissions! {
    /// What the caller may do with a skill.
    SkillPermissions
}

record_view! {
    /// A skill, without its content.
    #[derive(Debug, Serialize, ToSchema)]
    pub struct SkillResponse from (row, permissions): (Row<Skill>, SkillPermissions), row.body => {
        /// The skill's id.
        id: Uuid = row.id,
        /// The name shown to users.
        name: String,
        description: String,
        /// Where the skill can be used.
        usable_in: SkillUsableIn,
        /// The names of the skill's functions.
        functions: Vec<String>,
        /// The external services that the functions require.
        services: Vec<String>,
        /// The version in use: the SHA-256 hash of its content, in hex.
        content_hash: String,
        /// Who can see the skill.
        visibility: Visibility,
        /// The user who owns the skill.
        owner: Uuid,
        /// Permissions of other users, groups and teams. Returned only to callers who may change the skill.
        grants: Vec<Grant> = if permissions.edit { row.body.grants } else { Vec::new() },
        /// The URL of the avatar.
        avatar_url: Option<String> = images::address(PATH, row.id, row.body.avatar.as_ref()),
        /// The catalog metadata of the skill.
        catalog: Option<CatalogMetadata>,
        /// The version of the skill, which starts at 1 and increases with every change.
        version: u64 = row.version,
        /// When the skill was created.
        created_at: Timestamp = row.created_at,
        /// When the skill was last changed.
        updated_at: Timestamp = row.updated_at,
        /// What the caller may do with the skill.
        permissions: SkillPermissions = permissions,
    }
}

impl SkillResponse {
    /// Builds the view of a skill for a caller.
    pub fn new(row: Row<Skill>, caller: &Caller) -> Self {
        let permissions = sharing::level(&row.body, caller).unwrap_or_default().into();
        (row, permissions).into()
    }
}

/// A file of a skill.
#[derive(Debug, Serialize, ToSchema)]
pub struct SkillFile {
    /// The path of the file in the bundle.
    pub path: String,
    /// The size of the file in bytes.
    pub size: u64,
}

impl SkillFile {
    /// Lists the files of a bundle, without their text.
    pub fn list(files: BTreeMap<String, String>) -> Vec<Self> {
        files.into_iter().map(|(path, content)| Self { path, size: content.len() as u64 }).collect()
    }
}

/// A skill with its content.
#[derive(Debug, Serialize, ToSchema)]
pub struct SkillDetailResponse {
    #[serde(flatten)]
    pub skill: SkillResponse,
    /// The instructions for the model, as Markdown.
    pub instructions: String,
    /// The functions, with the JSON Schemas of their arguments.
    pub function_details: Vec<SkillFunction>,
    /// The files of the skill. Returned only to callers who may change it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub files: Option<Vec<SkillFile>>,
    /// All versions of the skill, oldest first. Returned only to callers who may change it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub versions: Option<Vec<SkillVersion>>,
}

impl SkillDetailResponse {
    /// Builds the detailed view of a skill for a caller.
    pub fn new(row: Row<Skill>, content: SkillContent, caller: &Caller) -> Self {
        let versions = row.versions.clone();
        let skill = SkillResponse::new(row, caller);
        let edit = skill.permissions.edit;
        Self {
            skill,
            instructions: content.instructions,
            function_details: content.functions,
            files: edit.then(|| SkillFile::list(content.files)),
            versions: edit.then_some(versions),
        }
    }
}

impl HasVersion for SkillDetailResponse {
    fn version(&self) -> u64 {
        self.skill.version
    }
}

list_of! {
    /// A page of skills.
    #[derive(Debug)]
    pub SkillResponseList of SkillResponse
}
