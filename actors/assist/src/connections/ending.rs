//! Logins that end: deleted here immediately, and revoked at the authorization server now or as soon as it is available
//! again.

use std::time::Duration;

use futures::StreamExt;
use providers::Secret;
use providers::oauth::Authority;
use storage::records::{LoginFlow, Revocation};
use storage::{Row, Scan, TenantId, Timestamp};
use uuid::Uuid;

use super::tokens::StoredTokens;
use super::{ConnectError, Connections, LoginKey};

/// Interval between checks for due work.
const PAUSE: Duration = Duration::from_secs(2);
/// Delay after each failed attempt. After the last one no further attempt is made.
const RETRY_DELAYS: [Duration; 5] = [
    Duration::from_secs(30),
    Duration::from_secs(5 * 60),
    Duration::from_secs(30 * 60),
    Duration::from_secs(4 * 60 * 60),
    Duration::from_secs(24 * 60 * 60),
];
/// Maximum number of rows that are processed in one pass.
const BATCH: usize = 100;
/// Maximum number of authorization servers that are called concurrently.
const MAX_CONCURRENT: usize = 8;
const SYSTEM: TenantId = TenantId::SYSTEM;

/// The result of a logout by the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disconnected {
    /// Whether the user was logged in.
    pub was_connected: bool,
    /// Whether the authorization server has revoked the tokens. `None` if there were none or it supports no revocation.
    pub revoked: Option<bool>,
    /// Why the tokens were not revoked.
    pub why: Option<String>,
}

