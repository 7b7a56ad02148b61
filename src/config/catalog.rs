//! Settings of the sources of packages.

use serde::Deserialize;
use std::path::PathBuf;

/// The sources of packages in addition to those built into the binary.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CatalogConfig {
    /// Folders that contain packages.
    pub folders: Vec<PathBuf>,
    /// An index of packages: a file or a URL.
    pub index: Option<String>,
}

impl CatalogConfig {
    pub(super) fn check(&self) -> Result<(), String> {
        match &self.index {
            Some(index) if index.trim().is_empty() => {
                Err("catalog.index is empty; leave it out for no index".to_owned())
            }
            _ => Ok(()),
        }
    }
}
