//! Acting as somebody else, to see what they see.

use super::schema::{ImpersonateRequest, ImpersonationResponse};
use super::sessions::make_room;
use crate::App;
use crate::accounts::{Actor, audit};
use crate::http::credentials::Claims;
use crate::http::scopes::{AdminWrite, Any};
use crate::http::{Api, ApiError, Area, Auth, Caller, Code, Created, Json, operations};
use actix_web::web::Data;
use serde_json::json;
use std::time::Duration;
use storage::records::{Membership, Role, Session, User};
use storage::{TenantId, Timestamp, Tx, new_id};
use uuid::Uuid;

const SYSTEM: TenantId = TenantId::SYSTEM;

pub(super) fn operations(area: &mut Area) {
    operations!(area; impersonate, refresh_impersonation);
}

/// Act as a member of the tenant.
///
/// Answers an access token that carries `act`, lasts an hour, and can mint nothing: no API tokens,
/// no other tenant. Needs a session. It is written to the audit record with its reason.
/// Administrators cannot be impersonated.
#[utoipa::path(post, path = "/api/auth/impersonate", operation_id = "auth.impersonate",
    responses((status = 201, description = "A token in that user's name", body = ImpersonationResponse)))]
async fn impersonate(
    auth: Auth<AdminWrite>,
    app: Data<App>,
    Json(whom): Json<ImpersonateRequest>,
) -> Api<Created<ImpersonationResponse>> {
    auth.require_own_name()?;
    auth.require_session()?;
    let (caller, session) = (auth.caller(), new_id());
    let ends_at = Timestamp::now() + Duration::from_secs(app.config.auth.impersonation_hours * 60 * 60);
    let user = whom.user_id;
    let role = app.store.run::<_, ApiError>(move |tx| begin(tx, &caller, &whom, session, ends_at)).await?;
    token(&app, user, auth.tenant.0, session, role, auth.user, ends_at).map(Created)
}

fn begin(
    tx: &mut Tx,
    caller: &Caller,
    whom: &ImpersonateRequest,
    session: Uuid,
    ends_at: Timestamp,
) -> Api<Role> {
    let user = tx.get::<User>(SYSTEM, &whom.user_id)?.filter(|user| !user.disabled);
    let member = tx.get::<Membership>(SYSTEM, &(whom.user_id, caller.tenant.0))?;
    let (Some(user), Some(member)) = (user, member) else { return Err(ApiError::not_found("user")) };
    if member.role == Role::TenantAdmin || user.platform_admin {
        return Err(ApiError::new(Code::NotAllowed).detail("administrators cannot be impersonated"));
    }
    make_room(tx, user.id)?;
    let body = Session {
        user: user.id,
        tenant: caller.tenant.0,
        family: session,
        expires_at: ends_at,
        actor: Some(caller.user),
        ..Session::default()
    };
    tx.insert(SYSTEM, session, body)?;
    let actor = Actor { user: caller.user, act: None };
    audit(
        tx,
        caller.tenant,
        actor,
        "user.impersonate",
        format!("user {}", user.id),
        json!({"reason": whom.reason}),
    )?;
    Ok(member.role)
}

/// Renew an impersonation token.
///
/// Presented with one that still holds, as long as whoever acts may still do so, and eight hours
/// in all.
#[utoipa::path(post, path = "/api/auth/refresh-impersonation/", operation_id = "auth.refresh_impersonation",
    responses((status = 200, description = "The next token", body = ImpersonationResponse)))]
async fn refresh_impersonation(auth: Auth<Any>, app: Data<App>) -> Api<Json<ImpersonationResponse>> {
    let actor = auth.act.ok_or(Code::NotImpersonating)?;
    let session = auth.require_session()?;
    let row = app.store.read(move |reader| reader.require::<Session>(SYSTEM, &session)).await?;
    token(&app, auth.user, auth.tenant.0, session, auth.role, actor, row.expires_at).map(Json)
}

fn token(
    app: &App,
    user: Uuid,
    tenant: Uuid,
    session: Uuid,
    role: Role,
    actor: Uuid,
    ends_at: Timestamp,
) -> Api<ImpersonationResponse> {
    let life = app.config.auth.impersonation().min(ends_at.since(Timestamp::now()));
    let claims = Claims { act: Some(actor), ..Claims::new(user, tenant, session, role, life) };
    let access_token = app.identity.sign(&claims)?;
    Ok(ImpersonationResponse { access_token, token_type: "Bearer", expires_in: life.as_secs(), ends_at })
}
