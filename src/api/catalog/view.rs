//! How packages, and what is installed of them, are shown.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value};
use storage::records::{
    Assistant, Installation, InstallationOrigin, InstalledResource, PackageKind, ResourceKind,
};
use storage::{Reader, Row, Timestamp};
use utoipa::ToSchema;
use uuid::Uuid;

use super::kinds::{self, ResourceState};
use super::merge::MergedField;
use super::requirements::Problem;
use crate::App;
use crate::api::assistants::approvals;
use crate::catalog::{Manifest, Package, Shelf, SourceFault};
use crate::http::{Api, Caller};

/// What the caller has installed of a package.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct OwnInstallation {
    /// The installation.
    pub id: Uuid,
    /// Which version it is.
    pub package_version: String,
    /// Whether there is a newer one.
    pub update_available: bool,
}

/// A package.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PackageSummary {
    /// Its id: `publisher/name`.
    pub id: String,
    /// This version.
    pub version: String,
    /// What it is installed for.
    pub kind: PackageKind,
    /// What it is called.
    pub name: String,
    /// What it does, and for whom.
    pub description: String,
    /// Who publishes it.
    pub publisher: String,
    /// Its licence.
    pub license: Option<String>,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// What tells its content from any other: `sha256:` and 64 digits.
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
    /// A package as whoever has installed this of it sees it.
    pub fn of(package: &Package, shelf: &Shelf, own: Option<&Row<Installation>>) -> Self {
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
fn newer(shelf: &Shelf, row: &Installation) -> Option<String> {
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
    /// Its path.
    pub path: String,
    /// Its bytes, counted.
    pub size: u64,
}

/// A package with all that it says.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PackageResponse {
    /// The package.
    #[serde(flatten)]
    pub summary: PackageSummary,
    /// Its manifest.
    pub manifest: Manifest,
    /// Its files.
    pub files: Vec<PackageFile>,
    /// The text of its `README.md`, if it has one.
    pub readme: Option<String>,
}

impl PackageResponse {
    /// A package as whoever has installed this of it sees it.
    pub fn of(package: &Package, shelf: &Shelf, own: Option<&Row<Installation>>) -> Self {
        let file = |(path, content): (&String, &bytes::Bytes)| PackageFile {
            path: path.clone(),
            size: content.len() as u64,
        };
        Self {
            summary: PackageSummary::of(package, shelf, own),
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
    /// What it is.
    #[serde(rename = "type")]
    pub kind: ResourceKind,
    /// What it would be called, where the manifest says so.
    pub name: Option<String>,
}

/// What would come of installing a package.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ValidateInstallResponse {
    /// Whether it can be installed.
    pub ok: bool,
    /// The package.
    pub package: String,
    /// The version.
    pub package_version: String,
    /// Its checksum.
    pub checksum: String,
    /// All that keeps it from being installed.
    pub problems: Vec<Problem>,
    /// What it would make.
    pub resources: Vec<ToBeMade>,
    /// External services that its skills ask for; its owner approves them.
    pub services: Vec<String>,
}

/// Something that was installed.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct InstalledResourceResponse {
    /// Its key in the package.
    pub key: String,
    /// What it is.
    #[serde(rename = "type")]
    pub kind: ResourceKind,
    /// Its id.
    pub id: Uuid,
    /// What it is called now; shown to whoever installed it.
    pub name: Option<String>,
    /// How it stands.
    pub state: ResourceState,
    /// Fields that were changed since; shown to whoever installed it.
    pub edited: Vec<String>,
}

/// An installed package.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct InstallationResponse {
    /// Its id.
    pub id: Uuid,
    /// The package.
    pub package: String,
    /// Which version of it.
    pub package_version: String,
    /// The checksum of that version.
    pub checksum: String,
    /// What it is installed for.
    pub kind: PackageKind,
    /// What the package is called.
    pub name: String,
    /// Whose it is.
    pub owner: Uuid,
    /// How it came here.
    pub origin: InstallationOrigin,
    /// The parameters that were given; shown to whoever installed it.
    #[schema(value_type = Object)]
    pub parameters: Map<String, Value>,
    /// What it consists of.
    pub resources: Vec<InstalledResourceResponse>,
    /// External services that its assistants ask for and that are not approved; shown to whoever installed it.
    pub services_to_approve: Vec<String>,
    /// The newest version, where it is newer than this one.
    pub update_available: Option<String>,
    /// When it was installed.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

