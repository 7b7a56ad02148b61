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

/// Earlier logins whose tokens are kept to be given back.
const EARLIER: usize = 20;

/// The tokens of a login.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct StoredTokens {
    /// What opens the resource.
    pub access: String,
    /// What fetches the next one.
    pub refresh: Option<String>,
    /// Those of earlier logins at the same authority, which are given back when this one ends. Not before: to many an
    /// authority all of them are one grant, and to give back one ends them all.
    #[serde(default)]
    pub earlier: Vec<StoredTokens>,
}

impl StoredTokens {
    /// As they came. An authority that sends no refresh token along leaves the one before in force.
    pub fn from_response(tokens: &Tokens, before: Option<&StoredTokens>) -> Self {
        let refresh = tokens.refresh.as_ref().map(|token| token.expose().to_owned());
        Self {
            access: tokens.access.expose().to_owned(),
            refresh: refresh.or_else(|| before.and_then(|held| held.refresh.clone())),
            earlier: before.map(|held| held.earlier.clone()).unwrap_or_default(),
        }
    }

    /// Takes along those of an earlier login.
    fn take_along(&mut self, mut earlier: StoredTokens) {
        self.earlier.append(&mut earlier.earlier);
        self.earlier.push(earlier);
        let beyond = self.earlier.len().saturating_sub(EARLIER);
        self.earlier.drain(..beyond);
    }

    /// These, without those of earlier logins.
    pub fn alone(&self) -> Self {
        Self { earlier: Vec::new(), ..self.clone() }
    }

    /// As they are kept.
    fn bytes(&self) -> storage::Result<Vec<u8>> {
        serde_json::to_vec(self).map_err(|why| storage::Error::Corrupt(why.to_string()))
    }

    /// From what is kept.
    pub fn read(bytes: &[u8]) -> storage::Result<Self> {
        serde_json::from_slice(bytes).map_err(|why| storage::Error::Corrupt(why.to_string()))
    }

    pub fn access(&self) -> Secret {
        Secret::from(self.access.as_str())
    }
}

/// Sees to tokens whose place others take: they are given back, now or together with those.
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

/// Has tokens revoked that are not, or no longer, used.
pub(super) fn put_aside(
    tx: &mut Tx,
    tenant: TenantId,
    id: &(Uuid, String),
    login: ServiceConnection,
    held: &StoredTokens,
) -> storage::Result<()> {
    tx.put_aside(tenant, id, login, &held.bytes()?).map(drop)
}

/// A login with its tokens; none where there is no such login, or it has no tokens any more.
pub(super) fn login(
    reader: &Reader,
    tenant: TenantId,
    id: &(Uuid, String),
) -> storage::Result<Option<(Row<ServiceConnection>, StoredTokens)>> {
    let Some(row) = reader.get::<ServiceConnection>(tenant, id)? else { return Ok(None) };
    let bytes = reader.get_secret(tenant, &ServiceConnection::secret(id))?;
    bytes.map(|bytes| Ok((row, StoredTokens::read(&bytes)?))).transpose()
}

/// Keeps a login with its tokens, in the place of the one before.
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

/// Says until when a login holds, by the life of its access token in seconds.
pub(super) fn set_life(body: &mut ServiceConnection, seconds: Option<u64>, renewable: bool, now: Timestamp) {
    let life = seconds.map(Duration::from_secs);
    body.token_expires_at = life.map(|life| now + life);
    body.renew_at = life.filter(|_| renewable).map(|life| now + life.saturating_sub(AHEAD.min(life / 4)));
    body.expires_at = body.token_expires_at.filter(|_| !renewable);
    body.ended_because = None;
}
