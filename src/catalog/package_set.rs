//! The packages that are available at one moment.

use std::collections::BTreeMap;
use std::sync::Arc;

use semver::Version;
use serde::Serialize;
use utoipa::ToSchema;

use super::Package;

/// The maximum number of packages from one source.
pub(super) const MAX_PACKAGES: usize = 500;

/// A package that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct SourceFault {
    /// The source of the package: a folder, or the index.
    pub source: String,
    /// The place of the package in its source; empty for the source itself.
    pub place: String,
    /// The reasons why the package cannot be used.
    pub faults: Vec<String>,
}

/// All packages available at one moment, each in all its versions.
#[derive(Clone, Debug, Default)]
pub struct PackageSet {
    packages: BTreeMap<String, BTreeMap<Version, Arc<Package>>>,
    faults: Vec<SourceFault>,
}

impl PackageSet {
    /// Adds a package, or its faults. A version that is already present remains; if the content differs, this is a
    /// fault.
    pub(super) fn put(&mut self, source: &str, place: &str, read: Result<Arc<Package>, Vec<String>>) {
        let package = match read {
            Ok(package) => package,
            Err(faults) => return self.fault(source, place, faults),
        };
        let versions = self.packages.entry(package.manifest.id.clone()).or_default();
        match versions.get(&package.version) {
            Some(first) if first.checksum != package.checksum => {
                let message = format!(
                    "{} {} already exists, from {}, with other content ({}; this one has {})",
                    package.manifest.id, package.version, first.source, first.checksum, package.checksum
                );
                self.fault(source, place, vec![message]);
            }
            Some(_) => {}
            None => drop(versions.insert(package.version.clone(), package)),
        }
    }

    /// Records that a package or source cannot be used.
    pub(super) fn fault(&mut self, source: &str, place: &str, faults: Vec<String>) {
        self.faults.push(SourceFault { source: source.to_owned(), place: place.to_owned(), faults });
    }

    /// Logs the faults that were not present before.
    pub(super) fn log_news(&self, before: &Self) {
        for fault in self.faults.iter().filter(|fault| !before.faults.contains(fault)) {
            let SourceFault { source, place, faults } = fault;
            tracing::warn!(%source, %place, faults = faults.join("; "), "a package cannot be used");
        }
    }

    /// The newest version of each package, by id.
    pub fn newest_of_all(&self) -> impl Iterator<Item = &Arc<Package>> {
        self.packages.values().filter_map(newest)
    }

    /// The newest version of a package; a pre-release only if there is no other version.
    pub fn newest(&self, id: &str) -> Option<&Arc<Package>> {
        self.packages.get(id).and_then(newest)
    }

    /// This version of a package, or the newest one.
    pub fn find(&self, id: &str, version: Option<&str>) -> Option<&Arc<Package>> {
        match version {
            None => self.newest(id),
            Some(version) => self.packages.get(id)?.get(&Version::parse(version).ok()?),
        }
    }

    /// The versions of a package, beginning with the newest.
    pub fn versions(&self, id: &str) -> Vec<String> {
        let versions = self.packages.get(id).into_iter().flatten();
        versions.rev().map(|(version, _)| version.to_string()).collect()
    }

    /// The packages and sources that cannot be used.
    pub fn faults(&self) -> &[SourceFault] {
        &self.faults
    }
}

fn newest(versions: &BTreeMap<Version, Arc<Package>>) -> Option<&Arc<Package>> {
    let released = versions.iter().rev().find(|(version, _)| version.pre.is_empty());
    released.or_else(|| versions.iter().next_back()).map(|(_, package)| package)
}
