//! Sessions: they are started by a login, renewed with refresh tokens, and ended by a logout.

use super::schema::{LoginResponse, LogoutRequest, TenantMembership};
use crate::App;
use crate::http::credentials::{Claims, RefreshSecret};
use crate::http::{Api, Caller, Code, Refusal};
use actix_web::{HttpRequest, HttpResponse};
use domain::accounts::{first_start, passwords, tenants};
use std::time::Duration;
use storage::records::{Membership, PasswordHash, Role, Session, Tenant, User};
use storage::{Reader, Row, Scan, TenantId, Timestamp, Tx, new_id};
use uuid::Uuid;

const SYSTEM: TenantId = TenantId::SYSTEM;
/// Maximum number of a user's own sessions, and of sessions in which administrators of one tenant act as that user. A new session replaces
/// the oldest one.
const MAX_SESSIONS: usize = 100;

/// The device on which a session was started.
#[derive(Clone, Default)]
pub(super) struct Device {
    user_agent: Option<String>,
    ip: Option<String>,
}

impl Device {
    /// Reads the device from the headers of a request. `ip` is the address that the request came from.
    pub fn from_request(request: &HttpRequest, ip: Option<std::net::IpAddr>) -> Self {
        let agent = request.headers().get("user-agent").and_then(|agent| agent.to_str().ok());
        Self {
            user_agent: agent.map(|agent| agent.chars().take(200).collect()),
            ip: ip.map(|ip| ip.to_string()),
        }
    }
}

/// A session with everything that the response contains.
pub(super) struct StartedSession {
    session: Uuid,
    user: Row<User>,
    tenant: Row<Tenant>,
    role: Role,
    tenants: Vec<(Row<Tenant>, Role)>,
}

impl StartedSession {
    fn read(reader: &Reader, session: Uuid, user: Row<User>, tenant: Uuid) -> Result<Self, Refusal> {
        let tenants = tenants::of_user(reader, user.id)?;
        let here = tenants.iter().find(|(row, _)| row.id == tenant);
        let (tenant, role) = here.cloned().ok_or_else(|| Refusal::not_found("tenant"))?;
        Ok(Self { session, user, tenant, role, tenants })
    }

    /// Builds the response, with the tokens in the body and as cookies for browsers.
    pub fn answer(self, app: &App, refresh: Option<String>) -> Api<HttpResponse> {
        let life = app.config.auth.access();
        let claims = Claims::new(self.user.id, self.tenant.id, self.session, self.role, life);
        let access_token = app.identity.sign(&claims)?;
        let mut response = HttpResponse::Ok();
        app.cookies.access(&mut response, &access_token, life);
        if let Some(refresh) = &refresh {
            app.cookies.refresh(&mut response, refresh, app.config.auth.refresh());
        }
        Ok(response.json(LoginResponse {
            access_token,
            token_type: "Bearer",
            refresh_token: refresh,
            expires_in: life.as_secs(),
            user: self.user.into(),
            tenant: self.tenant.into(),
            tenants: self.tenants.into_iter().map(TenantMembership::from).collect(),
        }))
    }
}

/// A session that a transaction may start. The proof that the user may have the session is checked in the same transaction, so that no
/// session survives an event that ended the user's sessions while the proof was being checked.
#[derive(Clone)]
pub(super) struct NewSession {
    id: Uuid,
    refresh_sha256: String,
    life: Duration,
    device: Device,
}

impl NewSession {
    /// Creates a session with its refresh token, which is shown once.
    pub fn new(app: &App, device: Device) -> Api<(Self, RefreshSecret)> {
        let id = new_id();
        let secret = RefreshSecret::new(app.identity.keys(), id)?;
        Ok((Self { id, refresh_sha256: secret.hash(), life: app.config.auth.refresh(), device }, secret))
    }

    /// Starts the session in the requested tenant, or in the tenant that the user joined first.
    ///
    /// # Errors
    /// 401 if the user is disabled, 403 if the user belongs to no tenant, 404 if the user does not belong to the requested tenant.
    pub fn begin(&self, tx: &mut Tx, user: Uuid, tenant: Option<Uuid>) -> Api<StartedSession> {
        let user = tx.get::<User>(SYSTEM, &user)?.filter(|user| !user.disabled).ok_or(Code::LoginFailed)?;
        let tenants = tenants::of_user(tx, user.id)?;
        let first = tenants.first().map(|(row, _)| row.id);
        let Some(tenant) = tenant.or(first) else {
            return Err(Refusal::new(Code::NotAllowed).detail("this user belongs to no tenant"));
        };
        let begun = StartedSession::read(tx, self.id, user, tenant)?;
        make_room(tx, begun.user.id, Kind::OfUser)?;
        let hash = tx.get::<PasswordHash>(SYSTEM, &begun.user.id)?;
        let body = Session {
            user: begun.user.id,
            tenant,
            family: self.id,
            password_version: hash.map(|hash| hash.version),
            refresh_sha256: self.refresh_sha256.clone(),
            expires_at: Timestamp::now() + self.life,
            user_agent: self.device.user_agent.clone(),
            ip: self.device.ip.clone(),
            ..Session::default()
        };
        tx.insert(SYSTEM, self.id, body)?;
        first_start::record_login(tx, begun.user.id)?;
        Ok(begun)
    }
}

/// Groups of sessions that count together towards [`MAX_SESSIONS`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Sessions that the user started.
    OfUser,
    /// Sessions in which administrators of this tenant act as the user.
    ActedIn(Uuid),
}

