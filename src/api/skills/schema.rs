//! Requests about skills.

use domain::skills::SkillInput;
use serde::{Deserialize, Serialize};
use storage::records::{Grant, SkillUsableIn, Visibility};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::http::{Faults, MultipartForm, Validate};

/// Declares a form with the content of a skill and its fields, so that each field is stated once.
macro_rules! skill_form {
    ($(#[$meta:meta])* $name:ident { $($(#[$version_meta:meta])* $version:ident: $version_type:ty)? }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Deserialize, ToSchema)]
        pub struct $name {
            /// The content of the skill: a `.skill` or `.zip` file, a single `SKILL.md` or a single `.js` file.
            #[serde(default, rename = "file")]
            #[schema(value_type = Option<String>, format = Binary)]
            _file: Option<()>,
            /// The job of the draft to publish, instead of a file. Requires `draft_assistant_id`.
            pub draft_job_id: Option<Uuid>,
            /// The assistant that the draft belongs to.
            pub draft_assistant_id: Option<Uuid>,
            /// The name shown to users. If omitted, the name of a new bundle is used.
            #[schema(min_length = 1, max_length = 100)]
            pub name: Option<String>,
            /// What the skill is for. If omitted, the description of a new bundle is used.
            #[schema(max_length = 2000)]
            pub description: Option<String>,
            /// Where the skill can be used. If omitted, the setting of a new bundle is used.
            pub usable_in: Option<SkillUsableIn>,
            /// Who can see the skill. Defaults to `tenant`. Only owners can change it.
            pub visibility: Option<Visibility>,
            /// Permissions of other users, groups and teams, as JSON. Only owners can change them.
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
    /// A skill to create: a bundle in the field `file`, or a draft of the builder to publish.
    UploadGlobalSkillForm {}
}

skill_form! {
    /// Changes to a skill. Omitted fields do not change. A new bundle also sets the name, description and
    /// usability, unless the form contains them.
    UpdateGlobalSkillForm {
        /// The version to change. If the current version differs, the response is 412. `If-Match` has the same
        /// effect.
        version: Option<u64>
    }
}

/// An avatar for a skill.
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

/// The fields of a form, without its file.
#[derive(Clone, Debug)]
pub struct SkillFields {
    pub input: SkillInput,
    /// The version to change.
    pub version: Option<u64>,
    /// The draft to publish, as the form names it: its assistant and its job.
    draft: (Option<Uuid>, Option<Uuid>),
}

impl SkillFields {
    /// The draft that the form names: its assistant and its job.
    pub fn draft(&self) -> Option<(Uuid, Uuid)> {
        self.draft.0.zip(self.draft.1)
    }

    fn validate(&self, faults: &mut Faults) {
        if let Some(name) = &self.input.name {
            faults.name("name", name.trim());
        }
        match self.draft {
            (Some(_), None) => faults.add(["draft_job_id"], "is required with draft_assistant_id", "missing"),
            (None, Some(_)) => {
                faults.add(["draft_assistant_id"], "is required with draft_job_id", "missing");
            }
            _ => {}
        }
    }
}

/// A request to build a skill with a model.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct BuildSkillRequest {
    /// A description of what the skill should do.
    #[schema(min_length = 1, max_length = 20000)]
    pub prompt: String,
    /// The file name of the bundle, which must end in `.skill` or `.zip`. Defaults to a name derived from the
    /// prompt.
    #[schema(min_length = 1, max_length = 100, example = "prices.skill")]
    pub skill_filename: Option<String>,
    /// The skill of which a new version is built. The caller must be allowed to change it.
    pub base_skill_id: Option<Uuid>,
    /// The model that writes the skill. Defaults to the assistant's model, then the user's, then the tenant's.
    pub model: Option<String>,
}

impl Validate for BuildSkillRequest {
    const TRIMMED: &'static [&'static str] = &["prompt"];

    fn validate(&self, faults: &mut Faults) {
        let Some(name) = &self.skill_filename else { return };
        if name.chars().any(|char| char.is_control() || matches!(char, '/' | '\\')) {
            faults.add(
                ["skill_filename"],
                "contains characters that are not allowed in file names",
                "malformed",
            );
        }
        let stem = name.strip_suffix(".skill").or_else(|| name.strip_suffix(".zip"));
        if stem.is_none_or(|stem| stem.trim().is_empty()) {
            faults.add(["skill_filename"], "must be a name that ends in .skill or .zip", "malformed");
        }
    }
}
