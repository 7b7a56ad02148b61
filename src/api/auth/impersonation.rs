//! Impersonation: acting as another user, to see what that user sees.

use super::schema::{ImpersonateRequest, ImpersonationResponse};
use super::sessions::{Kind, make_room};
use crate::App;
use crate::http::credentials::Claims;
use crate::http::scopes::{AdminWrite, Any};
use crate::http::{Api, Auth, Caller, Code, Created, InSession, Json, Own, Refusal, operations};
use actix_web::web::Data;
use domain::accounts::members::require_admin;
use domain::audit::{Actor, audit};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use storage::records::{Membership, Role, Session, User, UserKind};
use storage::{Row, TenantId, Timestamp, Tx, new_id};
use uuid::Uuid;

const SYSTEM: TenantId = TenantId::SYSTEM;

operations!(impersonate, refresh_impersonation);

/// Impersonate a member of the tenant.
///
/// Returns an access token with the claim `act` that is valid for an hour. It cannot be used to create API tokens or to switch to another
/// tenant. Requires a session. The impersonation and its reason are recorded in the audit log. Administrators cannot be impersonated.
#[utoipa::path(post, path = "/api/auth/impersonate")]
async fn impersonate(
    auth: Auth<AdminWrite, Own<InSession>>,
    app: Data<App>,
    Json(whom): Json<ImpersonateRequest>,
) -> Api<Created<ImpersonationResponse>> {
    begin(&app, auth.caller(), whom).await.map(Created)
}

async fn begin(app: &App, caller: Arc<Caller>, whom: ImpersonateRequest) -> Api<ImpersonationResponse> {
    let ImpersonateRequest { user_id, reason } = whom;
    let who = caller.clone();
    let opened = app.store.run::<_, Refusal>({
        let ends_at = ends_at(app);
        move |tx| {
            let opened = open(tx, &who, user_id, ends_at)?;
            if opened.role == Role::TenantAdmin || opened.user.platform_admin {
                return Err(Refusal::new(Code::NotAllowed).detail("administrators cannot be impersonated"));
            }
            note(tx, &who, "user.impersonate", user_id, json!({"reason": reason}))?;
            Ok(opened)
        }
    });
    opened.await?.answer(app, &caller)
}

/// Starts a session as a service account of the tenant. The role of the account does not matter: an administrator of the tenant could do as
/// much in their own name.
pub(crate) async fn log_in_as(app: &App, caller: Arc<Caller>, account: Uuid) -> Api<ImpersonationResponse> {
    let who = caller.clone();
    let opened = app.store.run::<_, Refusal>({
        let ends_at = ends_at(app);
        move |tx| {
            let opened = open(tx, &who, account, ends_at)?;
            // A platform administrator has rights that no administrator of a tenant has.
            if opened.user.kind != UserKind::ServiceAccount || opened.user.platform_admin {
                return Err(Refusal::not_found("service account"));
            }
            note(tx, &who, "service_account.login_as", account, json!({}))?;
            Ok(opened)
        }
    });
    opened.await?.answer(app, &caller)
}

fn ends_at(app: &App) -> Timestamp {
    Timestamp::now() + Duration::from_secs(app.config.auth.impersonation_hours * 60 * 60)
}

/// A session of one user that another user holds.
struct Opened {
    session: Uuid,
    user: Row<User>,
    role: Role,
    ends_at: Timestamp,
}

impl Opened {
    fn answer(self, app: &App, caller: &Caller) -> Api<ImpersonationResponse> {
        let Self { session, user, role, ends_at } = self;
        token(app, user.id, caller.tenant.0, session, role, caller.user, ends_at)
    }
}

fn open(tx: &mut Tx, caller: &Caller, user: Uuid, ends_at: Timestamp) -> Api<Opened> {
    let account = tx.get::<User>(SYSTEM, &user)?.filter(|user| !user.disabled);
    let member = tx.get::<Membership>(SYSTEM, &(user, caller.tenant.0))?;
    let (Some(user), Some(member)) = (account, member) else { return Err(Refusal::not_found("user")) };
    require_admin(tx, caller)?;
    make_room(tx, user.id, Kind::ActedIn(caller.tenant.0))?;
    let session = new_id();
    let body = Session {
        user: user.id,
        tenant: caller.tenant.0,
        family: session,
        expires_at: ends_at,
        actor: Some(caller.user),
        actor_session: caller.session,
        ..Session::default()
    };
    tx.insert(SYSTEM, session, body)?;
    Ok(Opened { session, user, role: member.role, ends_at })
}

fn note(tx: &mut Tx, caller: &Caller, action: &str, user: Uuid, detail: Value) -> storage::Result<()> {
    audit(tx, caller.tenant, Actor::from(caller), action, format!("user {user}"), detail)
}

/// Renew an impersonation token.
///
/// The request must use a token that is still valid. A token can be renewed as long as the impersonating user has the right to impersonate,
/// and for at most eight hours in total.
#[utoipa::path(post, path = "/api/auth/refresh-impersonation/")]
async fn refresh_impersonation(
    auth: Auth<Any, InSession>,
    app: Data<App>,
) -> Api<Json<ImpersonationResponse>> {
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
