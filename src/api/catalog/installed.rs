//! Representation of installations.

use std::collections::BTreeSet;
use std::sync::Arc;

use domain::assistants::requested_services;
use serde::Serialize;
use serde_json::{Map, Value};
use storage::records::{
    Assistant, GrantLevel, Installation, InstallationOrigin, InstalledResource, PackageKind,
    RequiredInstallation, ResourceKind,
};
use storage::{Reader, Row, Timestamp};
use utoipa::ToSchema;
use uuid::Uuid;

use super::kinds::{self, ResourceState};
use super::view::newer;
use crate::App;
use crate::api::assistants::read_graph;
use crate::catalog::PackageSet;
use crate::http::{Api, Caller};

/// A resource of an installation.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct InstalledResourceResponse {
    /// Key of the resource in the package.
    pub key: String,
    #[serde(rename = "type")]
    pub kind: ResourceKind,
    pub id: Uuid,
    /// Current name of the resource. Visible only to the user who installed the package.
    pub name: Option<String>,
    pub state: ResourceState,
    /// Fields that were changed since the installation. Visible only to the user who installed the package.
    pub edited: Vec<String>,
}

/// An installed package.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct InstallationResponse {
    pub id: Uuid,
    pub package: String,
    pub package_version: String,
    /// Checksum of the installed version.
    pub checksum: String,
    /// Kind of the package, which is that of its main resource.
    pub kind: PackageKind,
    /// Name of the package.
    pub name: String,
    /// The user who installed the package.
    pub owner: Uuid,
    /// How the installation was created.
    pub origin: InstallationOrigin,
    /// Parameters of the installation. Visible only to the user who installed the package.
    #[schema(value_type = Object)]
    pub parameters: Map<String, Value>,
    /// The created or adopted resources, with their current state.
    pub resources: Vec<InstalledResourceResponse>,
    /// The installations of other packages that this one builds upon.
    pub requires: Vec<RequiredInstallation>,
    /// External services that the assistants request and that are not approved. Visible only to the user who installed the package.
    pub services_to_approve: Vec<String>,
    /// The newest version, if it is newer than the installed one.
    pub update_available: Option<String>,
    /// When the package was installed.
    pub created_at: Timestamp,
    /// When the installation was last changed.
    pub updated_at: Timestamp,
}

impl InstallationResponse {
    /// Loads the representation that this caller may see.
    pub async fn read(app: &App, caller: &Arc<Caller>, row: Row<Installation>) -> Api<Self> {
        let (package_set, caller) = (app.catalog.package_set().await, caller.clone());
        app.store.read(move |reader| Self::from_row(reader, &caller, &package_set, row)).await
    }

    /// Builds the representation that this caller may see.
    pub fn from_row(
        reader: &Reader,
        caller: &Caller,
        package_set: &PackageSet,
        row: Row<Installation>,
    ) -> Api<Self> {
        let own = row.owner == caller.user;
        let shown = row.resources.iter().map(|resource| shown(reader, caller, own, resource));
        let resources = shown.collect::<Api<_>>()?;
        let services_to_approve = if own { unapproved(reader, caller, &row)? } else { Vec::new() };
        let update_available = newer(package_set, &row);
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
            requires: body.requires,
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
    let (kind, id) = (resource.kind, resource.id);
    let outline = kinds::outline(reader, caller.tenant, kind, id)?;
    let is_changeable = own && kinds::level(reader, caller, kind, id)? >= Some(GrantLevel::Editor);
    let mut edited = kinds::edited(reader, caller.tenant, resource)?.unwrap_or_default();
    let state = match &outline {
        None => ResourceState::Missing,
        Some(outline) if outline.is_binned => ResourceState::Binned,
        Some(_) if own && !is_changeable => ResourceState::Missing,
        Some(_) if !edited.is_empty() => ResourceState::Edited,
        Some(_) => ResourceState::Present,
    };
    if !is_changeable {
        edited.clear();
    }
    let name = outline.map(|outline| outline.name).filter(|_| is_changeable);
    Ok(InstalledResourceResponse { key: resource.key.clone(), kind, id, name, state, edited })
}

/// Returns the services that the assistants request and that are not approved.
fn unapproved(reader: &Reader, caller: &Caller, row: &Installation) -> Api<Vec<String>> {
    let mut services = BTreeSet::new();
    for resource in row.resources.iter().filter(|resource| resource.kind == ResourceKind::Assistant) {
        let Some(assistant) = reader.get::<Assistant>(caller.tenant, &resource.id)? else { continue };
        let requested = requested_services(reader, caller, read_graph, &assistant)?;
        services.extend(
            requested.into_iter().filter(|service| !assistant.approved_external_services.contains(service)),
        );
    }
    Ok(services.into_iter().collect())
}
