//! Requests to join a tenant, from users who have signed up.

use actix_web::web::Data;
use serde::{Deserialize, Serialize};
use storage::records::{JoinRequest, Role, Tenant};
use storage::{IndexKey, Page, Reader, Row, Scan, TenantId, Timestamp};
use utoipa::ToSchema;
use uuid::Uuid;

use super::members::MemberResponse;
use crate::http::scopes::{AdminRead, AdminWrite};
use crate::http::{
    Admin, Api, Auth, Json, NoContent, Own, Paging, Path, Query, Refusal, Validate, list_of, operations,
    record_view,
};
use crate::{App, invitation_mailer};
use domain::accounts::{joining, members};

record_view! {
    /// A request to join the tenant.
    #[derive(Debug, Serialize, ToSchema)]
    pub struct JoinRequestResponse from row: Row<JoinRequest>, row.body => {
        /// The request's id.
        id: Uuid = row.id,
        /// The email address.
        email: String,
        /// The name given at sign-up.
        display_name: String,
        /// Whether the address was verified by email.
        proved: bool,
        /// When the user signed up.
        created_at: Timestamp = row.created_at,
        /// When the request expires and is deleted.
        expires_at: Timestamp,
    }
}

list_of! {
    /// Pending requests to join, oldest first.
    pub JoinRequestList of JoinRequestResponse
}

/// The role to grant.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct ApproveJoinRequestRequest {
    /// The role of the new member.
    pub role: Role,
}

impl Validate for ApproveJoinRequestRequest {}

/// List pending requests to join.
#[utoipa::path(get, path = "/api/tenant-admin/join-requests", params(Paging))]
async fn list_join_requests(
    auth: Auth<AdminRead, Admin>,
    app: Data<App>,
    Query(paging): Query<Paging>,
) -> Api<Json<JoinRequestList>> {
    let scan = Scan::index("by_tenant").prefix(IndexKey::new().id(&auth.tenant.0).done());
    let scan = paging.scan(scan)?;
    let read = move |reader: &Reader| Api::Ok(reader.scan::<JoinRequest>(TenantId::SYSTEM, scan)?);
    let page: Page<Row<JoinRequest>> = app.store.read(read).await?;
    Ok(Json(page.into()))
}

/// Approve a request to join.
///
/// If email is configured, the user is notified by email.
#[utoipa::path(post, path = "/api/tenant-admin/join-requests/{join_request_id}/approve",
    params(("join_request_id" = Uuid, Path, description = "The id of the request to join.")))]
async fn approve_join_request(
    auth: Auth<AdminWrite, Own<Admin>>,
    app: Data<App>,
    Path(id): Path<Uuid>,
    Json(request): Json<ApproveJoinRequestRequest>,
) -> Api<Json<MemberResponse>> {
    let (caller, store) = (auth.caller(), app.store.clone());
    let decided = store.run::<_, Refusal>(move |tx| {
        let user = joining::approve(tx, &caller, id, request.role)?;
        let tenant = tx.require::<Tenant>(TenantId::SYSTEM, &caller.tenant.0)?;
        Ok((members::get(tx, caller.tenant, user.id)?, tenant.body.name))
    });
    let (member, tenant) = decided.await?;
    app.mailer.send_later(invitation_mailer::approved(&member.user.email, &tenant));
    Ok(Json(member.into()))
}

/// Refuse a request to join.
///
/// The user can sign up again. If email is configured, the user is notified by email.
#[utoipa::path(post, path = "/api/tenant-admin/join-requests/{join_request_id}/refuse",
    params(("join_request_id" = Uuid, Path, description = "The id of the request to join.")))]
async fn refuse_join_request(
    auth: Auth<AdminWrite, Admin>,
    app: Data<App>,
    Path(id): Path<Uuid>,
) -> Api<NoContent> {
    let (caller, store) = (auth.caller(), app.store.clone());
    let decided = store.run::<_, Refusal>(move |tx| {
        let tenant = tx.require::<Tenant>(TenantId::SYSTEM, &caller.tenant.0)?;
        Ok((joining::refuse(tx, &caller, id)?, tenant.body.name))
    });
    let (email, tenant) = decided.await?;
    app.mailer.send_later(invitation_mailer::refused(&email, &tenant));
    Ok(NoContent)
}

operations!(list_join_requests, approve_join_request, refuse_join_request);
