//! Packages: their sources, and how they are read.
//!
//! There are three sources, in this order: the binary, the configured folders and the configured index. The first
//! source that has a version of a package provides it. A package that cannot be used is listed with its faults and does
//! not hide another one. Folders are read on each request, so new packages need no restart.

pub(crate) mod builtin;
pub(crate) mod files;
mod folder;
pub(crate) mod index;
mod manifest;
mod package;
pub(crate) mod package_set;
mod parameters;
pub(crate) mod references;

use std::path::PathBuf;
use std::sync::Arc;

use providers::web::WebClient;
use tokio::sync::Mutex;

pub use files::{Files, checksum};
pub use manifest::{FIELDS, MANIFEST, Manifest, ParameterKind, ResourceManifest, Setting, is_package_id};
pub use package::Package;
pub use package_set::{PackageSet, SourceFault};
pub use references::{Reference, expand};

use folder::Folder;
use index::Index;

/// The catalog of all available packages.
pub struct Catalog {
    web: WebClient,
    sources: Mutex<Sources>,
}

struct Sources {
    builtin: PackageSet,
    folders: Vec<Folder>,
    index: Option<Index>,
    latest: Arc<PackageSet>,
}

impl Catalog {
    /// Creates a catalog of the built-in packages, of these folders and of this index, which is a file or a URL.
    pub fn new(folders: &[PathBuf], index: Option<&str>, web: WebClient) -> Self {
        let mut builtin = PackageSet::default();
        for (place, read) in builtin::packages() {
            builtin.put("builtin", &place, read);
        }
        let sources = Sources {
            latest: Arc::new(builtin.clone()),
            builtin,
            folders: folders.iter().map(|folder| Folder::new(folder.clone())).collect(),
            index: index.map(Index::new),
        };
        Self { web, sources: Mutex::new(sources) }
    }

    /// Returns the packages that are currently available.
    pub async fn package_set(&self) -> Arc<PackageSet> {
        let mut sources = self.sources.lock().await;
        let Sources { builtin, folders, index, latest } = &mut *sources;
        if folders.is_empty() && index.is_none() {
            return latest.clone();
        }
        let mut package_set = builtin.clone();
        for folder in folders {
            folder.refresh(&mut package_set).await;
        }
        if let Some(index) = index {
            index.refresh(&self.web, &mut package_set).await;
        }
        package_set.log_news(latest);
        *latest = Arc::new(package_set);
        latest.clone()
    }
}

impl std::fmt::Debug for Catalog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Catalog").finish_non_exhaustive()
    }
}
