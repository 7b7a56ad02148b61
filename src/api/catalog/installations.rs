//! What is installed.

use std::sync::Arc;

use actix_web::web::Data;
use storage::records::{Installation, Role};
use storage::{Page, Reader, Row, Scan};

use super::view::InstallationResponse;
use crate::App;
use crate::catalog::Shelf;
use crate::http::scopes::AssistantsRead;
use crate::http::{Api, Area, Auth, Caller, Json, Paging, Query, list_of, operations};

list_of! {
    /// A page of installed packages.
    #[derive(Debug)]
    pub InstallationList of InstallationResponse
}

/// List what is installed.
///
/// The caller's own, by package; administrators see everybody's, the first installed first, without parameters and
/// edits. Each thing that was installed says whether it is as it was, was edited since, or is missing.
#[utoipa::path(get, path = "/api/catalog/installations", operation_id = "catalog.list_installations",
    params(Paging),
    responses((status = 200, description = "A page of installations.", body = InstallationList)))]
async fn list_installations(
    auth: Auth<AssistantsRead>,
    app: Data<App>,
    Query(paging): Query<Paging>,
) -> Api<Json<InstallationList>> {
    let (caller, shelf) = (auth.caller(), app.catalog.shelf().await);
    app.store.read(move |reader| page(reader, &caller, &shelf, &paging)).await.map(Json)
}

fn page(reader: &Reader, caller: &Arc<Caller>, shelf: &Shelf, paging: &Paging) -> Api<InstallationList> {
    let scan = match caller.role {
        Role::TenantAdmin => Scan::table(),
        Role::User | Role::Editor => Scan::index("by_owner_package").prefix(caller.user.as_bytes()),
    };
    let Page { items, next } = reader.scan::<Installation>(caller.tenant, paging.scan(scan)?)?;
    let shown = |row: Row<Installation>| InstallationResponse::of(reader, caller, shelf, row);
    let items = items.into_iter().map(shown).collect::<Api<Vec<_>>>()?;
    Ok(Page { items, next }.into())
}

/// The operations of this file.
pub fn operations(area: &mut Area) {
    operations!(area; list_installations);
}