impl Kind {
    fn from_session(session: &Session) -> Self {
        match session.actor {
            None => Self::OfUser,
            Some(_) => Self::ActedIn(session.tenant),
        }
    }
}

/// Deletes sessions that have ended, and the oldest sessions of this kind if there are too many. Sessions of other kinds are never deleted
/// to make room: actions of one tenant's administrators end neither the user's own sessions nor sessions in other tenants.
pub(super) fn make_room(tx: &mut Tx, user: Uuid, kind: Kind) -> storage::Result<()> {
    let now = Timestamp::now();
    let scan = Scan::index("by_user").prefix(user.as_bytes().to_vec());
    let sessions = tx.scan::<Session>(SYSTEM, scan)?.items;
    let (live, over): (Vec<_>, Vec<_>) =
        sessions.into_iter().partition(|s| s.ended_at.is_none() && s.expires_at > now);
    let alike: Vec<_> = live.iter().filter(|session| Kind::from_session(session) == kind).collect();
    let surplus = (alike.len() + 1).saturating_sub(MAX_SESSIONS);
    for session in over.iter().chain(alike.into_iter().take(surplus)) {
        tx.delete::<Session>(SYSTEM, &session.id)?;
    }
    Ok(())
}

enum Renewal {
    Done(Box<StartedSession>),
    /// A token was used a second time: it was stolen, and it cannot be known which of its users is the legitimate one.
    Reused,
}

/// Renews a session with its refresh token, which becomes invalid.
pub(super) async fn renew(app: &App, token: &str) -> Api<HttpResponse> {
    let shown = RefreshSecret::parse(app.identity.keys(), token).ok_or(Code::RefreshInvalid)?;
    let next = RefreshSecret::new(app.identity.keys(), shown.session)?;
    let (hash, life) = (next.hash(), app.config.auth.refresh());
    let renewal = app.store.run::<_, Refusal>(move |tx| rotate(tx, &shown, &hash, life)).await?;
    match renewal {
        Renewal::Done(begun) => begun.answer(app, Some(next.reveal())),
        Renewal::Reused => {
            app.identity.forget();
            tracing::warn!("a refresh token was reused; its session was ended");
            Err(Code::RefreshReused.into())
        }
    }
}

fn rotate(tx: &mut Tx, shown: &RefreshSecret, next: &str, life: Duration) -> Result<Renewal, Refusal> {
    let now = Timestamp::now();
    let session = tx.get::<Session>(SYSTEM, &shown.session)?;
    let over = |session: &Row<Session>| session.ended_at.is_some() || session.expires_at <= now;
    let Some(mut session) = session.filter(|session| !over(session)) else {
        return Err(Code::RefreshInvalid.into());
    };
    if !passwords::is_session_current(tx, &session)? {
        return Err(Code::RefreshInvalid.into());
    }
    if !shown.matches(&session.refresh_sha256) {
        session.ended_at = Some(now);
        tx.update(SYSTEM, session)?;
        return Ok(Renewal::Reused);
    }
    let user =
        tx.get::<User>(SYSTEM, &session.user)?.filter(|user| !user.disabled).ok_or(Code::RefreshInvalid)?;
    // A user who lost the membership continues in one of the remaining tenants, if there is one.
    let member = tx.get::<Membership>(SYSTEM, &(user.id, session.tenant))?.is_some();
    if !member {
        let memberships = tenants::of_user(tx, user.id)?;
        session.tenant = memberships.first().map(|(row, _)| row.id).ok_or(Code::RefreshInvalid)?;
    }
    session.refresh_sha256 = next.to_owned();
    session.expires_at = now + life;
    let session = tx.update(SYSTEM, session)?;
    let begun = StartedSession::read(tx, session.id, user, session.tenant)?;
    Ok(Renewal::Done(Box::new(begun)))
}

/// Ends the caller's session, or all sessions of the user. An impersonated session always ends alone, because its holder is not the user.
pub(crate) async fn leave(app: &App, caller: &Caller, request: &LogoutRequest) -> Api<()> {
    let all = request.all && caller.act.is_none();
    end(app, caller.user, caller.require_session()?, all).await
}

/// Ends a session, or all sessions of a user. Sessions in which the user impersonates others end with the session from which they were
/// started.
pub(super) async fn end(app: &App, user: Uuid, session: Uuid, all: bool) -> Api<()> {
    let ended = app.identity.change::<_, Refusal>(move |tx| {
        let sessions = match all {
            true => {
                passwords::end_pending_logins(tx, user)?;
                tx.scan::<Session>(SYSTEM, Scan::index("by_user").prefix(user.as_bytes().to_vec()))?.items
            }
            false => tx.get::<Session>(SYSTEM, &session)?.into_iter().collect(),
        };
        for mut session in sessions.into_iter().filter(|session| session.ended_at.is_none()) {
            session.ended_at = Some(Timestamp::now());
            tx.update(SYSTEM, session)?;
        }
        Ok(())
    });
    ended.await
}

/// Switches a session to another tenant. The refresh token stays valid and continues in the new tenant.
pub(super) async fn switch(app: &App, session: Uuid, tenant: Uuid) -> Api<HttpResponse> {
    let begun = app.identity.change::<_, Refusal>(move |tx| {
        let mut row = tx.get::<Session>(SYSTEM, &session)?.ok_or(Code::SessionEnded)?;
        let user = tx.require::<User>(SYSTEM, &row.user)?;
        let begun = StartedSession::read(tx, session, user, tenant)?;
        row.tenant = tenant;
        tx.update(SYSTEM, row)?;
        Ok(begun)
    });
    begun.await?.answer(app, None)
}
