//! What members may do, and their leaving.

use actix_web::web::Data;
use serde::{Deserialize, Serialize};
use storage::Timestamp;
use storage::records::{MembershipOrigin, Role, UserKind};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::App;
use crate::http::scopes::AdminWrite;
use crate::http::{Admin, Api, Auth, Json, NoContent, Path, Refusal, Validate, operations, record_view};
use domain::accounts::members::{self, Member};

/// What a member is to be.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct UpdateUserRoleRequest {
    pub role: Role,
}

impl Validate for UpdateUserRoleRequest {}

record_view! {
    /// A member of the tenant.
    #[derive(Debug, Serialize, ToSchema)]
    pub struct MemberResponse from member: Member, member.user.body => {
        user_id: Uuid = member.user.id,
        /// The address.
        email: String,
        /// The name shown.
        display_name: String,
        /// Person or program.
        kind: UserKind,
        /// What they may do.
        role: Role = member.membership.body.role,
        /// How they became a member.
        origin: MembershipOrigin = member.membership.body.origin,
        /// When they became a member.
        joined_at: Timestamp = member.membership.created_at,
    }
}

/// Give a member another role.
///
/// It holds at once, for every session and token in use. The last administrator of a tenant who can log in stays one:
/// 409 `last_admin`.
#[utoipa::path(put, path = "/api/tenant-admin/users/{user_id}/role",
    params(("user_id" = Uuid, Path, description = "A member")))]
async fn update_user_role(
    auth: Auth<AdminWrite, Admin>,
    app: Data<App>,
    Path(user): Path<Uuid>,
    Json(new): Json<UpdateUserRoleRequest>,
) -> Api<Json<MemberResponse>> {
    let caller = auth.caller();
    let changed = app.store.run(move |tx| members::change_role(tx, &caller, user, new.role)).await?;
    Ok(Json(changed.into()))
}

/// Take a member out of the tenant.
///
/// Sessions and API tokens that open the tenant end with the membership. What the member made stays, and so does the
/// account. The last administrator who can log in cannot leave: 409 `last_admin`.
#[utoipa::path(delete, path = "/api/tenant-admin/users/{user_id}",
    params(("user_id" = Uuid, Path, description = "A member")))]
async fn remove_user(
    auth: Auth<AdminWrite, Admin>,
    app: Data<App>,
    Path(user): Path<Uuid>,
) -> Api<NoContent> {
    let caller = auth.caller();
    app.identity.change::<_, Refusal>(move |tx| members::remove(tx, &caller, user)).await?;
    Ok(NoContent)
}

operations!(update_user_role, remove_user);
