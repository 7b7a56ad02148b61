//! What the catalog tells of an assistant.

use actix_web::web::Data;
use serde::Deserialize;
use storage::records::{Assistant, CatalogMetadata, GrantLevel};
use storage::{Row, Tx};
use utoipa::ToSchema;
use uuid::Uuid;

use super::view::AssistantResponse;
use super::{access, change};
use crate::App;
use crate::http::scopes::AssistantsWrite;
use crate::http::{Api, Area, Caller, Faults, Found, IfMatch, Json, ToOwn, Validate, Versioned, operations};

/// Longest tag, in characters.
const TAG: usize = 40;

/// What the catalog is to tell of an assistant or a skill. It replaces what it told; what is left out
/// is empty.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct SetCatalogMetadataRequest {
    /// Whether it stands in the tenant's catalog.
    pub listed: bool,
    /// One sentence for the shelf.
    #[schema(max_length = 300)]
    pub summary: String,
    /// Words to find it by, up to 40 characters each.
    #[schema(max_items = 20)]
    pub tags: Vec<String>,
    /// Who publishes it.
    #[schema(min_length = 1, max_length = 100)]
    pub publisher: Option<String>,
    /// Its version, as semantic versioning has it.
    #[schema(min_length = 1, max_length = 100, example = "1.2.0")]
    pub version: Option<String>,
    /// Its licence, as an SPDX expression.
    #[schema(min_length = 1, max_length = 100, example = "MIT OR Apache-2.0")]
    pub license: Option<String>,
    /// Where to read more.
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
                faults.add(["tags", &at], "stands twice", "duplicate");
            }
        }
        if let Some(version) = &self.version {
            if let Err(why) = semver::Version::parse(version) {
                faults.add(["version"], format!("is no semantic version: {why}"), "malformed");
            }
        }
        if let Some(license) = &self.license {
            // Names of licences, joined by AND, OR and WITH, perhaps in parentheses.
            let known = |char: char| char.is_ascii_alphanumeric() || " .-+():".contains(char);
            if !license.chars().all(known) {
                faults.add(["license"], "is no SPDX expression", "malformed");
            }
        }
        if let Some(homepage) = &self.homepage {
            let address = reqwest::Url::parse(homepage).ok();
            if !address.is_some_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host()) {
                faults.add(["homepage"], "is no web address", "malformed");
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

/// Say what the catalog tells of an assistant.
///
/// It replaces what was told. Needs to be its owner.
#[utoipa::path(put, path = "/api/assistants/{assistant_id}/catalog-metadata",
    operation_id = "assistants.set_assistant_catalog_metadata",
    responses((status = 200, description = "The assistant as it is now.", body = AssistantResponse)))]
async fn set_assistant_catalog_metadata(
    assistant: Found<Row<Assistant>, AssistantsWrite, ToOwn>,
    app: Data<App>,
    if_match: IfMatch,
    Json(new): Json<SetCatalogMetadataRequest>,
) -> Api<Versioned<AssistantResponse>> {
    let (caller, id) = (assistant.auth.caller(), assistant.id);
    let new = CatalogMetadata::from(new);
    app.store.run(move |tx| set(tx, &caller, id, &if_match, &new)).await.map(Versioned)
}

/// Says it, in a transaction of the caller's.
pub fn set(
    tx: &mut Tx,
    caller: &Caller,
    id: Uuid,
    if_match: &IfMatch,
    new: &CatalogMetadata,
) -> Api<AssistantResponse> {
    let mut row = access::at_least(tx, caller, id, GrantLevel::Owner)?;
    change::fresh(&row, if_match, None)?;
    row.catalog = Some(new.clone());
    let row = tx.update(caller.tenant, row)?;
    Ok(AssistantResponse::of(tx, row, caller)?)
}

/// The operations of this file.
pub fn operations(area: &mut Area) {
    operations!(area; set_assistant_catalog_metadata);
}
