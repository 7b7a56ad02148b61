//! Operations on packages.

use actix_web::web::Data;

use super::installed::InstallationResponse;
use super::schema::{
    HowToUpdate, InstallPackageBody, ListPackages, UpdatePackageBody, ValidateInstallBody, WhichVersion,
};
use super::view::{PackageList, PackageResponse, UpdateResponse, ValidateInstallResponse};
use super::{install, list, update};
use crate::App;
use crate::http::scopes::{AssistantsRead, AssistantsWrite};
use crate::http::{
    Api, Auth, Created, Editor, Json, OptionalJson, Paging, Path, Query, StrictQuery, operations,
};

/// List packages.
///
/// Returns the newest version of each package, sorted by id, with the caller's installation of it. Packages ship with this server, and come
/// from the folders and the index in its configuration. Administrators also see packages that cannot be used.
#[utoipa::path(get, path = "/api/catalog/packages", params(ListPackages, Paging))]
async fn list_packages(
    auth: Auth<AssistantsRead>,
    app: Data<App>,
    Query(list_query): Query<ListPackages>,
    Query(paging): Query<Paging>,
) -> Api<Json<PackageList>> {
    let (caller, package_set) = (auth.caller(), app.catalog.package_set().await);
    app.store
        .read(move |reader| list::packages(reader, &caller, &package_set, &list_query, &paging))
        .await
        .map(Json)
}

/// Retrieve a package.
///
/// The response contains its manifest, its parameters, and its files and their checksum.
#[utoipa::path(get, path = "/api/catalog/packages/{package_id:.+}",
    params(("package_id" = String, Path, description = "The id of the package. It contains slashes."), WhichVersion))]
async fn get_package(
    auth: Auth<AssistantsRead>,
    app: Data<App>,
    Path(id): Path<String>,
    Query(which): Query<WhichVersion>,
) -> Api<Json<PackageResponse>> {
    let (caller, package_set, version) = (auth.caller(), app.catalog.package_set().await, which.version);
    app.store
        .read(move |reader| list::package(reader, &caller, &package_set, &id, version.as_deref()))
        .await
        .map(Json)
}

/// Check whether a package can be installed.
///
/// Reports all problems together: missing requirements, missing or invalid parameters, disabled features, and faults of its resources.
/// Nothing is created.
#[utoipa::path(post, path = "/api/catalog/packages/{package_id:.+}/validate",
    params(("package_id" = String, Path, description = "The id of the package. It contains slashes.")))]
async fn validate_install(
    auth: Auth<AssistantsRead>,
    app: Data<App>,
    Path(id): Path<String>,
    Json(body): Json<ValidateInstallBody>,
) -> Api<Json<ValidateInstallResponse>> {
    install::validate(&app, &auth.caller(), &id, body.into()).await.map(Json)
}

/// Install a package.
///
/// The package is installed in one transaction. The created resources belong to the caller, who may change or delete them like any others.
/// Each member installs a package for themselves, or with `visibility: tenant` for the whole tenant. If some resources of an installation
/// were deleted, installing the same version again restores them; if all were deleted, any version can be installed. Otherwise an installed
/// package is refused with 409 `already_installed`. 409 `requirements_missing` lists the missing requirements. Requires the role `editor`,
/// and the scopes and features for the package's resources.
#[utoipa::path(post, path = "/api/catalog/packages/{package_id:.+}/install",
    params(("package_id" = String, Path, description = "The id of the package. It contains slashes.")),
    responses((status = 409, description = "The package is already installed, or a requirement is missing.")))]
async fn install_package(
    auth: Auth<AssistantsWrite, Editor>,
    app: Data<App>,
    Path(id): Path<String>,
    Json(body): Json<InstallPackageBody>,
) -> Api<Created<InstallationResponse>> {
    install::install(&app, &auth.caller(), &id, body).await.map(Created)
}

/// Update an installed package of the caller.
///
/// Fields are merged three ways: the value in the installed version, the current value, and the value in the new version. Changes by the
/// new version only are taken, changes made here only are kept, and `on_conflict` decides about fields that both changed. New resources of
/// the version are created; resources that it no longer contains are kept. The response contains the result for each field. Updating to the
/// installed version changes nothing; updating to an older one fails with 409. Options are passed in the query or in the body.
#[utoipa::path(post, path = "/api/catalog/packages/{package_id:.+}/update",
    params(("package_id" = String, Path, description = "The id of the package. It contains slashes."), HowToUpdate),
    request_body = Option<UpdatePackageBody>,
    responses((status = 409,
        description = "Local changes conflict with the new version, the version is older than the installed one, or a requirement is missing.")))]
async fn update_package(
    auth: Auth<AssistantsWrite, Editor>,
    app: Data<App>,
    Path(id): Path<String>,
    StrictQuery(query): StrictQuery<HowToUpdate>,
    OptionalJson(body): OptionalJson<UpdatePackageBody>,
) -> Api<Json<UpdateResponse>> {
    update::update(&app, &auth.caller(), &id, body.and(query)?).await.map(Json)
}

operations!(list_packages, get_package, validate_install, install_package, update_package);