impl Connections {
    /// Ends a login. It is deleted here regardless of the authorization server's response; a failed revocation is
    /// retried later.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn disconnect(&self, place: LoginKey) -> Result<Disconnected, ConnectError> {
        // Not during a renewal, whose new tokens would otherwise belong to a deleted login.
        let lock = self.lock(&format!("login/{}/{}/{}", place.tenant, place.id.0, place.id.1));
        let _held = lock.lock().await;
        let forgotten = self.0.store.run(move |tx| {
            let forgotten = tx.forget_connection(place.tenant, &place.id)?;
            if let Some(Some(id)) = forgotten {
                // Revoked below. The sweep does not report the result to the caller, and acts only if this attempt
                // fails.
                let mut row = tx.require::<Revocation>(SYSTEM, &id)?;
                row.due_at = Timestamp::now() + RETRY_DELAYS[0];
                tx.update(SYSTEM, row)?;
            }
            Ok::<_, storage::Error>(forgotten)
        });
        let forgotten = forgotten.await?;
        let was_connected = forgotten.is_some();
        let Some(id) = forgotten.flatten() else {
            return Ok(Disconnected { was_connected, revoked: None, why: None });
        };
        let row = self.0.store.read(move |reader| reader.get::<Revocation>(SYSTEM, &id)).await?;
        let outcome = match row {
            Some(row) => self.give_back(row).await?,
            // The sweep has already revoked the tokens.
            None => RevocationOutcome::Done,
        };
        let (revoked, why) = match outcome {
            RevocationOutcome::Done => (Some(true), None),
            RevocationOutcome::NotThere => {
                (None, Some("the authority has no place where tokens are given back".to_owned()))
            }
            RevocationOutcome::Failed(why) => (Some(false), Some(why)),
        };
        Ok(Disconnected { was_connected, revoked, why })
    }

    /// Revokes the tokens that are due and removes logins that were not completed, until the future is dropped.
    pub async fn tidy(self) {
        loop {
            if let Err(why) = self.tidy_once().await {
                telemetry::metrics::table::SWEEP_FAILURES.add(["external_logins"], 1);
                tracing::warn!(%why, "ended logins could not be cleaned up");
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    async fn tidy_once(&self) -> Result<(), ConnectError> {
        let now = Timestamp::now();
        let found = self.0.store.read(move |reader| {
            let first = Scan::index("by_expiry").limit(BATCH);
            let over = reader.scan_readable::<LoginFlow>("login_expiry", SYSTEM, first)?;
            let due = reader.scan_readable::<Revocation>("login_revocation", SYSTEM, Scan::table())?;
            let over: Vec<_> =
                over.into_iter().filter(|row| row.expires_at <= now).map(|row| row.id).collect();
            let due: Vec<_> = due.into_iter().filter(|row| row.due_at <= now).take(BATCH).collect();
            Ok::<_, storage::Error>((over, due))
        });
        let (over, due) = found.await?;
        if !over.is_empty() {
            let forgotten = self.0.store.run(move |tx| {
                for id in &over {
                    tx.delete_secret(SYSTEM, &LoginFlow::secret(id))?;
                    tx.delete::<LoginFlow>(SYSTEM, id)?;
                }
                Ok::<_, storage::Error>(())
            });
            forgotten.await?;
        }
        // A slow or failing revocation does not affect the others.
        let all = futures::stream::iter(due).for_each_concurrent(MAX_CONCURRENT, |row| async move {
            if let Err(why) = self.give_back(row).await {
                tracing::warn!(%why, "the tokens of an ended login could not be revoked");
            }
        });
        all.await;
        Ok(())
    }

    /// Revokes the tokens of an ended login at the authorization server, and records the result.
    async fn give_back(&self, row: Row<Revocation>) -> Result<RevocationOutcome, ConnectError> {
        let id = row.id;
        let lock = self.lock(&format!("revocation/{id}"));
        let _held = lock.lock().await;
        let Some(held) = self.put_aside(id).await? else { return Ok(RevocationOutcome::Done) };
        let outcome = self.send_revocation(&row, &held).await?;
        let attempts = row.attempts as usize;
        let again = match &outcome {
            RevocationOutcome::Failed(_) => RETRY_DELAYS.get(attempts).copied(),
            RevocationOutcome::Done | RevocationOutcome::NotThere => None,
        };
        if let (RevocationOutcome::Failed(why), None) = (&outcome, again) {
            tracing::warn!(%why, "the tokens of an ended login could not be revoked");
        }
        let written = self.0.store.run(move |tx| {
            let Some(mut row) = tx.get::<Revocation>(SYSTEM, &id)? else { return Ok(()) };
            match again {
                Some(pause) => {
                    row.attempts += 1;
                    row.due_at = Timestamp::now() + pause;
                    tx.update(SYSTEM, row).map(drop)
                }
                None => {
                    tx.delete_secret(SYSTEM, &Revocation::secret(&id))?;
                    tx.delete::<Revocation>(SYSTEM, &id).map(drop)
                }
            }
        });
        written.await?;
        Ok(outcome)
    }

    async fn put_aside(&self, id: Uuid) -> storage::Result<Option<StoredTokens>> {
        let read = self.0.store.read(move |reader| reader.get_secret(SYSTEM, &Revocation::secret(&id)));
        read.await?.map(|bytes| StoredTokens::read(&bytes)).transpose()
    }

    async fn send_revocation(
        &self,
        row: &Revocation,
        held: &StoredTokens,
    ) -> Result<RevocationOutcome, ConnectError> {
        let authority = serde_json::from_value::<Authority>(row.authority.clone()).unwrap_or_default();
        if authority.revocation_endpoint.is_none() {
            return Ok(RevocationOutcome::NotThere);
        }
        let service = row.service.as_deref();
        let client = self.client_of(TenantId(row.tenant), service, None, &authority, &row.client_id).await?;
        let Some(client) = client else {
            return Ok(RevocationOutcome::Failed(
                "this server is known to the authority by another name now".to_owned(),
            ));
        };
        // The refresh token first: its revocation usually also revokes the access tokens that were issued with it.
        let both = |held: &'_ StoredTokens| {
            let refresh = held.refresh.clone().map(|token| ("refresh_token", token));
            refresh.into_iter().chain([("access_token", held.access.clone())]).collect::<Vec<_>>()
        };
        for (kind, token) in [held].into_iter().chain(&held.earlier).flat_map(both) {
            match self.0.oauth.revoke(&authority, &client, &Secret::from(token), kind).await {
                Ok(()) => {}
                // Some authorization servers revoke only refresh tokens.
                Err(why) if why.code() == Some("unsupported_token_type") => {}
                Err(why) => return Ok(RevocationOutcome::Failed(why.message)),
            }
        }
        Ok(RevocationOutcome::Done)
    }
}

/// The result of a revocation request.
enum RevocationOutcome {
    Done,
    /// The authorization server supports no revocation.
    NotThere,
    Failed(String),
}
