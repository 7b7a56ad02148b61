//! Adoption: existing resources become part of an installation.

mod apply;
mod expected;
mod scan;
mod schema;

use actix_web::web::Data;

use apply::apply;
use expected::Expected;
use scan::scan;
use schema::AdoptionManifestBody;
pub use schema::ScanResponse;

use super::installed::InstallationResponse;
use crate::App;
use crate::http::scopes::AssistantsWrite;
use crate::http::{Api, Auth, Editor, Json, operations};

/// Scan for the resources of a manifest.
///
/// Each resource that the manifest names is reported as `matched` if it exists with the expected fields; `drifted` if fields differ;
/// `missing`; or `conflict` if it is ambiguous or cannot be adopted. Resources are found by `id`, otherwise by what was adopted before,
/// otherwise by their name among the caller's own resources. Only an owner can adopt a resource. Nothing is created or changed. The
/// `scan_hash` of the response is required to apply the manifest.
#[utoipa::path(post, path = "/api/catalog/adoption/scan")]
async fn scan_adoption(
    auth: Auth<AssistantsWrite, Editor>,
    app: Data<App>,
    Json(body): Json<AdoptionManifestBody>,
) -> Api<Json<ScanResponse>> {
    let caller = auth.caller();
    let expected = Expected::from_manifest(&app, &caller, body.manifest).await?;
    app.store.read(move |reader| scan(reader, &caller, &expected)).await.map(Json)
}

/// Adopt the resources that a scan found.
///
/// Resources that match or have drifted become part of an installation of the caller: from then on they are updated like installed
/// resources. Drifted fields keep their values, as edits, unless `drift` is `take`. Missing resources are not created, unless `absent` is
/// `create`. Either all changes are made or none. The request is bound to its scan: if anything has changed since, the response is 409
/// `scan_outdated` and contains the new scan. Applying the same scan again changes nothing.
#[utoipa::path(post, path = "/api/catalog/adoption/apply",
    responses((status = 409, description = "The scan is outdated, it has conflicts, or none of the resources exists.")))]
async fn apply_adoption(
    auth: Auth<AssistantsWrite, Editor>,
    app: Data<App>,
    Json(body): Json<AdoptionManifestBody>,
) -> Api<Json<InstallationResponse>> {
    apply(&app, &auth.caller(), body).await.map(Json)
}

operations!(scan_adoption, apply_adoption);
