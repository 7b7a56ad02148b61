//! The tenant's directory and its secret.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::web::Data;
use domain::groups::{self, NewDirectory};
use jobs::directory_sync::NewSource;
use providers::directory::{DirectoryError, DirectoryErrorKind};
use storage::Row;
use storage::records::DirectorySource;

use super::schema::SyncCredentialRequest;
use super::view::GroupSyncCredentialResponse;
use crate::App;
use crate::http::scopes::{AdminRead, AdminWrite};
use crate::http::{Admin, Api, Auth, Caller, Faults, Json, NoContent, Refusal, operations};

/// Retrieve the directory from which groups are synchronised.
///
/// No operation returns the secret.
#[utoipa::path(get, path = "/api/groups/sync/credential",
    responses((status = 200, description = "The directory.", body = GroupSyncCredentialResponse),
        (status = 204, description = "No directory is configured.")))]
async fn get_sync_credential(auth: Auth<AdminRead, Admin>, app: Data<App>) -> Api<HttpResponse> {
    let tenant = auth.tenant;
    let source = app.store.read(move |reader| reader.get::<DirectorySource>(tenant, &tenant.0)).await?;
    Ok(source.map_or_else(
        || HttpResponse::NoContent().finish(),
        |source| HttpResponse::Ok().json(GroupSyncCredentialResponse::from(source)),
    ))
}

/// Set the directory from which groups are synchronised, and its secret.
///
/// The connection is tested first. If the test fails, nothing changes and the response (422) reports the
/// reason. Groups that are already selected stay selected and are looked up in the new directory. A directory
/// may be on the public internet, or at a private address that the operator of the server allows
/// (`directories.hosts`).
#[utoipa::path(put, path = "/api/groups/sync/credential")]
async fn set_sync_credential(
    auth: Auth<AdminWrite, Admin>,
    app: Data<App>,
    Json(new): Json<SyncCredentialRequest>,
) -> Api<Json<GroupSyncCredentialResponse>> {
    auth.require_own_name()?;
    Ok(Json(set(&app, &auth.caller(), new.source(), &[]).await?.into()))
}

/// Tests a directory and stores it. `at` is the path in the body that precedes the path of each fault.
pub async fn set(
    app: &App,
    caller: &Arc<Caller>,
    new: NewSource,
    at: &[&'static str],
) -> Api<Row<DirectorySource>> {
    require_allowed_hosts(app, &new, at)?;
    app.directories.test(&new).await.map_err(|why| refused(at, &why))?;
    let settings = serde_json::to_value(&new.settings);
    let settings = settings.map_err(|why| storage::Error::Invalid(why.to_string()))?;
    let new = NewDirectory {
        kind: new.settings.kind().to_owned(),
        url: new.settings.url().to_owned(),
        settings,
        secret: new.secret.expose().to_owned(),
        every_minutes: new.every_minutes,
    };
    let caller = caller.clone();
    app.store.run(move |tx| groups::set_directory(tx, &caller, new.clone())).await
}

/// Refuses a directory at a host that the operator does not allow.
fn require_allowed_hosts(app: &App, new: &NewSource, at: &[&'static str]) -> Api<()> {
    let mut faults = Faults::new("body");
    for (field, host) in new.settings.hosts() {
        if !app.config.directories.admits(&host) {
            let loc = at.iter().copied().chain(["directory", field]);
            let why = format!(
                "this server may not connect to {host} for groups; its operator can allow it in directories.hosts"
            );
            faults.add(loc, why, "not_allowed");
        }
    }
    faults.into_result()
}

/// Delete the directory.
///
/// Groups and their members are retained but no longer synchronised. A running synchronisation is cancelled.
#[utoipa::path(delete, path = "/api/groups/sync/credential")]
async fn delete_sync_credential(auth: Auth<AdminWrite, Admin>, app: Data<App>) -> Api<NoContent> {
    auth.require_own_name()?;
    let caller = auth.caller();
    let running = app.store.run(move |tx| groups::forget_directory(tx, &caller)).await?;
    if let Some(running) = running {
        app.actors.cancel(auth.tenant, running, auth.user).await?;
    }
    Ok(NoContent)
}

operations!(get_sync_credential, set_sync_credential, delete_sync_credential);

/// The problem response for a directory that failed its connection test.
fn refused(at: &[&'static str], why: &DirectoryError) -> Refusal {
    let loc = at.iter().copied().chain(match why.kind {
        DirectoryErrorKind::Refused => ["secret"],
        _ => ["directory"],
    });
    Refusal::invalid("body", loc, why.message.clone(), why.kind.code())
}
