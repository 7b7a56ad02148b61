//! Lists and releases installations.

use std::sync::Arc;

use actix_web::web::Data;
use serde_json::json;
use storage::authority::{Ground, Reason};
use storage::records::{GrantLevel, Installation, Role};
use storage::{Page, Reader, Row, Scan, Tx};
use uuid::Uuid;

use super::installed::InstallationResponse;
use crate::App;
use crate::catalog::PackageSet;
use crate::http::scopes::{AssistantsRead, AssistantsWrite};
use crate::http::{
    Api, Auth, Caller, Json, Loadable, Loaded, NoContent, Paging, Query, Refusal, ToOwn, list_of, operations,
};
use domain::audit::{Actor, audit};

list_of! {
    /// A page of installed packages.
    #[derive(Debug)]
    pub InstallationList of InstallationResponse
}

/// List installed packages.
///
/// Returns the caller's installations, sorted by package. Administrators see the installations of all users, oldest first, without the
/// parameters and the edited fields of others. For each resource, the response states whether it is as installed, was edited since, or is
/// missing.
#[utoipa::path(get, path = "/api/catalog/installations", params(Paging))]
async fn list_installations(
    auth: Auth<AssistantsRead>,
    app: Data<App>,
    Query(paging): Query<Paging>,
) -> Api<Json<InstallationList>> {
    let (caller, package_set) = (auth.caller(), app.catalog.package_set().await);
    app.store.read(move |reader| page(reader, &caller, &package_set, &paging)).await.map(Json)
}

fn page(
    reader: &Reader,
    caller: &Arc<Caller>,
    package_set: &PackageSet,
    paging: &Paging,
) -> Api<InstallationList> {
    let scan = match caller.role {
        Role::TenantAdmin => Scan::table(),
        Role::User | Role::Editor => Scan::index("by_owner_package").prefix(caller.user.as_bytes()),
    };
    let Page { items, next } = reader.scan::<Installation>(caller.tenant, paging.scan(scan)?)?;
    let shown = |row: Row<Installation>| InstallationResponse::from_row(reader, caller, package_set, row);
    let items = items.into_iter().map(shown).collect::<Api<Vec<_>>>()?;
    Ok(Page { items, next }.into())
}

/// Release an installation.
///
/// The resources and their owners do not change; the resources only no longer belong to the package. The package can then be installed
/// again, or adopt the resources. Allowed for the user who installed the package, and for administrators of the tenant.
#[utoipa::path(delete, path = "/api/catalog/installations/{installation_id}")]
async fn release_installation(
    installation: Loaded<Row<Installation>, AssistantsWrite, ToOwn>,
    app: Data<App>,
) -> Api<NoContent> {
    let (caller, id) = (installation.auth.caller(), installation.id);
    app.store.run(move |tx| release(tx, &caller, id)).await.map(|()| NoContent)
}

fn release(tx: &mut Tx, caller: &Caller, id: Uuid) -> Api<()> {
    let row = Row::<Installation>::load(tx, caller, id)?.ok_or_else(|| Refusal::not_found("installation"))?;
    tx.delete::<Installation>(caller.tenant, &id)?;
    let ids: Vec<_> = row.resources.iter().map(|resource| resource.id).collect();
    let detail =
        json!({"version": row.package_version, "installation": id, "owner": row.owner, "resources": ids});
    audit(
        tx,
        caller.tenant,
        Actor::from(caller),
        "catalog.release",
        format!("package {}", row.package),
        detail,
    )?;
    Ok(())
}

impl Loadable for Row<Installation> {
    const PARAM: &'static str = "installation_id";
    const NAME: &'static str = "installation";

    fn load(reader: &Reader, caller: &Caller, id: Uuid) -> Api<Option<Self>> {
        let row = reader.get::<Installation>(caller.tenant, &id)?;
        Ok(row.filter(|row| row.owner == caller.user || caller.is_admin()))
    }

    fn grounds(&self, _: &Reader, caller: &Caller) -> Api<Vec<Ground>> {
        Ok(match self.owner == caller.user {
            true => vec![Ground::OWN],
            false => vec![Ground { level: GrantLevel::Owner, reason: Reason::Administers }],
        })
    }
}

operations!(list_installations, release_installation);
