//! Where packages come from, besides the binary.

use serde::Deserialize;
use std::path::PathBuf;

/// Where packages come from, besides the binary.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CatalogConfig {
    /// Folders with packages.
    pub folders: Vec<PathBuf>,
    /// A list of packages: a file, or an address of the web.
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
