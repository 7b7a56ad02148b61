//! API tokens.

use serde_json::json;
use storage::authority::Subject;
use storage::records::{ApiToken, Tenant};
use storage::{CountedResource, Reader, Row, Scan, TenantId, Timestamp, Tx};
use uuid::Uuid;

use crate::audit::{Actor, audit};
use crate::credentials::ApiSecret;
use crate::{Caller, Code, Fault, Faults, NAME_LENGTH, Precondition, Refusal, Result, Scope, ScopeSet};

const SYSTEM: TenantId = TenantId::SYSTEM;

/// An API token to create.
#[derive(Clone, Debug)]
pub struct NewToken {
    pub tenant: Uuid,
    pub user: Uuid,
    pub name: String,
    pub scopes: Option<Vec<String>>,
    pub expires_at: Option<Timestamp>,
}

impl NewToken {
    /// Adds a fault for each invalid field of a token.
    pub fn check(faults: &mut Faults, name: &str, scopes: Option<&[String]>, expires_at: Option<Timestamp>) {
        faults.length("name", name, NAME_LENGTH);
        faults.name("name", name);
        for (at, scope) in scopes.unwrap_or_default().iter().enumerate() {
            if Scope::parse(scope).is_none() {
                let why = "is not a scope; GET /api/auth/token-scopes/ lists them, and without `scopes` a token has all";
                faults.add(["scopes", &at.to_string()], why, "unknown_value");
            }
        }
        if expires_at.is_some_and(|end| end <= Timestamp::now()) {
            faults.add(["expires_at"], "is in the past", "out_of_range");
        }
    }

    /// Creates the token. `max_days` is the maximum lifetime if the tenant sets none; 0 for no limit.
    ///
    /// # Errors
    /// `invalid` if the lifetime is too long.
    pub fn insert(
        self,
        tx: &mut Tx,
        secret: &ApiSecret,
        max_days: u32,
        actor: Actor,
    ) -> Result<Row<ApiToken>> {
        check_expiry(tx, self.tenant, self.expires_at, max_days)?;
        let token = ApiToken {
            tenant: self.tenant,
            user: self.user,
            name: self.name,
            prefix: secret.prefix(),
            secret_sha256: secret.hash(),
            scopes: self.scopes,
            expires_at: self.expires_at,
            last_used_at: None,
            revoked_at: None,
        };
        let row = tx.insert(SYSTEM, secret.id, token)?;
        let detail = json!({"name": row.name, "user": row.user, "scopes": row.scopes});
        audit(tx, TenantId(self.tenant), actor, "token.create", format!("token {}", row.id), detail)?;
        Ok(row)
    }
}

/// The fields of an API token that are replaced together.
#[derive(Clone, Debug)]
pub struct UpdateToken {
    pub name: String,
    /// The names of the scopes; `None` for everything that the user may do.
    pub scopes: Option<Vec<String>>,
    pub expires_at: Option<Timestamp>,
    /// The version that the caller has seen, if the body contains one.
    pub version: Option<u64>,
}

/// Returns the API token with this id that acts as the user in the tenant.
///
/// # Errors
/// Returns an error if storage fails.
pub fn of_user(
    reader: &Reader,
    tenant: TenantId,
    user: Uuid,
    id: Uuid,
) -> storage::Result<Option<Row<ApiToken>>> {
    let token = reader.get::<ApiToken>(SYSTEM, &id)?;
    Ok(token.filter(|token| token.user == user && token.tenant == tenant.0))
}

/// Creates an API token on behalf of the caller. `max_days` is the maximum lifetime if the tenant sets none; 0 for no
/// limit.
///
/// # Errors
/// `scope_missing` for scopes that the caller's own token lacks; `invalid` if the lifetime is too long, or the token
/// would outlive the caller's own token; `limit_reached`.
pub fn create(
    tx: &mut Tx,
    caller: &Caller,
    secret: &ApiSecret,
    max_days: u32,
    new: NewToken,
) -> Result<Row<ApiToken>> {
    require_own_scopes(caller, new.scopes.as_deref())?;
    require_own_expiry(tx, caller.token_id, new.expires_at)?;
    // If a member was removed after the request was authenticated, no token is created.
    Subject::read(tx, caller.tenant, caller.user)?.ok_or(Code::CredentialsInvalid)?;
    make_room(tx, caller.tenant, new.user)?;
    new.insert(tx, secret, max_days, Actor::from(caller))
}

