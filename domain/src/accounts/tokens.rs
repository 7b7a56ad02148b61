//! API tokens.

use serde_json::json;
use storage::records::{ApiToken, Tenant};
use storage::{Reader, Row, TenantId, Timestamp, Tx};
use uuid::Uuid;

use crate::audit::{Actor, audit};
use crate::credentials::ApiSecret;
use crate::{Fault, Faults, Refusal, Result, Scope};

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
        faults.length("name", name, 1..=100);
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

    /// Creates the token. `max_days` is the longest life where the tenant sets none; 0 for any.
    ///
    /// # Errors
    /// `invalid` when it would live longer.
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

/// Requires that a token expires as early as the tenant, or else the server, demands. `max_days` is the server's limit in
/// days; 0 for none.
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
    let msg = format!("must be given and at most {days} days ahead");
    Err(Refusal::faulty(vec![Fault::new("body", ["expires_at"], msg, "out_of_range")]))
}
