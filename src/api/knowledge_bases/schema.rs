//! What knowledge bases are asked for with.

use domain::knowledge_bases::{DocumentName, KnowledgeBaseInput, MAX_URL_BYTES};
use serde::Deserialize;
use storage::records::{Grant, Visibility};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::http::{Faults, MultipartForm, Patch, Validate, record_requests};

record_requests! {
    create {
        /// A new knowledge base. What is left out takes its default.
        KnowledgeBaseCreateBody
    }
    patch {
        /// A change to a knowledge base. What is left out stays; `null` brings back the default.
        KnowledgeBaseUpdateBody
    } into KnowledgeBaseInput {
        required {
            /// The name shown to users.
            #[schema(min_length = 1, max_length = 100)]
            name: String,
        }
        default {
            /// What it holds.
            #[schema(max_length = 2000)]
            description: String,
            /// Who may see it.
            visibility: Visibility,
            /// Rights of others.
            #[schema(max_items = 100)]
            grants: Vec<Grant>,
        }
        optional {
            /// Full id of the model that embeds its passages; else the default one.
            embedding_model: String,
            /// Tokens of a passage; 512 by default.
            #[schema(minimum = 64, maximum = 4096)]
            chunk_tokens: u32,
            /// Tokens that a passage repeats of the one before it, fewer than half of it; 64 by default, or fewer in
            /// a new knowledge base with short passages.
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

/// Files for a knowledge base.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct UploadKnowledgeBaseFileForm {
    /// The file; several fields of this name, or of the name `files`, are several files.
    #[serde(default, rename = "file")]
    #[schema(value_type = Vec<String>, format = Binary)]
    _file: Option<()>,
    /// What it is called, if not as its file. Only with a single file.
    #[schema(min_length = 1, max_length = 255)]
    pub title: Option<String>,
    /// What people keep with it.
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

/// What a document is called, and what people keep with it. Replaces both.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct KnowledgeBaseFileUpdateBody {
    /// What it is called.
    #[schema(min_length = 1, max_length = 255)]
    pub title: String,
    /// What people keep with it.
    #[serde(default)]
    #[schema(max_length = 2000)]
    pub description: String,
    /// The version that is changed; if it is another by now, the answer is 412.
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

/// A page of the web.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct AddKnowledgeBaseLinkBody {
    /// Its address.
    #[schema(max_length = 2000, example = "https://example.org/handbook")]
    pub url: String,
    /// What it is called; else as it calls itself.
    #[schema(min_length = 1, max_length = 255)]
    pub title: Option<String>,
    /// What people keep with it.
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

/// An address of the web in the form in which addresses are compared, or what is wrong with it.
pub fn address(text: &str) -> Result<String, &'static str> {
    if text.len() > MAX_URL_BYTES {
        return Err("is longer than 2000 bytes");
    }
    let mut url = reqwest::Url::parse(text.trim()).map_err(|_| "is no web address")?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
        return Err("is no web address");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("holds a name or a password");
    }
    // Where in a page one looks makes no other page of it.
    url.set_fragment(None);
    match url.as_str().len() <= MAX_URL_BYTES {
        true => Ok(url.into()),
        false => Err("is longer than 2000 bytes"),
    }
}

/// A knowledge base that an assistant is to have.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct KnowledgeBaseAttachBody {
    pub knowledge_base_id: Uuid,
}

impl Validate for KnowledgeBaseAttachBody {}

/// A new knowledge base that an assistant has from the beginning.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(transparent)]
pub struct KnowledgeBaseCreateAndAttachBody(pub KnowledgeBaseCreateBody);

impl Validate for KnowledgeBaseCreateAndAttachBody {
    const TRIMMED: &'static [&'static str] = KnowledgeBaseCreateBody::TRIMMED;

    fn validate(&self, faults: &mut Faults) {
        self.0.validate(faults);
    }
}

/// Whether the answer waits for documents to be findable.
#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct Waiting {
    /// Answers once the document is found, or could not be read; at the latest after a minute.
    #[param(required = false, default = false)]
    pub wait: bool,
}

impl Validate for Waiting {}

/// How a knowledge base is deleted.
#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct Deleting {
    /// Also where assistants have it; it is taken from them.
    #[param(required = false, default = false)]
    pub force: bool,
}

impl Validate for Deleting {}

#[cfg(test)]
mod tests {
    use super::address;

    #[test]
    fn addresses_are_compared_in_one_form() {
        assert_eq!(address(" HTTPS://Example.ORG/a#part ").as_deref(), Ok("https://example.org/a"));
        assert_eq!(address("http://example.org").as_deref(), Ok("http://example.org/"));
        let long = format!("https://example.org/{}", "a".repeat(2_000));
        for wrong in [
            "",
            "example.org",
            "ftp://example.org",
            "https://",
            "https://u:p@example.org",
            "https://u@x.org",
            &long,
        ] {
            assert!(address(wrong).is_err(), "{wrong}");
        }
    }
}