/// Replaces name, scopes and expiry of a token.
///
/// # Errors
/// `not_found`; `scope_missing` for scopes, old or new, that the caller's own token lacks; `stale` for another version;
/// `conflict` if it was revoked; `invalid` if the lifetime is too long.
pub fn replace(
    tx: &mut Tx,
    caller: &Caller,
    id: Uuid,
    precondition: &Precondition,
    max_days: u32,
    new: UpdateToken,
) -> Result<Row<ApiToken>> {
    let mut row = tx.require::<ApiToken>(SYSTEM, &id)?;
    require_own_scopes(caller, row.scopes.as_deref())?;
    require_own_scopes(caller, new.scopes.as_deref())?;
    precondition.check_both(new.version, "API token", row.version)?;
    if row.revoked_at.is_some() {
        return Err(Refusal::new(Code::Conflict).detail("the token was revoked"));
    }
    check_expiry(tx, row.tenant, new.expires_at, max_days)?;
    require_own_expiry(tx, caller.token_id, new.expires_at)?;
    row.name = new.name;
    row.scopes = new.scopes;
    row.expires_at = new.expires_at;
    let row = tx.update(SYSTEM, row)?;
    record(tx, caller, "token.update", &row)?;
    Ok(row)
}

/// Revokes a token. Revoking it again changes nothing.
///
/// # Errors
/// `not_found` if the token does not exist.
pub fn revoke(tx: &mut Tx, caller: &Caller, id: Uuid) -> Result<Row<ApiToken>> {
    let mut row = tx.require::<ApiToken>(SYSTEM, &id)?;
    if row.revoked_at.is_some() {
        return Ok(row);
    }
    row.revoked_at = Some(Timestamp::now());
    let row = tx.update(SYSTEM, row)?;
    record(tx, caller, "token.revoke", &row)?;
    Ok(row)
}

fn record(tx: &mut Tx, caller: &Caller, action: &str, row: &Row<ApiToken>) -> storage::Result<()> {
    let detail = json!({"name": row.name, "scopes": row.scopes, "expires_at": row.expires_at});
    audit(tx, caller.tenant, Actor::from(caller), action, format!("token {}", row.id), detail)
}

/// Requires that a user may have another token in a tenant. Deletes revoked and expired tokens if that makes room.
fn make_room(tx: &mut Tx, tenant: TenantId, user: Uuid) -> Result<()> {
    let now = Timestamp::now();
    let prefix = [user.as_bytes().as_slice(), tenant.as_bytes()].concat();
    let scan = Scan::index("by_user").prefix(prefix);
    let count = tx.count::<ApiToken>(SYSTEM, scan.clone())?;
    if count < tx.most(CountedResource::ApiTokens) {
        return Ok(());
    }
    let rows = tx.scan::<ApiToken>(SYSTEM, scan)?.items;
    let is_over =
        |row: &Row<ApiToken>| row.revoked_at.is_some() || row.expires_at.is_some_and(|at| at <= now);
    let over: Vec<_> = rows.iter().filter(|row| is_over(row)).map(|row| row.id).collect();
    if over.is_empty() {
        return Ok(tx.require_place(CountedResource::ApiTokens, count)?);
    }
    for id in over {
        tx.delete::<ApiToken>(SYSTEM, &id)?;
    }
    Ok(())
}

/// Requires that the caller's own token has the scopes that it grants.
fn require_own_scopes(caller: &Caller, scopes: Option<&[String]>) -> Result<()> {
    let Some(own) = caller.scopes else { return Ok(()) };
    let granted =
        scopes.map(|names| names.iter().filter_map(|name| Scope::parse(name)).collect::<ScopeSet>());
    match granted.is_some_and(|granted| granted.is_within(own)) {
        true => Ok(()),
        false => Err(Refusal::new(Code::ScopeMissing).detail("a token cannot grant scopes that it lacks")),
    }
}

/// Requires that a token does not outlive the token that creates it.
fn require_own_expiry(reader: &Reader, own: Option<Uuid>, expires_at: Option<Timestamp>) -> Result<()> {
    let own = own.map(|id| reader.require::<ApiToken>(SYSTEM, &id)).transpose()?;
    let Some(end) = own.and_then(|own| own.expires_at) else { return Ok(()) };
    if expires_at.is_some_and(|wanted| wanted <= end) {
        return Ok(());
    }
    let msg = format!("is required and must be no later than {end}, when the requesting token expires");
    Err(Refusal::invalid("body", ["expires_at"], msg, "out_of_range"))
}

/// Requires that a token expires within the limit of the tenant or, if the tenant sets none, of the server. `max_days` is
/// the limit of the server in days; 0 for none.
///
/// # Errors
/// `invalid` otherwise.
pub fn check_expiry(
    reader: &Reader,
    tenant: Uuid,
    expires_at: Option<Timestamp>,
    max_days: u32,
) -> Result<()> {
    let tenant = reader.require::<Tenant>(SYSTEM, &tenant)?;
    let days = tenant.token_max_days.unwrap_or(max_days);
    let latest = Timestamp::now() + std::time::Duration::from_secs(u64::from(days) * 24 * 60 * 60);
    if days == 0 || expires_at.is_some_and(|end| end <= latest) {
        return Ok(());
    }
    let msg = format!("is required and must be at most {days} days ahead");
    Err(Refusal::faulty(vec![Fault::new("body", ["expires_at"], msg, "out_of_range")]))
}
