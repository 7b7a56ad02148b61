//! Catalog metadata.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The catalog metadata of an assistant or a skill.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct CatalogMetadata {
    /// Whether the tenant's catalog lists the object.
    pub listed: bool,
    /// One-sentence summary for the catalog.
    pub summary: String,
    /// Keywords for the search.
    pub tags: Vec<String>,
    /// Person or organisation that publishes the object.
    pub publisher: Option<String>,
    /// Semantic version.
    pub version: Option<String>,
    /// Licence, as an SPDX expression.
    pub license: Option<String>,
    /// URL with further information.
    pub homepage: Option<String>,
}
