//! Idempotency keys: a request that is repeated with the same key receives the same response as the first one.
//!
//! A key is looked up once per request, before the request is processed. The transaction that accepts the request checks
//! the key again ([`RequestKey::accepted`]), because the same request may have been accepted in between, and records
//! what it accepted.

use domain::credentials::sha256_hex;
use serde_json::Value;
use storage::records::{IdempotencyKey, Run, RunKind, RunState};
use storage::{Reader, Row, Store, TenantId, Timestamp, Tx};
use uuid::Uuid;

use crate::{StartError, Terminal};

/// The idempotency key of a request.
#[derive(Clone, Debug)]
pub struct RequestKey {
    tenant: TenantId,
    /// The user, and the SHA-256 of the key in hex.
    id: (Uuid, String),
    /// `None` until the key is looked up.
    usage: Option<Usage>,
}

/// How a key was used in the last 24 hours.
#[derive(Clone, Debug)]
enum Usage {
    Unused,
    RecordedKey(Box<RecordedKey>),
}

#[derive(Clone, Debug)]
struct RecordedKey {
    key: Row<IdempotencyKey>,
    /// The run that was accepted, as long as it exists.
    run: Option<Row<Run>>,
    /// Whether a repetition may start another run: see [`is_repeatable`].
    is_repeatable: bool,
}

impl RequestKey {
    /// Creates a key of this user that is not looked up yet.
    pub fn new(tenant: TenantId, user: Uuid, key: &str) -> Self {
        Self { tenant, id: (user, sha256_hex(key.as_bytes())), usage: None }
    }

    /// Looks the key up. Does nothing if that was done before.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn look_up(&mut self, store: &Store) -> storage::Result<()> {
        if self.usage.is_none() {
            let key = self.clone();
            self.usage = Some(store.read(move |reader| key.usage(reader)).await?);
        }
        Ok(())
    }

    /// Whether a repetition receives the earlier response, according to the last lookup of the key.
    pub fn is_used(&self) -> bool {
        matches!(&self.usage, Some(Usage::RecordedKey(used)) if !used.is_repeatable)
    }

    /// Returns the run that was accepted under the key for a request with this SHA-256, after looking the key up if
    /// necessary. Returns `None` if a run has to be started.
    ///
    /// # Errors
    /// `IdempotencyMismatch` if the key was used for another request, `Expired` if the run no longer exists.
    pub async fn run(&mut self, store: &Store, request_sha256: &str) -> Result<Option<Row<Run>>, StartError> {
        self.look_up(store).await?;
        self.usage.as_ref().map_or(Ok(None), |usage| usage.run(request_sha256))
    }

    /// Performs [`run`](Self::run) within a transaction.
    ///
    /// # Errors
    /// The errors of [`run`](Self::run).
    pub fn accepted(&self, tx: &Tx, request_sha256: &str) -> Result<Option<Row<Run>>, StartError> {
        self.usage(tx)?.run(request_sha256)
    }

    /// Records the run that the transaction accepts.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub fn record_run(&self, tx: &mut Tx, request_sha256: &str, run_id: Uuid) -> storage::Result<()> {
        self.record(tx, request_sha256, IdempotencyKey { run_id, ..IdempotencyKey::default() })
    }

    /// Returns the stored response to a request that started no run, or `None` if there was no such request.
    ///
    /// # Errors
    /// `IdempotencyMismatch` if the key was used for another request.
    pub fn response(&self, reader: &Reader, request_sha256: &str) -> Result<Option<Value>, StartError> {
        let used = self.row(reader)?;
        used.map(|key| require_same(&key, request_sha256).map(|()| key.body.answer)).transpose()
    }

    /// Records the response to a request that starts no run.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub fn record_response(&self, tx: &mut Tx, request_sha256: &str, response: Value) -> storage::Result<()> {
        self.record(tx, request_sha256, IdempotencyKey { answer: response, ..IdempotencyKey::default() })
    }

    fn record(&self, tx: &mut Tx, request_sha256: &str, key: IdempotencyKey) -> storage::Result<()> {
        // Either an expired key that the sweep has not removed, or one whose run may be repeated.
        if tx.get::<IdempotencyKey>(self.tenant, &self.id)?.is_some() {
            tx.delete::<IdempotencyKey>(self.tenant, &self.id)?;
        }
        let expires_at = Timestamp::now() + IdempotencyKey::LIFE;
        let key = IdempotencyKey { request_sha256: request_sha256.to_owned(), expires_at, ..key };
        tx.insert(self.tenant, self.id.clone(), key).map(drop)
    }

    fn row(&self, reader: &Reader) -> storage::Result<Option<Row<IdempotencyKey>>> {
        let row = reader.get::<IdempotencyKey>(self.tenant, &self.id)?;
        Ok(row.filter(|row| row.expires_at > Timestamp::now()))
    }

    fn usage(&self, reader: &Reader) -> storage::Result<Usage> {
        let Some(key) = self.row(reader)? else { return Ok(Usage::Unused) };
        let run = reader.get::<Run>(self.tenant, &key.run_id)?;
        let is_repeatable = run.as_ref().map_or(Ok(false), |run| is_repeatable(reader, self.tenant, run))?;
        Ok(Usage::RecordedKey(Box::new(RecordedKey { key, run, is_repeatable })))
    }
}

impl Usage {
    fn run(&self, request_sha256: &str) -> Result<Option<Row<Run>>, StartError> {
        let Self::RecordedKey(used) = self else { return Ok(None) };
        require_same(&used.key, request_sha256)?;
        match used.is_repeatable {
            true => Ok(None),
            false => used.run.clone().ok_or(StartError::Expired).map(Some),
        }
    }
}

fn require_same(key: &IdempotencyKey, request_sha256: &str) -> Result<(), StartError> {
    match key.request_sha256 == request_sha256 {
        true => Ok(()),
        false => Err(StartError::IdempotencyMismatch),
    }
}

/// Whether a repetition starts another run. True if the run belongs to no conversation and ended before it wrote
/// anything, for a transient reason: clients repeat such a request automatically, with the same key. In a conversation
/// the question itself would be added a second time.
fn is_repeatable(reader: &Reader, tenant: TenantId, run: &Row<Run>) -> storage::Result<bool> {
    if run.conversation_id.is_some() || run.kind != RunKind::Completion || !run.state.is_terminal() {
        return Ok(false);
    }
    let terminal = reader.terminal(tenant, run.id)?;
    let terminal = terminal.and_then(|json| serde_json::from_slice::<Terminal>(&json).ok());
    Ok(terminal.is_some_and(|terminal| !terminal.partial && may_pass(&terminal)))
}

fn may_pass(end: &Terminal) -> bool {
    let code = end.error.as_ref().map(|error| error.code.as_str());
    let passing = [
        "upstream_rate_limited",
        "upstream_unavailable",
        "upstream_timeout",
        "upstream_unreachable",
        "upstream_error",
        "upstream_protocol",
    ];
    end.status == RunState::Interrupted || code.is_some_and(|code| passing.contains(&code))
}
