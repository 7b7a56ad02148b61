//! `/api/users`.

use super::schema::CurrentUserResponse;
use crate::App;
use crate::accounts::tenants_of;
use crate::http::scopes::AccountRead;
use crate::http::{Api, ApiError, Area, Auth, Json, operations};
use actix_web::web::Data;
use storage::TenantId;
use storage::records::{Tenant, User};

pub(crate) fn operations(area: &mut Area) {
    operations!(area; get_current_user);
}

/// Get the caller's own account.
///
/// Profile, tenants, role, scopes and features, as they stand at this moment.
#[utoipa::path(get, path = "/api/users/me", operation_id = "users.get_current_user",
    responses((status = 200, description = "The caller's account", body = CurrentUserResponse)))]
async fn get_current_user(auth: Auth<AccountRead>, app: Data<App>) -> Api<Json<CurrentUserResponse>> {
    let caller = auth.caller();
    let read = app.store.read::<_, ApiError>(move |reader| {
        let user = reader.require::<User>(TenantId::SYSTEM, &caller.user)?;
        let tenant = reader.require::<Tenant>(TenantId::SYSTEM, &caller.tenant.0)?;
        Ok(CurrentUserResponse::new(&caller, user, tenant, tenants_of(reader, caller.user)?))
    });
    read.await.map(Json)
}
