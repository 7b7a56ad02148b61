//! How skills are shown.

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
    /// A skill, without what it consists of.
    #[derive(Debug, Serialize, ToSchema)]
    pub struct SkillResponse from (row, permissions): (Row<Skill>, SkillPermissions), row.body => {
        /// The skill's id.
        id: Uuid = row.id,
        /// The name shown to users.
        name: String,
        description: String,
        /// Where it can be used.
        usable_in: SkillUsableIn,
        /// Names of its functions.
        functions: Vec<String>,
        /// External services that its functions ask for.
        services: Vec<String>,
        /// The version in use: SHA-256 of its content, in hex.
        content_hash: String,
        /// Who may see it.
        visibility: Visibility,
        /// The user who owns it.
        owner: Uuid,
        /// Rights of others; shown to those who may change it.
        grants: Vec<Grant> = if permissions.edit { row.body.grants } else { Vec::new() },
        /// The address of its picture.
        avatar_url: Option<String> = images::address(PATH, row.id, row.body.avatar.as_ref()),
        /// What the catalog shows of it.
        catalog: Option<CatalogMetadata>,
        /// How often it was written, from 1.
        version: u64 = row.version,
        /// When it was created.
        created_at: Timestamp = row.created_at,
        /// When it was last changed.
        updated_at: Timestamp = row.updated_at,
        /// What the caller may do with it.
        permissions: SkillPermissions = permissions,
    }
}

impl SkillResponse {
    /// The skill as this caller may see it.
    pub fn new(row: Row<Skill>, caller: &Caller) -> Self {
        let permissions = sharing::level(&row.body, caller).unwrap_or_default().into();
        (row, permissions).into()
    }
}

/// A file of a skill.
#[derive(Debug, Serialize, ToSchema)]
pub struct SkillFile {
    /// Where it stands in the bundle.
    pub path: String,
    /// Its size in bytes.
    pub size: u64,
}

impl SkillFile {
    /// The files of a bundle, without their text.
    pub fn list(files: BTreeMap<String, String>) -> Vec<Self> {
        files.into_iter().map(|(path, content)| Self { path, size: content.len() as u64 }).collect()
    }
}

/// A skill with what it consists of.
#[derive(Debug, Serialize, ToSchema)]
pub struct SkillDetailResponse {
    #[serde(flatten)]
    pub skill: SkillResponse,
    /// What the model is told, as Markdown.
    pub instructions: String,
    /// Its functions, with the JSON Schemas of their arguments.
    pub function_details: Vec<SkillFunction>,
    /// Its files; shown to those who may change it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<SkillFile>>,
    /// The versions there were, the latest last; shown to those who may change it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub versions: Option<Vec<SkillVersion>>,
}

impl SkillDetailResponse {
    /// The skill as this caller may see it.
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
