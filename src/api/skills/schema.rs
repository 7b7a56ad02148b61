//! What skills are asked for with.

use domain::skills::SkillInput;
use serde::{Deserialize, Serialize};
use storage::records::{Grant, SkillUsableIn, Visibility};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::http::{Faults, MultipartForm, Validate};

/// A new skill: a bundle in the field `file`, or a draft of the builder that is to be published.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct UploadGlobalSkillForm {
    /// The bundle: a `.skill` or `.zip` file, one `SKILL.md` or one `.js` file.
    #[serde(default, rename = "file")]
    #[schema(value_type = Option<String>, format = Binary)]
    _file: Option<()>,
    /// Instead of a file: the job of the draft that is published,
    pub draft_job_id: Option<Uuid>,
    /// and the assistant in whose history it is.
    pub draft_assistant_id: Option<Uuid>,
    /// Its name; else the bundle's.
    #[schema(min_length = 1, max_length = 100)]
    pub name: Option<String>,
    /// What it is for; else what the bundle says.
    #[schema(max_length = 2000)]
    pub description: Option<String>,
    /// Where it can be used; else what the bundle says.
    pub usable_in: Option<SkillUsableIn>,
    /// Who may see it; `tenant` unless said otherwise.
    pub visibility: Option<Visibility>,
    /// Rights of others, as JSON.
    #[schema(max_items = 100)]
    pub grants: Option<Vec<Grant>>,
}

/// A change to a skill. What is left out stays; with a new bundle, name, description and usability are
/// those of the bundle unless they are given.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct UpdateGlobalSkillForm {
    /// A new version: a `.skill` or `.zip` file, one `SKILL.md` or one `.js` file.
    #[serde(default, rename = "file")]
    #[schema(value_type = Option<String>, format = Binary)]
    _file: Option<()>,
    /// Instead of a file: the job of the draft that becomes the new version,
    pub draft_job_id: Option<Uuid>,
    /// and the assistant in whose history it is.
    pub draft_assistant_id: Option<Uuid>,
    /// Its name.
    #[schema(min_length = 1, max_length = 100)]
    pub name: Option<String>,
    /// What it is for.
    #[schema(max_length = 2000)]
    pub description: Option<String>,
    /// Where it can be used.
    pub usable_in: Option<SkillUsableIn>,
    /// Who may see it. Owners alone change that.
    pub visibility: Option<Visibility>,
    /// Rights of others, as JSON. Owners alone change them.
    #[schema(max_items = 100)]
    pub grants: Option<Vec<Grant>>,
    /// The version that is changed; if it is another by now, the answer is 412. `If-Match` does the
    /// same.
    pub version: Option<u64>,
}

/// A picture for a skill.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct UploadSkillAvatarForm {
    /// A PNG, JPEG or WebP file of at most 2 MiB.
    #[serde(default, rename = "file")]
    #[schema(value_type = String, format = Binary)]
    _file: Option<()>,
}

impl MultipartForm for UploadGlobalSkillForm {
    const JSON: &'static [&'static str] = &["grants"];
    const FILES: &'static [&'static str] = &["file"];
}

impl MultipartForm for UpdateGlobalSkillForm {
    const JSON: &'static [&'static str] = &["grants"];
    const FILES: &'static [&'static str] = &["file"];
}

impl MultipartForm for UploadSkillAvatarForm {
    const JSON: &'static [&'static str] = &[];
    const FILES: &'static [&'static str] = &["file"];
}

impl Validate for UploadSkillAvatarForm {}

/// What both forms say of a skill.
#[derive(Clone, Debug, Default)]
pub struct Said {
    /// Its name.
    pub name: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// Where it can be used.
    pub usable_in: Option<SkillUsableIn>,
    /// Who may see it.
    pub visibility: Option<Visibility>,
    /// Rights of others.
    pub grants: Option<Vec<Grant>>,
    /// The version that is changed.
    pub version: Option<u64>,
    /// The draft that is published, as the form names it: its assistant and its job.
    pub draft: (Option<Uuid>, Option<Uuid>),
}

impl From<Said> for SkillInput {
    fn from(said: Said) -> Self {
        let Said { name, description, usable_in, visibility, grants, .. } = said;
        Self { name, description, usable_in, visibility, grants }
    }
}

impl Said {
    /// The draft that is named: its assistant and its job.
    pub fn draft(&self) -> Option<(Uuid, Uuid)> {
        self.draft.0.zip(self.draft.1)
    }

    fn validate(&self, faults: &mut Faults) {
        if let Some(name) = &self.name {
            faults.name("name", name.trim());
        }
        match self.draft {
            (Some(_), None) => {
                faults.add(["draft_job_id"], "is missing beside draft_assistant_id", "missing")
            }
            (None, Some(_)) => {
                faults.add(["draft_assistant_id"], "is missing beside draft_job_id", "missing");
            }
            _ => {}
        }
    }
}

impl From<UploadGlobalSkillForm> for Said {
    fn from(form: UploadGlobalSkillForm) -> Self {
        let UploadGlobalSkillForm { name, description, usable_in, visibility, grants, .. } = form;
        let draft = (form.draft_assistant_id, form.draft_job_id);
        Self { name, description, usable_in, visibility, grants, version: None, draft }
    }
}

impl From<UpdateGlobalSkillForm> for Said {
    fn from(form: UpdateGlobalSkillForm) -> Self {
        let UpdateGlobalSkillForm { name, description, usable_in, visibility, grants, version, .. } = form;
        let draft = (form.draft_assistant_id, form.draft_job_id);
        Self { name, description, usable_in, visibility, grants, version, draft }
    }
}

impl Validate for UploadGlobalSkillForm {
    const TRIMMED: &'static [&'static str] = &["name"];

    fn validate(&self, faults: &mut Faults) {
        Said::from(self.clone()).validate(faults);
    }
}

impl Validate for UpdateGlobalSkillForm {
    const TRIMMED: &'static [&'static str] = &["name"];

    fn validate(&self, faults: &mut Faults) {
        Said::from(self.clone()).validate(faults);
    }
}

/// A skill that a model is to write.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct BuildSkillRequest {
    /// What the skill is to do, in words.
    #[schema(min_length = 1, max_length = 20000)]
    pub prompt: String,
    /// The bundle's file name, which ends in `.skill` or `.zip`; else it is made from the prompt.
    #[schema(min_length = 1, max_length = 100, example = "prices.skill")]
    pub skill_filename: Option<String>,
    /// The skill that it is to be a new version of; the caller may change it.
    pub base_skill_id: Option<Uuid>,
    /// The model that writes it; else the assistant's, the user's, the tenant's.
    pub model: Option<String>,
}

impl Validate for BuildSkillRequest {
    const TRIMMED: &'static [&'static str] = &["prompt"];

    fn validate(&self, faults: &mut Faults) {
        let Some(name) = &self.skill_filename else { return };
        if name.chars().any(|char| char.is_control() || matches!(char, '/' | '\\')) {
            faults.add(["skill_filename"], "holds characters that names of files do not have", "malformed");
        }
        let stem = name.strip_suffix(".skill").or_else(|| name.strip_suffix(".zip"));
        if stem.is_none_or(|stem| stem.trim().is_empty()) {
            faults.add(["skill_filename"], "does not end in .skill or .zip after a name", "malformed");
        }
    }
}
