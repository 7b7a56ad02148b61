//! Representation of packages, and of the results of validation and update.

use serde::Serialize;
use storage::Row;
use storage::records::{Installation, InstalledResource, PackageKind, RequiredInstallation, ResourceKind};
use utoipa::ToSchema;
use uuid::Uuid;

use super::merge::MergedField;
use super::requirements::Problem;
use crate::catalog::{Manifest, Package, PackageSet, SourceFault};

/// The caller's installation of a package.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct OwnInstallation {
    pub id: Uuid,
    pub package_version: String,
    /// Whether a newer version is available.
    pub update_available: bool,
}

/// A package of the catalog.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PackageSummary {
    /// Id of the package: `publisher/name`.
    pub id: String,
    pub version: String,
    /// Kind of the package, which is that of its main resource.
    pub kind: PackageKind,
    /// Display name of the package.
    pub name: String,
    /// What the package does.
    pub description: String,
    /// Who publishes the package.
    pub publisher: String,
    /// Licence of the package.
    pub license: Option<String>,
    /// Tags to search for.
    pub tags: Vec<String>,
    /// Checksum of the content: `sha256:` and 64 digits.
    pub checksum: String,
    /// Origin of the package: `builtin`, a folder or an index.
    pub source: String,
    /// External services that the package's skills request.
    pub services: Vec<String>,
    /// All versions of the package, newest first.
    pub versions: Vec<String>,
    /// The caller's installation of the package.
    pub installation: Option<OwnInstallation>,
}

impl PackageSummary {
    /// Builds the representation for a caller. `own` is the caller's installation of the package, if there is one.
    pub fn new(package: &Package, package_set: &PackageSet, own: Option<&Row<Installation>>) -> Self {
        let manifest = &package.manifest;
        let installation = own.map(|row| OwnInstallation {
            id: row.id,
            package_version: row.package_version.clone(),
            update_available: newer(package_set, row).is_some(),
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
            versions: package_set.versions(&manifest.id),
            installation,
        }
    }
}

/// Returns the newest version of a package, if it is newer than the installed one.
pub fn newer(package_set: &PackageSet, row: &Installation) -> Option<String> {
    let installed = semver::Version::parse(&row.package_version).ok()?;
    let newest = package_set.newest(&row.package).filter(|newest| newest.version > installed)?;
    Some(newest.manifest.version.clone())
}

/// A page of packages, sorted by id.
#[derive(Debug, Serialize, ToSchema)]
pub struct PackageList {
    /// The packages, each in its newest version.
    pub items: Vec<PackageSummary>,
    /// Total number of packages.
    pub total: u64,
    /// Cursor of the next page; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub next_cursor: Option<String>,
    /// Packages that cannot be used, with their faults. Shown to administrators, on the first page.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<SourceFault>,
}

/// A file of a package.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PackageFile {
    pub path: String,
    /// Size of the file, in bytes.
    pub size: u64,
}

/// A package with its whole manifest.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PackageResponse {
    #[serde(flatten)]
    pub summary: PackageSummary,
    pub manifest: Manifest,
    pub files: Vec<PackageFile>,
    /// Text of the package's `README.md`, if it has one.
    pub readme: Option<String>,
}

impl PackageResponse {
    /// Builds the representation for a caller. `own` is the caller's installation of the package, if there is one.
    pub fn new(package: &Package, package_set: &PackageSet, own: Option<&Row<Installation>>) -> Self {
        let file = |(path, content): (&String, &bytes::Bytes)| PackageFile {
            path: path.clone(),
            size: content.len() as u64,
        };
        Self {
            summary: PackageSummary::new(package, package_set, own),
            manifest: package.manifest.clone(),
            files: package.files.iter().map(file).collect(),
            readme: package.text("README.md").ok().map(str::to_owned),
        }
    }
}

/// A resource that installing a package would create.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ToBeMade {
    /// Key of the resource in the package.
    pub key: String,
    #[serde(rename = "type")]
    pub kind: ResourceKind,
    /// Name of the resource, if the manifest has one.
    pub name: Option<String>,
}

/// The result of a dry run of an installation.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ValidateInstallResponse {
    /// Whether the package can be installed.
    pub ok: bool,
    pub package: String,
    pub package_version: String,
    pub checksum: String,
    /// Everything that prevents the installation.
    pub problems: Vec<Problem>,
    /// The resources that the installation would create.
    pub resources: Vec<ToBeMade>,
    /// External services that the skills of the package and of the required packages request. The owner approves them.
    pub services: Vec<String>,
    /// The installations of required packages that this one would build upon: the caller's own, or those of an administrator.
    pub requires: Vec<RequiredInstallation>,
}

/// The result of an update for one resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResourceOutcome {
    /// Some fields were changed to the values of the other version.
    Updated,
    /// No field was changed.
    Unchanged,
    /// The resource is new in this version and was created.
    Added,
    /// This version no longer contains the resource. The resource is kept, but no longer belongs to the installation.
    Released,
    /// The resource was deleted here and is not created again. Installing the package again restores it.
    Missing,
}

/// A resource, and how the update changed it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct UpdatedResource {
    /// Key of the resource in the package.
    pub key: String,
    #[serde(rename = "type")]
    pub kind: ResourceKind,
    pub id: Uuid,
    /// The result for the resource.
    pub outcome: ResourceOutcome,
    /// The result for each field.
    pub fields: Vec<MergedField>,
}

impl UpdatedResource {
    /// Creates the result for a resource.
    pub fn new(resource: &InstalledResource, outcome: ResourceOutcome, fields: Vec<MergedField>) -> Self {
        Self { key: resource.key.clone(), kind: resource.kind, id: resource.id, outcome, fields }
    }
}

/// The result of an update, or of its dry run.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct UpdateResponse {
    pub installation_id: Uuid,
    pub package: String,
    /// The version that was installed before.
    pub from_version: String,
    /// The version that is installed now.
    pub to_version: String,
    /// Whether this was a dry run, which changes nothing.
    pub dry_run: bool,
    /// Number of fields that both sides changed.
    pub conflicts: usize,
    /// The result for each resource.
    pub resources: Vec<UpdatedResource>,
}

impl UpdateResponse {
    /// Creates the result for an installation, and counts the conflicts.
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
