//! How skills are shown.

use serde::Serialize;
use storage::records::{
    CatalogMetadata, Grant, GrantLevel, Skill, SkillContent, SkillFunction, SkillUsableIn, SkillVersion,
    Visibility,
};
use storage::{Row, Timestamp};
use utoipa::ToSchema;
use uuid::Uuid;

use super::PATH;
use crate::api::images;
use crate::http::{Caller, HasVersion, list_of};
use domain::sharing;

/// What the caller may do with a skill.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct SkillPermissions {
    /// In one word.
    pub level: GrantLevel,
    /// Change it.
    pub edit: bool,
    /// Share it.
    pub share: bool,
    /// Delete it.
    pub delete: bool,
}

/// A skill, without what it consists of.
#[derive(Debug, Serialize, ToSchema)]
pub struct SkillResponse {
    /// Its id.
    pub id: Uuid,
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Where it can be used.
    pub usable_in: SkillUsableIn,
    /// Names of its functions.
    pub functions: Vec<String>,
    /// External services that its functions ask for.
    pub services: Vec<String>,
    /// The version in use: SHA-256 of its content, in hex.
    pub content_hash: String,
    /// Who may see it.
    pub visibility: Visibility,
    /// Whose it is.
    pub owner: Uuid,
    /// Rights of others; shown to those who may change it.
    pub grants: Vec<Grant>,
    /// Its picture.
    pub avatar_url: Option<String>,
    /// What the catalog tells of it.
    pub catalog: Option<CatalogMetadata>,
    /// How often it was written, from 1.
    pub version: u64,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// What the caller may do with it.
    pub permissions: SkillPermissions,
}

impl SkillResponse {
    /// The skill as this caller may see it.
    pub fn of(row: Row<Skill>, caller: &Caller) -> Self {
        let level = sharing::level(&row.body, caller).unwrap_or_default();
        let (edit, owner) = (level >= GrantLevel::Editor, level >= GrantLevel::Owner);
        let Row { id, version, created_at, updated_at, body } = row;
        Self {
            id,
            name: body.name,
            description: body.description,
            usable_in: body.usable_in,
            functions: body.functions,
            services: body.services,
            content_hash: body.content_hash,
            visibility: body.visibility,
            owner: body.owner,
            grants: if edit { body.grants } else { Vec::new() },
            avatar_url: images::address(PATH, id, body.avatar.as_ref()),
            catalog: body.catalog,
            version,
            created_at,
            updated_at,
            permissions: SkillPermissions { level, edit, share: owner, delete: owner },
        }
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

/// A skill with what it consists of.
#[derive(Debug, Serialize, ToSchema)]
pub struct SkillDetailResponse {
    /// The skill.
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
    pub fn of(row: Row<Skill>, content: SkillContent, caller: &Caller) -> Self {
        let versions = row.versions.clone();
        let skill = SkillResponse::of(row, caller);
        let edit = skill.permissions.edit;
        let file = |(path, content): (String, String)| SkillFile { path, size: content.len() as u64 };
        Self {
            skill,
            instructions: content.instructions,
            function_details: content.functions,
            files: edit.then(|| content.files.into_iter().map(file).collect()),
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
