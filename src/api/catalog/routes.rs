//! Packages.

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
    Api, Auth, Created, Editor, Json, OnlyQuery, OptionalJson, Paging, Path, Query, operations,
};

/// List packages.
///
/// Each in its newest version, by their ids, with what the caller has installed of it. Packages ship with this
/// server, and come from folders and an index that its configuration names. Administrators are also told of those
/// that cannot be used.
#[utoipa::path(get, path = "/api/catalog/packages", params(ListPackages, Paging))]
async fn list_packages(
    auth: Auth<AssistantsRead>,
    app: Data<App>,
    Query(list_query): Query<ListPackages>,
    Query(paging): Query<Paging>,
) -> Api<Json<PackageList>> {
    let (caller, shelf) = (auth.caller(), app.catalog.shelf().await);
    app.store
        .read(move |reader| list::packages(reader, &caller, &shelf, &list_query, &paging))
        .await
        .map(Json)
}

/// Show a package.
///
/// With its manifest, its parameters, its files and their checksum.
#[utoipa::path(get, path = "/api/catalog/packages/{package_id:.+}",
    params(("package_id" = String, Path, description = "The package's id, which holds slashes."), WhichVersion))]
async fn get_package(
    auth: Auth<AssistantsRead>,
    app: Data<App>,
    Path(id): Path<String>,
    Query(which): Query<WhichVersion>,
) -> Api<Json<PackageResponse>> {
    let (caller, shelf, version) = (auth.caller(), app.catalog.shelf().await, which.version);
    app.store
        .read(move |reader| list::package(reader, &caller, &shelf, &id, version.as_deref()))
        .await
        .map(Json)
}

/// Check whether a package can be installed.
///
/// Reports all problems together: missing requirements, parameters that are missing or wrong, features that are
/// switched off, and faults of its resources. Nothing is created.
#[utoipa::path(post, path = "/api/catalog/packages/{package_id:.+}/validate",
    params(("package_id" = String, Path, description = "The package's id, which holds slashes.")))]
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
/// In one transaction. The created resources belong to the caller, who may change or delete them like any others; each
/// member installs a package for themselves, or with `visibility: tenant` for the whole tenant. Where something that was
/// installed is gone, installing the same version again brings back what is missing; where all of it is, any version
/// can be installed again. Else 409 `already_installed`. 409 `requirements_missing` lists what is not there. Needs the
/// role `editor`, and the scopes and features for what the package makes.
#[utoipa::path(post, path = "/api/catalog/packages/{package_id:.+}/install",
    params(("package_id" = String, Path, description = "The package's id, which holds slashes.")),
    responses((status = 409, description = "It is installed, or something that it needs is not there.")))]
async fn install_package(
    auth: Auth<AssistantsWrite, Editor>,
    app: Data<App>,
    Path(id): Path<String>,
    Json(body): Json<InstallPackageBody>,
) -> Api<Created<InstallationResponse>> {
    install::install(&app, &auth.caller(), &id, body).await.map(Created)
}

/// Update what the caller has installed of a package.
///
/// Each field is seen three ways: as the installed version had it, as it is now, and as the new version wants it. What
/// only the new version changed is taken, what was only changed here is kept, and of what both changed, `on_conflict`
/// decides. Things that are new in the version are made; things that it has no more stay. The answer tells what became
/// of each field. To the same version again, it changes nothing; to an older one, 409. What is wanted stands in the
/// query or in the body.
#[utoipa::path(post, path = "/api/catalog/packages/{package_id:.+}/update",
    params(("package_id" = String, Path, description = "The package's id, which holds slashes."), HowToUpdate),
    request_body = Option<UpdatePackageBody>,
    responses((status = 409, description = "Both sides changed something, the version is older, or something that it needs is not there.")))]
async fn update_package(
    auth: Auth<AssistantsWrite, Editor>,
    app: Data<App>,
    Path(id): Path<String>,
    OnlyQuery(query): OnlyQuery<HowToUpdate>,
    OptionalJson(body): OptionalJson<UpdatePackageBody>,
) -> Api<Json<UpdateResponse>> {
    update::update(&app, &auth.caller(), &id, body.and(query)?).await.map(Json)
}

operations!(list_packages, get_package, validate_install, install_package, update_package);
