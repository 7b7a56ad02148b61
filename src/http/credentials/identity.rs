//! Authentication: finds the caller to whom a credential belongs.

use super::Verdict;
use super::cache::CallerCache;
use super::keys::{Claims, SigningKeys};
use super::last_used::{LastUsed, WRITE_EVERY};
use super::presented::Presented;
use domain::accounts::passwords::is_session_current;
use domain::credentials::{ApiSecret, sha256};
use domain::{Caller, Code, Refusal, Scope, ScopeSet};
use std::sync::Arc;
use storage::authority::{FeatureSet, Subject};
use storage::records::{ApiToken, Membership, Role, Session, Tenant, User, UserKind};
use storage::{Reader, Store, TenantId, Timestamp, Tx};
use uuid::Uuid;

const SYSTEM: TenantId = TenantId::SYSTEM;

/// Looks up callers. All changes of users, memberships, sessions and tokens go through this type.
pub struct Identity {
    store: Store,
    keys: SigningKeys,
    cache: CallerCache,
    last_used: LastUsed,
}

/// A caller, and the time until which the lookup is valid if nothing changes.
type Lookup = Result<(Caller, Timestamp), Code>;

impl Identity {
    /// Creates an authenticator that looks credentials up in `store`.
    pub fn new(store: Store, keys: SigningKeys) -> Self {
        Self { store, keys, cache: CallerCache::default(), last_used: LastUsed::default() }
    }

    /// The key that signs access tokens.
    pub fn keys(&self) -> &SigningKeys {
        &self.keys
    }

    /// Decides about a credential.
    pub async fn verdict(&self, presented: Presented) -> Verdict {
        let token = match presented {
            Presented::Nothing => return Verdict::Anonymous,
            Presented::Malformed(why) => return Verdict::Malformed(why),
            Presented::Refused(code) => return Verdict::Refused(code),
            Presented::Token(token) => token,
        };
        let now = Timestamp::now();
        let mut digest = [0; 32];
        digest.copy_from_slice(sha256(&[token.as_bytes()]).as_ref());
        // Read the epoch before the store: a change in between invalidates the entry.
        let epoch = self.store.rights_epoch();
        if let Some(caller) = self.cache.get(&digest, epoch, now) {
            self.note_use(&caller, now);
            return Verdict::Known(caller);
        }
        match self.look_up(token, now).await {
            Ok(Ok((caller, ends))) => {
                let caller = Arc::new(caller);
                self.cache.put(digest, caller.clone(), epoch, ends);
                self.note_use(&caller, now);
                Verdict::Known(caller)
            }
            Ok(Err(Code::CredentialsMalformed)) => {
                Verdict::Malformed("it is neither an access token nor an API token")
            }
            Ok(Err(code)) => Verdict::Refused(code),
            Err(error) => {
                tracing::error!(%error, "credentials could not be looked up");
                Verdict::Unavailable
            }
        }
    }

    /// Looks up a caller again who began something some time ago. `None` if the caller is no longer authorized.
    pub async fn still(&self, caller: &Caller) -> Option<Caller> {
        self.look_up_again(caller).await.ok()?.ok()
    }

    /// Decides about a request on behalf of a caller who was authenticated some time ago. The request is allowed as long
    /// as the session or the token of the caller is valid.
    pub async fn verdict_on(&self, caller: &Caller) -> Verdict {
        match self.look_up_again(caller).await {
            Ok(Ok(caller)) => Verdict::Known(Arc::new(caller)),
            Ok(Err(code)) => Verdict::Refused(code),
            Err(error) => {
                tracing::error!(%error, "a caller could not be looked up again");
                Verdict::Unavailable
            }
        }
    }

    async fn look_up_again(&self, caller: &Caller) -> storage::Result<Result<Caller, Code>> {
        let now = Timestamp::now();
        let (token, session, user, tenant, act) =
            (caller.token_id, caller.session, caller.user, caller.tenant, caller.act);
        let found = self.store.read::<Lookup, storage::Error>(move |reader| match (token, session) {
            (Some(token), _) => by_token_id(reader, token, None, now),
            (None, Some(session)) => by_session(reader, session, user, tenant.0, act, now),
            (None, None) => Ok(Err(Code::CredentialsInvalid)),
        });
        Ok(found.await?.map(|(caller, _)| caller))
    }

    async fn look_up(&self, token: String, now: Timestamp) -> storage::Result<Lookup> {
        if ApiSecret::is_like(&token) {
            let Some(secret) = ApiSecret::parse(&token) else { return Ok(Err(Code::CredentialsMalformed)) };
            return self.store.read(move |reader| by_token_id(reader, secret.id, Some(&secret), now)).await;
        }
        if token.split('.').count() != 3 {
            return Ok(Err(Code::CredentialsMalformed));
        }
        let claims = match self.keys.verify(&token) {
            Ok(claims) => claims,
            Err(code) => return Ok(Err(code)),
        };
        self.store.read(move |reader| by_claims(reader, &claims, now)).await
    }

    fn note_use(&self, caller: &Caller, now: Timestamp) {
        if let Some(token) = caller.token_id {
            self.last_used.note(token, now);
        }
    }

