//! Changing the roles of members, and removing members.

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

/// The role to set.
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
        /// The email address.
        email: String,
        /// The name shown to other users.
        display_name: String,
        /// Whether the account belongs to a person or a program.
        kind: UserKind,
        /// The role in the tenant.
        role: Role = member.membership.body.role,
        /// How the user became a member.
        origin: MembershipOrigin = member.membership.body.origin,
        /// When the user became a member.
        joined_at: Timestamp = member.membership.created_at,
    }
}

/// Change the role of a member.
///
/// The change takes effect immediately, for all sessions and tokens. The last administrator of a tenant who can
/// log in must stay one (409 `last_admin`).
#[utoipa::path(put, path = "/api/tenant-admin/users/{user_id}/role",
    params(("user_id" = Uuid, Path, description = "The id of the member.")))]
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

/// Remove a member from the tenant.
///
/// Sessions and API tokens for the tenant end with the membership. The objects that the member created and the
/// account itself are retained. The last administrator who can log in cannot be removed (409 `last_admin`).
#[utoipa::path(delete, path = "/api/tenant-admin/users/{user_id}",
    params(("user_id" = Uuid, Path, description = "The id of the member.")))]
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
