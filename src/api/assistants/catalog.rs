//! The catalog metadata of an assistant.

use actix_web::web::Data;
use domain::assistants;
use serde::Deserialize;
use storage::records::{Assistant, CatalogMetadata};
use storage::{Row, Tx};
use utoipa::ToSchema;

use super::view::AssistantResponse;
use crate::App;
use crate::http::scopes::AssistantsWrite;
use crate::http::{Api, Faults, IfMatch, Json, Loaded, Refusal, ToOwn, Validate, Versioned, operations};

/// Maximum length of a tag, in characters.
const TAG: usize = 40;

/// The catalog metadata of an assistant or a skill. Replaces the stored metadata; fields that are omitted become empty.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct SetCatalogMetadataRequest {
    /// Whether the object is listed in the tenant's catalog.
    pub listed: bool,
    /// One sentence that is shown in lists of the catalog.
    #[schema(max_length = 300)]
    pub summary: String,
    /// Tags to search for, up to 40 characters each.
    #[schema(max_items = 20)]
    pub tags: Vec<String>,
    /// Name of the publisher.
    #[schema(min_length = 1, max_length = 100)]
    pub publisher: Option<String>,
    /// Version of the object, according to semantic versioning.
    #[schema(min_length = 1, max_length = 100, example = "1.2.0")]
    pub version: Option<String>,
    /// Licence of the object, as an SPDX expression.
    #[schema(min_length = 1, max_length = 100, example = "MIT OR Apache-2.0")]
    pub license: Option<String>,
    /// Web address with further information.
    #[schema(min_length = 1, max_length = 2000, example = "https://example.org")]
    pub homepage: Option<String>,
}

impl Validate for SetCatalogMetadataRequest {
    fn validate(&self, faults: &mut Faults) {
        for (at, tag) in self.tags.iter().enumerate() {
            let length = tag.trim().chars().count();
            let at = at.to_string();
            if !(1..=TAG).contains(&length) {
                faults.add(["tags", &at], format!("tags have 1 to {TAG} characters"), "wrong_length");
            } else if self
                .tags
                .iter()
                .take_while(|other| !std::ptr::eq(*other, tag))
                .any(|other| other == tag)
            {
                faults.add(["tags", &at], "appears more than once", "duplicate");
            }
        }
        if let Some(Err(why)) = self.version.as_deref().map(semver::Version::parse) {
            faults.add(["version"], format!("is not a semantic version: {why}"), "malformed");
        }
        if let Some(license) = &self.license {
            // Names of licences, joined by AND, OR and WITH, optionally in parentheses.
            let known = |char: char| char.is_ascii_alphanumeric() || " .-+():".contains(char);
            if !license.chars().all(known) {
                faults.add(["license"], "is not an SPDX expression", "malformed");
            }
        }
        if let Some(homepage) = &self.homepage {
            let address = reqwest::Url::parse(homepage).ok();
            if !address.is_some_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host()) {
                faults.add(["homepage"], "is not a web address", "malformed");
            }
        }
    }
}

impl From<SetCatalogMetadataRequest> for CatalogMetadata {
    fn from(new: SetCatalogMetadataRequest) -> Self {
        let SetCatalogMetadataRequest { listed, summary, tags, publisher, version, license, homepage } = new;
        let tags = tags.iter().map(|tag| tag.trim().to_owned()).collect();
        Self { listed, summary: summary.trim().to_owned(), tags, publisher, version, license, homepage }
    }
}

/// Set the catalog metadata of an assistant.
///
/// Replaces the stored metadata. Only the owner of the assistant may set it.
#[utoipa::path(put, path = "/api/assistants/{assistant_id}/catalog-metadata")]
async fn set_assistant_catalog_metadata(
    assistant: Loaded<Row<Assistant>, AssistantsWrite, ToOwn>,
    app: Data<App>,
    if_match: IfMatch,
    Json(new): Json<SetCatalogMetadataRequest>,
) -> Api<Versioned<AssistantResponse>> {
    let (caller, id) = (assistant.auth.caller(), assistant.id);
    let (precondition, new) = (if_match.precondition(), CatalogMetadata::from(new));
    let set = move |tx: &mut Tx| {
        let row = assistants::set_catalog_metadata(tx, &caller, id, &precondition, new.clone())?;
        Ok::<_, Refusal>(AssistantResponse::new(tx, row, &caller)?)
    };
    app.store.run(set).await.map(Versioned)
}

operations!(set_assistant_catalog_metadata);
