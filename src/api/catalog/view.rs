//! How packages, and what comes of them, are shown.

use serde::Serialize;
use storage::Row;
use storage::records::{Installation, InstalledResource, PackageKind, RequiredInstallation, ResourceKind};
use utoipa::ToSchema;
use uuid::Uuid;

use super::merge::MergedField;
use super::requirements::Problem;
use crate::catalog::{Manifest, Package, Shelf, SourceFault};

/// What the caller has installed of a package.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct OwnInstallation {
    pub id: Uuid,
    pub package_version: String,
    /// Whether there is a newer one.
    pub update_available: bool,
}

/// A package.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PackageSummary {
    /// Its id: `publisher/name`.
    pub id: String,
    pub version: String,
    /// What it is installed for.
    pub kind: PackageKind,
    /// What it is called.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Who publishes it.
    pub publisher: String,
    /// Its licence.
    pub license: Option<String>,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// The checksum of its content: `sha256:` and 64 digits.
    pub checksum: String,
    /// Where it comes from: `builtin`, a folder, an index.
    pub source: String,
    /// External services that its skills ask for.
    pub services: Vec<String>,
    /// All its versions, the newest first.
    pub versions: Vec<String>,
    /// What the caller has installed of it.
    pub installation: Option<OwnInstallation>,
}

impl PackageSummary {
    /// A package as seen by the user whose installation of it is given, if they have one.
    pub fn new(package: &Package, shelf: &Shelf, own: Option<&Row<Installation>>) -> Self {
        let manifest = &package.manifest;
        let installation = own.map(|row| OwnInstallation {
            id: row.id,
            package_version: row.package_version.clone(),
            update_available: newer(shelf, row).is_some(),
        });
        Self {
            id: manifest.id.clone(),
            version: manifest.version.clone(),
            kind: manifest.kind,
            name: manifest.name.clone(),
            description: manifest.description.clone(),
            publisher: manifest.publisher().to_owned(),
            license: manifest.license.clone(),
            tags: manifest.tags.clone(),
            checksum: package.checksum.clone(),
            source: package.source.clone(),
            services: package.services.clone(),
            versions: shelf.versions(&manifest.id),
            installation,
        }
    }
}

/// The newest version of a package, where it is newer than what is installed.
pub fn newer(shelf: &Shelf, row: &Installation) -> Option<String> {
    let installed = semver::Version::parse(&row.package_version).ok()?;
    let newest = shelf.newest(&row.package).filter(|newest| newest.version > installed)?;
    Some(newest.manifest.version.clone())
}

/// A page of packages, by their ids.
#[derive(Debug, Serialize, ToSchema)]
pub struct PackageList {
    /// The packages, each in its newest version.
    pub items: Vec<PackageSummary>,
    /// How many there are in all.
    pub total: u64,
    /// Where the next page begins; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// Packages that cannot be used, with what is wrong; shown to administrators, on the first page.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<SourceFault>,
}

/// A file of a package.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PackageFile {
    pub path: String,
    /// Its bytes, counted.
    pub size: u64,
}

/// A package with its whole manifest.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PackageResponse {
    #[serde(flatten)]
    pub summary: PackageSummary,
    pub manifest: Manifest,
    pub files: Vec<PackageFile>,
    /// The text of its `README.md`, if it has one.
    pub readme: Option<String>,
}

impl PackageResponse {
    /// A package as seen by the user whose installation of it is given, if they have one.
    pub fn new(package: &Package, shelf: &Shelf, own: Option<&Row<Installation>>) -> Self {
        let file = |(path, content): (&String, &bytes::Bytes)| PackageFile {
            path: path.clone(),
            size: content.len() as u64,
        };
        Self {
            summary: PackageSummary::new(package, shelf, own),
            manifest: package.manifest.clone(),
            files: package.files.iter().map(file).collect(),
            readme: package.text("README.md").ok().map(str::to_owned),
        }
    }
}

/// Something that installing a package would make.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ToBeMade {
    /// Its key in the package.
    pub key: String,
    #[serde(rename = "type")]
    pub kind: ResourceKind,
    /// Its name, if the manifest has one.
    pub name: Option<String>,
}

/// The result of a dry run of an installation.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ValidateInstallResponse {
    /// Whether it can be installed.
    pub ok: bool,
    pub package: String,
    pub package_version: String,
    pub checksum: String,
    /// Everything that prevents the installation.
    pub problems: Vec<Problem>,
    /// What it would make.
    pub resources: Vec<ToBeMade>,
    /// External services that its skills ask for, and those of the packages that it requires; its owner approves them.
    pub services: Vec<String>,
    /// The installations of required packages that it would build upon: the caller's own, or an administrator's.
    pub requires: Vec<RequiredInstallation>,
}

/// What became of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResourceOutcome {
    /// Something of it is now as the other version wants it.
    Updated,
    /// Nothing of it changed.
    Unchanged,
    /// It is new in this version, and was created.
    Added,
    /// This version no longer contains it: it stays, but no longer belongs to the installation.
    Released,
    /// It was deleted here, and stays so; installing again brings it back.
    Missing,
}

/// A resource, and what became of it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct UpdatedResource {
    /// Its key in the package.
    pub key: String,
    #[serde(rename = "type")]
    pub kind: ResourceKind,
    pub id: Uuid,
    /// What became of it.
    pub outcome: ResourceOutcome,
    /// What became of each field.
    pub fields: Vec<MergedField>,
}

impl UpdatedResource {
    /// Something, and what became of it.
    pub fn new(resource: &InstalledResource, outcome: ResourceOutcome, fields: Vec<MergedField>) -> Self {
        Self { key: resource.key.clone(), kind: resource.kind, id: resource.id, outcome, fields }
    }
}

/// What an update did, or would do.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct UpdateResponse {
    pub installation_id: Uuid,
    pub package: String,
    /// Which version was installed.
    pub from_version: String,
    /// Which one is now.
    pub to_version: String,
    /// Whether nothing was done.
    pub dry_run: bool,
    /// Fields that both sides have changed.
    pub conflicts: usize,
    /// What became of everything.
    pub resources: Vec<UpdatedResource>,
}

impl UpdateResponse {
    /// What became of an installation.
    pub fn new(
        row: &Row<Installation>,
        package: &Package,
        dry_run: bool,
        resources: Vec<UpdatedResource>,
    ) -> Self {
        let fields = resources.iter().flat_map(|resource| &resource.fields);
        let conflicts = fields.filter(|field| field.outcome.is_conflict()).count();
        Self {
            installation_id: row.id,
            package: row.package.clone(),
            from_version: row.package_version.clone(),
            to_version: package.manifest.version.clone(),
            dry_run,
            conflicts,
            resources,
        }
    }
}
