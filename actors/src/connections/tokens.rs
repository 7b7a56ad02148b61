//! The tokens of a login as they are kept: a secret beside its row.

use std::time::Duration;

use providers::Secret;
use providers::oauth::Tokens;
use serde::{Deserialize, Serialize};
use storage::records::ServiceConnection;
use storage::{Reader, Row, TenantId, Timestamp, Tx};
use uuid::Uuid;

/// How long before its end an access token is renewed, at most; at least a quarter of its life is used up by then.
const AHEAD: Duration = Duration::from_secs(60);

/// The tokens of a login.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Held {
    /// What opens the resource.
    pub access: String,
    /// What fetches the next one.
    pub refresh: Option<String>,
}

impl Held {
    /// As they came. An authority that sends no refresh token along leaves the one before in force.
    pub fn of(tokens: &Tokens, before: Option<&Held>) -> Self {
        let refresh = tokens.refresh.as_ref().map(|token| token.expose().to_owned());
        Self {
            access: tokens.access.expose().to_owned(),
            refresh: refresh.or_else(|| before.and_then(|held| held.refresh.clone())),
        }
    }

    /// As they are kept.
    pub fn read(bytes: &[u8]) -> storage::Result<Self> {
        serde_json::from_slice(bytes).map_err(|why| storage::Error::Corrupt(why.to_string()))
    }

    pub fn access(&self) -> Secret {
        Secret::from(self.access.as_str())
    }
}

/// A login with its tokens; none where there is no such login, or it has no tokens any more.
pub(super) fn held(
    reader: &Reader,
    tenant: TenantId,
    id: &(Uuid, String),
) -> storage::Result<Option<(Row<ServiceConnection>, Held)>> {
    let Some(row) = reader.get::<ServiceConnection>(tenant, id)? else { return Ok(None) };
    let bytes = reader.get_secret(tenant, &ServiceConnection::secret(id))?;
    bytes.map(|bytes| Ok((row, Held::read(&bytes)?))).transpose()
}

/// Keeps a login with its tokens, in the place of the one before.
pub(super) fn keep(
    tx: &mut Tx,
    tenant: TenantId,
    id: &(Uuid, String),
    before: Option<Row<ServiceConnection>>,
    body: ServiceConnection,
    held: &Held,
) -> storage::Result<()> {
    match before {
        Some(before) => tx.update(tenant, Row { body, ..before })?,
        None => tx.insert(tenant, id.clone(), body)?,
    };
    let bytes = serde_json::to_vec(held).map_err(|why| storage::Error::Corrupt(why.to_string()))?;
    tx.put_secret(tenant, &ServiceConnection::secret(id), &bytes)
}

/// Says until when a login holds, by the life of its access token in seconds.
pub(super) fn set_life(body: &mut ServiceConnection, seconds: Option<u64>, renewable: bool, now: Timestamp) {
    let life = seconds.map(Duration::from_secs);
    body.token_expires_at = life.map(|life| now + life);
    body.renew_at = life.filter(|_| renewable).map(|life| now + life.saturating_sub(AHEAD.min(life / 4)));
    body.expires_at = body.token_expires_at.filter(|_| !renewable);
    body.ended_because = None;
}