    /// Changes users, sessions or tokens. When this method returns, every credential is checked against the changed
    /// state.
    pub async fn change<T, E>(
        &self,
        mut f: impl FnMut(&mut Tx) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<storage::Error> + Send + 'static,
    {
        self.store
            .run(move |tx| {
                tx.change_rights();
                f(tx)
            })
            .await
    }

    /// Discards all cached credentials.
    pub fn forget(&self) {
        self.store.change_rights();
    }

    /// Writes the last uses of API tokens periodically. Never returns.
    pub async fn keep_last_used(self: Arc<Self>) {
        loop {
            tokio::time::sleep(WRITE_EVERY).await;
            self.write_last_used().await;
        }
    }

    /// Writes the recorded last uses of API tokens to the store.
    pub async fn write_last_used(&self) {
        if let Err(error) = self.last_used.write(&self.store).await {
            tracing::warn!(%error, "the last uses of API tokens could not be written");
        }
    }

    /// Signs an access token.
    pub fn sign(&self, claims: &Claims) -> Result<String, Refusal> {
        self.keys.sign(claims).map_err(Refusal::new)
    }
}

fn by_claims(reader: &Reader, claims: &Claims, now: Timestamp) -> storage::Result<Lookup> {
    let found = by_session(reader, claims.sid, claims.sub, claims.tid, claims.act, now)?;
    Ok(found.map(|(caller, ends)| (caller, ends.min(claims.ends()))))
}

fn by_session(
    reader: &Reader,
    session: Uuid,
    user: Uuid,
    tenant: Uuid,
    act: Option<Uuid>,
    now: Timestamp,
) -> storage::Result<Lookup> {
    let Some(row) = reader.get::<Session>(SYSTEM, &session)? else { return Ok(Err(Code::SessionEnded)) };
    if row.ended_at.is_some() || row.expires_at <= now || row.user != user || row.actor != act {
        return Ok(Err(Code::SessionEnded));
    }
    if !is_session_current(reader, &row)? {
        return Ok(Err(Code::SessionEnded));
    }
    if let Some(actor) = row.actor
        && !may_impersonate(reader, actor, tenant)?
    {
        return Ok(Err(Code::SessionEnded));
    }
    if let Some(from) = row.actor_session {
        let from = reader.get::<Session>(SYSTEM, &from)?;
        let Some(from) = from.filter(|from| from.ended_at.is_none() && from.expires_at > now) else {
            return Ok(Err(Code::SessionEnded));
        };
        if !is_session_current(reader, &from)? {
            return Ok(Err(Code::SessionEnded));
        }
    }
    let ends = row.expires_at;
    let found = member(reader, user, tenant)?;
    // Administrators cannot be impersonated, even if they became administrators after the session began.
    let risen =
        |caller: &Caller| caller.kind == UserKind::Human && (caller.is_admin() || caller.platform_admin);
    if row.actor.is_some() && found.as_ref().is_ok_and(risen) {
        return Ok(Err(Code::SessionEnded));
    }
    Ok(found.map(|caller| (Caller { session: Some(session), act, ..caller }, ends)))
}

fn by_token_id(
    reader: &Reader,
    id: Uuid,
    secret: Option<&ApiSecret>,
    now: Timestamp,
) -> storage::Result<Lookup> {
    let Some(token) = reader.get::<ApiToken>(SYSTEM, &id)? else { return Ok(Err(Code::CredentialsInvalid)) };
    if secret.is_some_and(|secret| !secret.matches(&token.secret_sha256)) {
        return Ok(Err(Code::CredentialsInvalid));
    }
    if token.revoked_at.is_some() {
        return Ok(Err(Code::TokenRevoked));
    }
    if token.expires_at.is_some_and(|end| end <= now) {
        return Ok(Err(Code::CredentialsExpired));
    }
    let scopes = token
        .scopes
        .as_ref()
        .map(|names| names.iter().filter_map(|name| Scope::parse(name)).collect::<ScopeSet>());
    let ends = token.expires_at.unwrap_or(Timestamp::MAX);
    // Tokens of an ended membership stay invalid when the user joins again, regardless of how the membership ended.
    let joined = reader.get::<Membership>(SYSTEM, &(token.user, token.tenant))?;
    if joined.is_some_and(|joined| joined.created_at > token.created_at) {
        return Ok(Err(Code::TokenRevoked));
    }
    let found = member(reader, token.user, token.tenant)?;
    Ok(found.map(|caller| (Caller { token_id: Some(id), scopes, ..caller }, ends)))
}

/// Looks up a user in a tenant in their current state.
fn member(reader: &Reader, user: Uuid, tenant: Uuid) -> storage::Result<Result<Caller, Code>> {
    let Some(row) = reader.get::<User>(SYSTEM, &user)? else { return Ok(Err(Code::CredentialsInvalid)) };
    let role = reader.get::<Membership>(SYSTEM, &(user, tenant))?.map(|membership| membership.role);
    let there = reader.get::<Tenant>(SYSTEM, &tenant)?;
    let (Some(role), Some(there), false) = (role, there, row.disabled) else {
        return Ok(Err(Code::CredentialsInvalid));
    };
    let subject = Subject::load(reader, there.governed, TenantId(tenant), user, role)?;
    Ok(Ok(Caller {
        features: FeatureSet::load(reader, there.governed, &subject)?,
        subject,
        platform_admin: row.platform_admin,
        scopes: None,
        token_id: None,
        session: None,
        kind: row.kind,
        act: None,
        email: Arc::from(row.email.as_str()),
    }))
}

/// Whether this user may impersonate other users in a tenant.
pub(crate) fn may_impersonate(reader: &Reader, actor: Uuid, tenant: Uuid) -> storage::Result<bool> {
    let Some(row) = reader.get::<User>(SYSTEM, &actor)? else { return Ok(false) };
    let role = reader.get::<Membership>(SYSTEM, &(actor, tenant))?.map(|membership| membership.role);
    Ok(!row.disabled && (row.platform_admin || role == Some(Role::TenantAdmin)))
}
