//! `/api/users/me`.

use super::schema::{CurrentUserResponse, UpdateCurrentUserBody};
use crate::App;
use crate::http::scopes::{AccountRead, AccountWrite};
use crate::http::{Api, Auth, Caller, IfMatch, Json, Versioned, operations};
use actix_web::web::Data;
use domain::accounts::tenants;
use storage::records::{Tenant, User};
use storage::{Reader, Row, TenantId, Tx};

const SYSTEM: TenantId = TenantId::SYSTEM;

operations!(get_current_user, update_current_user);

/// Get the caller's own account.
///
/// Profile, tenants, role, scopes and features, as they stand at this moment.
#[utoipa::path(get, path = "/api/users/me", operation_id = "users.get_current_user")]
async fn get_current_user(auth: Auth<AccountRead>, app: Data<App>) -> Api<Json<CurrentUserResponse>> {
    let caller = auth.caller();
    let read = move |reader: &Reader| {
        let user = reader.require::<User>(SYSTEM, &caller.user)?;
        shown(reader, &caller, user)
    };
    app.store.read(read).await.map(Json)
}

/// Change the caller's own account: the name that others see.
#[utoipa::path(patch, path = "/api/users/me", operation_id = "users.update_current_user")]
async fn update_current_user(
    auth: Auth<AccountWrite>,
    app: Data<App>,
    if_match: IfMatch,
    Json(new): Json<UpdateCurrentUserBody>,
) -> Api<Versioned<CurrentUserResponse>> {
    let caller = auth.caller();
    app.store.run(move |tx| rename(tx, &caller, &if_match, &new)).await.map(Versioned)
}

fn rename(
    tx: &mut Tx,
    caller: &Caller,
    if_match: &IfMatch,
    new: &UpdateCurrentUserBody,
) -> Api<CurrentUserResponse> {
    let mut row = tx.require::<User>(SYSTEM, &caller.user)?;
    if_match.check(row.version)?;
    if new.version.is_some_and(|version| version != row.version) {
        return Err(storage::Error::Stale("user").into());
    }
    if let Some(name) = &new.display_name
        && *name != row.display_name
    {
        row.display_name.clone_from(name);
        row = tx.update(SYSTEM, row)?;
    }
    shown(tx, caller, row)
}

fn shown(reader: &Reader, caller: &Caller, user: Row<User>) -> Api<CurrentUserResponse> {
    let tenant = reader.require::<Tenant>(SYSTEM, &caller.tenant.0)?;
    Ok(CurrentUserResponse::new(caller, user, tenant, tenants::of_user(reader, caller.user)?))
}
