//! Requests about knowledge bases.

use domain::knowledge_bases::{DocumentName, KnowledgeBaseInput, MAX_URL_BYTES};
use serde::Deserialize;
use storage::records::{Grant, Visibility};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::http::{Faults, MultipartForm, Patch, Validate, record_requests};

record_requests! {
    create {
        /// A knowledge base to create. Omitted fields have their defaults.
        KnowledgeBaseCreateBody
    }
    patch {
        /// Changes to a knowledge base. Omitted fields do not change; `null` restores a default.
        KnowledgeBaseUpdateBody
    } into KnowledgeBaseInput {
        required {
            /// The name shown to users.
            #[schema(min_length = 1, max_length = 100)]
            name: String,
        }
        default {
            /// What the knowledge base contains.
            #[schema(max_length = 2000)]
            description: String,
            /// Who can see the knowledge base.
            visibility: Visibility,
            /// Permissions of other users, groups and teams.
            #[schema(max_items = 100)]
            grants: Vec<Grant>,
        }
        optional {
            /// The full id of the model that embeds passages. Defaults to the default embedding model.
            embedding_model: String,
            /// The size of a passage, in tokens. Defaults to 512.
            #[schema(minimum = 64, maximum = 4096)]
            chunk_tokens: u32,
            /// The number of tokens that consecutive passages share. Must be less than half of `chunk_tokens`.
            /// Defaults to 64, or less for a new knowledge base with short passages.
            #[schema(minimum = 0, maximum = 2047)]
            overlap: u32,
        }
    }
}

impl Validate for KnowledgeBaseUpdateBody {
    const TRIMMED: &'static [&'static str] = &["name"];

    fn validate(&self, faults: &mut Faults) {
        if let Some(name) = self.name.as_set() {
            faults.name("name", name.trim());
        }
        if matches!(self.name, Patch::Clear) {
            faults.add(["name"], "cannot be empty", "missing");
        }
    }
}

/// Files to add to a knowledge base.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct UploadKnowledgeBaseFileForm {
    /// The file. Repeat this field, or the field `files`, to upload several files.
    #[serde(default, rename = "file")]
    #[schema(value_type = Vec<String>, format = Binary)]
    _file: Option<()>,
    /// The title of the document. Defaults to the file name. Only allowed with a single file.
    #[schema(min_length = 1, max_length = 255)]
    pub title: Option<String>,
    /// A description of the document.
    #[schema(max_length = 2000)]
    pub description: Option<String>,
}

impl MultipartForm for UploadKnowledgeBaseFileForm {
    const JSON: &'static [&'static str] = &[];
    const FILES: &'static [&'static str] = &["file", "files"];
}

impl Validate for UploadKnowledgeBaseFileForm {
    const TRIMMED: &'static [&'static str] = &["title"];

    fn validate(&self, faults: &mut Faults) {
        faults.name("title", self.title.as_deref().unwrap_or_default().trim());
    }
}

/// The new title and description of a document. Replaces both.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct KnowledgeBaseFileUpdateBody {
    /// The title of the document.
    #[schema(min_length = 1, max_length = 255)]
    pub title: String,
    /// A description of the document.
    #[serde(default)]
    #[schema(max_length = 2000)]
    pub description: String,
    /// The version to change. If the current version differs, the response is 412.
    pub version: Option<u64>,
}

impl From<KnowledgeBaseFileUpdateBody> for DocumentName {
    fn from(body: KnowledgeBaseFileUpdateBody) -> Self {
        let KnowledgeBaseFileUpdateBody { title, description, version } = body;
        Self { title, description, version }
    }
}

impl Validate for KnowledgeBaseFileUpdateBody {
    const TRIMMED: &'static [&'static str] = &["title"];

    fn validate(&self, faults: &mut Faults) {
        faults.name("title", self.title.trim());
    }
}

/// A web page to add.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct AddKnowledgeBaseLinkBody {
    /// The URL of the page.
    #[schema(max_length = 2000, example = "https://example.org/handbook")]
    pub url: String,
    /// The title of the document. Defaults to the title of the page.
    #[schema(min_length = 1, max_length = 255)]
    pub title: Option<String>,
    /// A description of the document.
    #[schema(max_length = 2000)]
    pub description: Option<String>,
}

impl Validate for AddKnowledgeBaseLinkBody {
    const TRIMMED: &'static [&'static str] = &["title"];

    fn validate(&self, faults: &mut Faults) {
        if let Err(why) = address(&self.url) {
            faults.add(["url"], why, "malformed");
        }
        faults.name("title", self.title.as_deref().unwrap_or_default().trim());
    }
}

/// Normalizes a web address so that addresses can be compared, or returns the reason why it is invalid.
pub fn address(text: &str) -> Result<String, &'static str> {
    if text.len() > MAX_URL_BYTES {
        return Err("is longer than 2000 bytes");
    }
    let mut url = reqwest::Url::parse(text.trim()).map_err(|_| "is not a web address")?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
        return Err("is not a web address");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("must not contain a user name or a password");
    }
    // The fragment only selects a position within the same page.
    url.set_fragment(None);
    match url.as_str().len() <= MAX_URL_BYTES {
        true => Ok(url.into()),
        false => Err("is longer than 2000 bytes"),
    }
}

/// A knowledge base to attach to an assistant.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct KnowledgeBaseAttachBody {
    pub knowledge_base_id: Uuid,
}

impl Validate for KnowledgeBaseAttachBody {}

/// A knowledge base to create and attach to an assistant.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(transparent)]
pub struct KnowledgeBaseCreateAndAttachBody(pub KnowledgeBaseCreateBody);

impl Validate for KnowledgeBaseCreateAndAttachBody {
    const TRIMMED: &'static [&'static str] = KnowledgeBaseCreateBody::TRIMMED;

    fn validate(&self, faults: &mut Faults) {
        self.0.validate(faults);
    }
}

/// Whether the response waits until documents are indexed.
#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct Waiting {
    /// Waits until the document is indexed or its processing has failed, for at most one minute.
    #[param(required = false, default = false)]
    pub wait: bool,
}

impl Validate for Waiting {}

/// Options for deleting a knowledge base.
#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct Deleting {
    /// Deletes the knowledge base even if assistants use it, and detaches it from them.
    #[param(required = false, default = false)]
    pub force: bool,
}

impl Validate for Deleting {}
