//! What there is at one moment.

use std::collections::BTreeMap;
use std::sync::Arc;

use semver::Version;
use serde::Serialize;
use utoipa::ToSchema;

use super::Package;

/// Packages of one source.
pub(super) const MOST_PACKAGES: usize = 500;

/// A package that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct SourceFault {
    /// Where it comes from: a folder, or the index.
    pub source: String,
    /// Where it lies there; empty for the source itself.
    pub place: String,
    /// What is wrong.
    pub faults: Vec<String>,
}

/// All packages of one moment, each in all its versions.
#[derive(Clone, Debug, Default)]
pub struct Shelf {
    packages: BTreeMap<String, BTreeMap<Version, Arc<Package>>>,
    faults: Vec<SourceFault>,
}

impl Shelf {
    /// Puts a package there, or what is wrong with it. A version that is there already stays; one of other content
    /// is a fault.
    pub(super) fn put(&mut self, source: &str, place: &str, read: Result<Arc<Package>, Vec<String>>) {
        let package = match read {
            Ok(package) => package,
            Err(faults) => return self.fault(source, place, faults),
        };
        let versions = self.packages.entry(package.manifest.id.clone()).or_default();
        match versions.get(&package.version) {
            Some(first) if first.checksum != package.checksum => {
                let message = format!(
                    "{} {} is there already, from {}, with other content ({}; this one has {})",
                    package.manifest.id, package.version, first.source, first.checksum, package.checksum
                );
                self.fault(source, place, vec![message]);
            }
            Some(_) => {}
            None => drop(versions.insert(package.version.clone(), package)),
        }
    }

    /// Notes that something cannot be used.
    pub(super) fn fault(&mut self, source: &str, place: &str, faults: Vec<String>) {
        self.faults.push(SourceFault { source: source.to_owned(), place: place.to_owned(), faults });
    }

    /// Writes faults into the log that an earlier look did not find.
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

    /// The newest version of a package; one that is a preview only where there is no other.
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

    /// The versions of a package, the newest first.
    pub fn versions(&self, id: &str) -> Vec<String> {
        let versions = self.packages.get(id).into_iter().flatten();
        versions.rev().map(|(version, _)| version.to_string()).collect()
    }

    /// What cannot be used.
    pub fn faults(&self) -> &[SourceFault] {
        &self.faults
    }
}

fn newest(versions: &BTreeMap<Version, Arc<Package>>) -> Option<&Arc<Package>> {
    let released = versions.iter().rev().find(|(version, _)| version.pre.is_empty());
    released.or_else(|| versions.iter().next_back()).map(|(_, package)| package)
}
