//! What skills are asked for with.

use domain::skills::SkillInput;
use serde::{Deserialize, Serialize};
use storage::records::{Grant, SkillUsableIn, Visibility};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::http::{Faults, MultipartForm, Validate};

/// Declares a form that brings the content of a skill and its fields: each field is stated once.
macro_rules! skill_form {
    ($(#[$meta:meta])* $name:ident { $($(#[$version_meta:meta])* $version:ident: $version_type:ty)? }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Deserialize, ToSchema)]
        pub struct $name {
            /// The content: a `.skill` or `.zip` file, one `SKILL.md` or one `.js` file.
            #[serde(default, rename = "file")]
            #[schema(value_type = Option<String>, format = Binary)]
            _file: Option<()>,
            /// Instead of a file: the job of the draft that is published. Needs `draft_assistant_id`.
            pub draft_job_id: Option<Uuid>,
            /// The assistant that the draft belongs to.
            pub draft_assistant_id: Option<Uuid>,
            /// The name shown to users; left out, that of a new bundle.
            #[schema(min_length = 1, max_length = 100)]
            pub name: Option<String>,
            /// What it is for; left out, what a new bundle states.
            #[schema(max_length = 2000)]
            pub description: Option<String>,
            /// Where it can be used; left out, what a new bundle states.
            pub usable_in: Option<SkillUsableIn>,
            /// Who may see it; `tenant` by default. Only owners change it.
            pub visibility: Option<Visibility>,
            /// Rights of others, as JSON. Only owners change them.
            #[schema(max_items = 100)]
            pub grants: Option<Vec<Grant>>,
            $($(#[$version_meta])* pub $version: $version_type,)?
        }

        impl MultipartForm for $name {
            const JSON: &'static [&'static str] = &["grants"];
            const FILES: &'static [&'static str] = &["file"];
        }

        impl From<$name> for SkillFields {
            fn from(form: $name) -> Self {
                let $name { name, description, usable_in, visibility, grants, .. } = form;
                Self {
                    input: SkillInput { name, description, usable_in, visibility, grants },
                    version: None$(.or(form.$version))?,
                    draft: (form.draft_assistant_id, form.draft_job_id),
                }
            }
        }

        impl Validate for $name {
            const TRIMMED: &'static [&'static str] = &["name"];

            fn validate(&self, faults: &mut Faults) {
                SkillFields::from(self.clone()).validate(faults);
            }
        }
    };
}

skill_form! {
    /// A new skill: a bundle in the field `file`, or a draft of the builder that is to be published.
    UploadGlobalSkillForm {}
}

skill_form! {
    /// A change to a skill. What is left out stays; with a new bundle, name, description and usability are those of the
    /// bundle unless they are given.
    UpdateGlobalSkillForm {
        /// The version that is changed; if it is another by now, the response is 412. `If-Match` does the same.
        version: Option<u64>
    }
}

/// A picture for a skill.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct UploadSkillAvatarForm {
    /// A PNG, JPEG or WebP file of at most 2 MiB.
    #[serde(default, rename = "file")]
    #[schema(value_type = String, format = Binary)]
    _file: Option<()>,
}

impl MultipartForm for UploadSkillAvatarForm {
    const JSON: &'static [&'static str] = &[];
    const FILES: &'static [&'static str] = &["file"];
}

impl Validate for UploadSkillAvatarForm {}

/// What a form contains, beside its file.
#[derive(Clone, Debug)]
pub struct SkillFields {
    pub input: SkillInput,
    /// The version that is changed.
    pub version: Option<u64>,
    /// The draft that is published, as the form names it: its assistant and its job.
    draft: (Option<Uuid>, Option<Uuid>),
}

impl SkillFields {
    /// The draft that is named: its assistant and its job.
    pub fn draft(&self) -> Option<(Uuid, Uuid)> {
        self.draft.0.zip(self.draft.1)
    }

    fn validate(&self, faults: &mut Faults) {
        if let Some(name) = &self.input.name {
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