impl InstallationResponse {
    /// An installation as this caller may see it.
    pub async fn read(app: &App, caller: &Arc<Caller>, row: Row<Installation>) -> Api<Self> {
        let (shelf, caller) = (app.catalog.shelf().await, caller.clone());
        app.store.read(move |reader| Self::of(reader, &caller, &shelf, row)).await
    }

    /// An installation as this caller may see it.
    pub fn of(reader: &Reader, caller: &Caller, shelf: &Shelf, row: Row<Installation>) -> Api<Self> {
        let own = row.owner == caller.user;
        let shown = row.resources.iter().map(|resource| shown(reader, caller, own, resource));
        let resources = shown.collect::<Api<_>>()?;
        let services_to_approve = if own { unapproved(reader, caller, &row)? } else { Vec::new() };
        let update_available = newer(shelf, &row);
        let Row { id, created_at, updated_at, body, .. } = row;
        Ok(Self {
            id,
            package: body.package,
            package_version: body.package_version,
            checksum: body.checksum,
            kind: body.kind,
            name: body.name,
            owner: body.owner,
            origin: body.origin,
            parameters: if own { body.parameters } else { Map::new() },
            resources,
            services_to_approve,
            update_available,
            created_at,
            updated_at,
        })
    }
}

fn shown(
    reader: &Reader,
    caller: &Caller,
    own: bool,
    resource: &InstalledResource,
) -> Api<InstalledResourceResponse> {
    let InstalledResource { key, kind, id, base } = resource.clone();
    let named = kinds::named(reader, caller.tenant, kind, id)?;
    let current = if own { kinds::current(reader, caller, kind, id, &[&base])? } else { None };
    let is_edited = |(field, was): (&String, &Value)| {
        let current = current.as_ref()?;
        let differs = !kinds::is_settled(kind, field) && current.get(field).unwrap_or(&Value::Null) != was;
        differs.then(|| field.clone())
    };
    let edited: Vec<String> = base.iter().filter_map(is_edited).collect();
    let state = match &named {
        None => ResourceState::Missing,
        Some((_, true)) => ResourceState::Binned,
        Some(_) if own && current.is_none() => ResourceState::Missing,
        Some(_) if !edited.is_empty() => ResourceState::Edited,
        Some(_) => ResourceState::Present,
    };
    let name = named.map(|(name, _)| name).filter(|_| current.is_some());
    Ok(InstalledResourceResponse { key, kind, id, name, state, edited })
}

/// Services that the assistants ask for and that are not approved.
fn unapproved(reader: &Reader, caller: &Caller, row: &Installation) -> Api<Vec<String>> {
    let mut services = BTreeSet::new();
    for resource in row.resources.iter().filter(|resource| resource.kind == ResourceKind::Assistant) {
        let Some(assistant) = reader.get::<Assistant>(caller.tenant, &resource.id)? else { continue };
        let asked = approvals::asked_for(reader, caller, &assistant)?;
        services.extend(
            asked.into_iter().filter(|service| !assistant.approved_external_services.contains(service)),
        );
    }
    Ok(services.into_iter().collect())
}

/// What became of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResourceOutcome {
    /// Something of it is now as the other version wants it.
    Updated,
    /// Nothing of it changed.
    Unchanged,
    /// It is new in this version, and was made.
    Added,
    /// This version has it no more: it stays, and is no part of the installation.
    Released,
    /// It was deleted here, and stays so; installing again brings it back.
    Missing,
}

/// A resource, and what became of it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct UpdatedResource {
    /// Its key in the package.
    pub key: String,
    /// What it is.
    #[serde(rename = "type")]
    pub kind: ResourceKind,
    /// Its id.
    pub id: Uuid,
    /// What became of it.
    pub outcome: ResourceOutcome,
    /// What became of each field.
    pub fields: Vec<MergedField>,
}

impl UpdatedResource {
    /// Something, and what became of it.
    pub fn of(resource: &InstalledResource, outcome: ResourceOutcome, fields: Vec<MergedField>) -> Self {
        Self { key: resource.key.clone(), kind: resource.kind, id: resource.id, outcome, fields }
    }
}

/// What an update did, or would do.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct UpdateResponse {
    /// The installation.
    pub installation_id: Uuid,
    /// The package.
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
    pub fn of(
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
