//! Bringing what is there already under a manifest.

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

/// Look what a manifest would find.
///
/// For each resource that the manifest names: `matched` if it exists with the expected fields; `drifted` with the fields
/// that differ; `missing`; or `conflict` if it is ambiguous or cannot be adopted. Resources are found by `id`, else by
/// what was adopted before, else by their name among the caller's own. Only an owner can adopt a resource. Nothing is
/// created or changed. The `scan_hash` of the response is required to apply the manifest.
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

/// Bring what a scan found under the manifest.
///
/// What matches, or has drifted, becomes part of an installation of the caller's: from then on it is updated like what
/// was installed. Drifted fields stay as they are, as edits, unless `drift` is `take`; what is missing stays away, unless
/// `absent` is `create`. All of it or nothing. It is bound to the scan: where anything has changed since, 409
/// `scan_outdated`, and the answer has the new scan. Applying the same scan again changes nothing.
#[utoipa::path(post, path = "/api/catalog/adoption/apply",
    responses((status = 409, description = "Things have changed since the scan, or there are conflicts.")))]
async fn apply_adoption(
    auth: Auth<AssistantsWrite, Editor>,
    app: Data<App>,
    Json(body): Json<AdoptionManifestBody>,
) -> Api<Json<InstallationResponse>> {
    apply(&app, &auth.caller(), body).await.map(Json)
}

operations!(scan_adoption, apply_adoption);
