//! The operations of `/api/users/me`.

use super::schema::{CurrentUserResponse, UpdateCurrentUserBody, UploadLimits};
use crate::App;
use crate::http::scopes::{AccountRead, AccountWrite};
use crate::http::{Api, Auth, Caller, IfMatch, Json, Versioned, operations};
use actix_web::web::Data;
use domain::accounts::{profile, tenants};
use storage::records::{Tenant, User};
use storage::{Reader, Row, TenantId, Tx};

const SYSTEM: TenantId = TenantId::SYSTEM;

operations!(get_current_user, update_current_user);

/// Retrieve the caller's own account.
///
/// Returns the current profile, tenants, role, scopes and features.
#[utoipa::path(get, path = "/api/users/me")]
async fn get_current_user(auth: Auth<AccountRead>, app: Data<App>) -> Api<Json<CurrentUserResponse>> {
    let (caller, uploads) = (auth.caller(), UploadLimits::from(&app.config.limits));
    let read = move |reader: &Reader| {
        let user = reader.require::<User>(SYSTEM, &caller.user)?;
        shown(reader, &caller, user, uploads.clone())
    };
    app.store.read(read).await.map(Json)
}

/// Update the caller's own account: the name that others see.
#[utoipa::path(patch, path = "/api/users/me")]
async fn update_current_user(
    auth: Auth<AccountWrite>,
    app: Data<App>,
    if_match: IfMatch,
    Json(new): Json<UpdateCurrentUserBody>,
) -> Api<Versioned<CurrentUserResponse>> {
    let (caller, precondition) = (auth.caller(), if_match.precondition());
    let uploads = UploadLimits::from(&app.config.limits);
    let rename = move |tx: &mut Tx| {
        let row = profile::rename(tx, &caller, &precondition, new.display_name.as_deref(), new.version)?;
        shown(tx, &caller, row, uploads.clone())
    };
    app.store.run(rename).await.map(Versioned)
}

fn shown(
    reader: &Reader,
    caller: &Caller,
    user: Row<User>,
    uploads: UploadLimits,
) -> Api<CurrentUserResponse> {
    let tenant = reader.require::<Tenant>(SYSTEM, &caller.tenant.0)?;
    Ok(CurrentUserResponse::new(caller, user, tenant, tenants::of_user(reader, caller.user)?, uploads))
}
