//! What the catalog tells of a thing.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The catalog metadata of an assistant or a skill.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct CatalogMetadata {
    /// Whether the tenant's catalog lists it.
    pub listed: bool,
    /// One sentence for the shelf.
    pub summary: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Who publishes it.
    pub publisher: Option<String>,
    /// Its version, as semantic versioning has it.
    pub version: Option<String>,
    /// Its licence, as an SPDX expression.
    pub license: Option<String>,
    /// Where to read more.
    pub homepage: Option<String>,
}
