//! The tokens of a login, which are stored as a secret beside its row.

use std::time::Duration;

use providers::Secret;
use providers::oauth::Tokens;
use serde::{Deserialize, Serialize};
use storage::records::ServiceConnection;
use storage::{Reader, Row, TenantId, Timestamp, Tx};
use uuid::Uuid;

/// Maximum time before expiry at which an access token is renewed. The renewal is never earlier than a quarter of the
/// token's lifetime before expiry.
const REFRESH_MARGIN: Duration = Duration::from_secs(60);

/// Maximum number of earlier logins whose tokens are stored for later revocation.
const EARLIER: usize = 20;

/// The tokens of a login.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct StoredTokens {
    /// Access token for the resource.
    pub access: String,
    /// Refresh token for the next access token.
    pub refresh: Option<String>,
    /// Tokens of earlier logins at the same authorization server, which are revoked when this login ends. Not earlier:
    /// many authorization servers treat all of them as one grant, and revoking one token would revoke them all.
    #[serde(default)]
    pub earlier: Vec<StoredTokens>,
}

impl StoredTokens {
    /// Creates the tokens from a response. A response without a refresh token leaves the previous one valid.
    pub fn from_response(tokens: &Tokens, before: Option<&StoredTokens>) -> Self {
        let refresh = tokens.refresh.as_ref().map(|token| token.expose().to_owned());
        Self {
            access: tokens.access.expose().to_owned(),
            refresh: refresh.or_else(|| before.and_then(|held| held.refresh.clone())),
            earlier: before.map(|held| held.earlier.clone()).unwrap_or_default(),
        }
    }

    /// Adds the tokens of an earlier login, for later revocation.
    fn take_along(&mut self, mut earlier: StoredTokens) {
        self.earlier.append(&mut earlier.earlier);
        self.earlier.push(earlier);
        let beyond = self.earlier.len().saturating_sub(EARLIER);
        self.earlier.drain(..beyond);
    }

    /// A copy without the tokens of earlier logins.
    pub fn alone(&self) -> Self {
        Self { earlier: Vec::new(), ..self.clone() }
    }

    /// Serializes the tokens for storage.
    fn bytes(&self) -> storage::Result<Vec<u8>> {
        serde_json::to_vec(self).map_err(|why| storage::Error::Corrupt(why.to_string()))
    }

    /// Deserializes stored tokens.
    pub fn read(bytes: &[u8]) -> storage::Result<Self> {
        serde_json::from_slice(bytes).map_err(|why| storage::Error::Corrupt(why.to_string()))
    }

    pub fn access(&self) -> Secret {
        Secret::from(self.access.as_str())
    }
}

/// Handles tokens that are replaced by newer ones: they are revoked now, or later together with the newer ones.
pub(super) fn supersede(
    tx: &mut Tx,
    tenant: TenantId,
    id: &(Uuid, String),
    (old_login, old): (ServiceConnection, StoredTokens),
    (login, held): (&ServiceConnection, &mut StoredTokens),
) -> storage::Result<()> {
    let other_account = matches!((&old_login.account, &login.account), (Some(old), Some(new)) if old != new);
    match old_login.authority == login.authority && old_login.client_id == login.client_id && !other_account {
        true => held.take_along(old),
        false => put_aside(tx, tenant, id, old_login, &old)?,
    }
    Ok(())
}

/// Schedules the revocation of tokens that are not used any more.
pub(super) fn put_aside(
    tx: &mut Tx,
    tenant: TenantId,
    id: &(Uuid, String),
    login: ServiceConnection,
    held: &StoredTokens,
) -> storage::Result<()> {
    tx.put_aside(tenant, id, login, &held.bytes()?).map(drop)
}

/// Loads a login with its tokens. Returns `None` if the login does not exist or has no tokens any more.
pub(super) fn login(
    reader: &Reader,
    tenant: TenantId,
    id: &(Uuid, String),
) -> storage::Result<Option<(Row<ServiceConnection>, StoredTokens)>> {
    let Some(row) = reader.get::<ServiceConnection>(tenant, id)? else { return Ok(None) };
    let bytes = reader.get_secret(tenant, &ServiceConnection::secret(id))?;
    bytes.map(|bytes| Ok((row, StoredTokens::read(&bytes)?))).transpose()
}

/// Stores a login with its tokens and replaces the previous one.
pub(super) fn store(
    tx: &mut Tx,
    tenant: TenantId,
    id: &(Uuid, String),
    before: Option<Row<ServiceConnection>>,
    body: ServiceConnection,
    held: &StoredTokens,
) -> storage::Result<()> {
    match before {
        Some(before) => tx.update(tenant, Row { body, ..before })?,
        None => tx.insert(tenant, id.clone(), body)?,
    };
    tx.put_secret(tenant, &ServiceConnection::secret(id), &held.bytes()?)
}

/// Sets the expiry and renewal times of a login from the lifetime of its access token in seconds.
pub(super) fn set_life(body: &mut ServiceConnection, seconds: Option<u64>, renewable: bool, now: Timestamp) {
    let life = seconds.map(Duration::from_secs);
    body.token_expires_at = life.map(|life| now + life);
    body.renew_at =
        life.filter(|_| renewable).map(|life| now + life.saturating_sub(REFRESH_MARGIN.min(life / 4)));
    body.expires_at = body.token_expires_at.filter(|_| !renewable);
    body.ended_because = None;
}
