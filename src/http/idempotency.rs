//! Requests that name themselves (`Idempotency-Key`) and start no run: sent again, they are answered as before, and
//! what they ask for is done once.

use std::sync::Arc;

use actix_web::HttpRequest;
use serde::Serialize;
use serde::de::DeserializeOwned;
use storage::records::IdempotencyKey;
use storage::{Reader, Row, Timestamp, Tx};
use uuid::Uuid;

use super::credentials::sha256_hex;
use super::{Api, Caller, Code, Refusal};

/// Longest idempotency key, in characters.
const KEY: usize = 255;

/// The request's `Idempotency-Key`.
pub fn key(request: &HttpRequest) -> Api<Option<String>> {
    let Some(key) = request.headers().get("idempotency-key") else { return Ok(None) };
    let sound = key.to_str().ok().map(str::trim).filter(|key| (1..=KEY).contains(&key.len()));
    let fault = || {
        let why = format!("has 1 to {KEY} visible ASCII characters");
        Refusal::invalid("header", ["Idempotency-Key"], why, "malformed")
    };
    sound.map(|key| Some(key.to_owned())).ok_or_else(fault)
}

/// A request under its key.
#[derive(Clone)]
pub struct KeyedRequest {
    caller: Arc<Caller>,
    /// (user, SHA-256 of the key).
    id: (Uuid, String),
    /// What tells it from another under the same key.
    request_sha256: String,
}

impl KeyedRequest {
    /// The request of this operation with this body, if it has a key.
    ///
    /// # Errors
    /// 422 where the key is none.
    pub fn of(
        request: &HttpRequest,
        caller: &Arc<Caller>,
        operation: &str,
        body: &impl Serialize,
    ) -> Api<Option<Self>> {
        let Some(key) = key(request)? else { return Ok(None) };
        let said = serde_json::json!([operation, body]).to_string();
        let id = (caller.user, sha256_hex(key.as_bytes()));
        Ok(Some(Self { caller: caller.clone(), id, request_sha256: sha256_hex(said.as_bytes()) }))
    }

    /// What was answered before; none where it is new.
    ///
    /// # Errors
    /// 422 where the key was used for another request.
    pub fn answered<T: DeserializeOwned>(&self, reader: &Reader) -> Api<Option<T>> {
        let Some(known) = self.row(reader)?.filter(|row| row.expires_at > Timestamp::now()) else {
            return Ok(None);
        };
        if known.request_sha256 != self.request_sha256 {
            return Err(Code::IdempotencyMismatch.into());
        }
        let answer = serde_json::from_value(known.body.answer);
        answer.map(Some).map_err(|why| Refusal::new(Code::Internal).because(why))
    }

    /// Does it, unless that was done before; what is answered is kept in the same transaction.
    ///
    /// # Errors
    /// Those of the work, after which it may be tried again under its key; and those of [`KeyedRequest::answered`].
    pub fn once<T>(named: Option<&Self>, tx: &mut Tx, work: impl FnOnce(&mut Tx) -> Api<T>) -> Api<T>
    where
        T: Serialize + DeserializeOwned,
    {
        let Some(named) = named else { return work(tx) };
        if let Some(answer) = named.answered(tx)? {
            return Ok(answer);
        }
        let answer = work(tx)?;
        named.keep(tx, &answer)?;
        Ok(answer)
    }

    fn keep(&self, tx: &mut Tx, answer: &impl Serialize) -> Api<()> {
        let (tenant, id) = (self.caller.tenant, self.id.clone());
        if self.row(tx)?.is_some() {
            tx.delete::<IdempotencyKey>(tenant, &id)?;
        }
        let answer = serde_json::to_value(answer).map_err(|why| Refusal::new(Code::Internal).because(why))?;
        let expires_at = Timestamp::now() + IdempotencyKey::LIFE;
        let request_sha256 = self.request_sha256.clone();
        let row = IdempotencyKey { request_sha256, expires_at, answer, ..IdempotencyKey::default() };
        Ok(tx.insert(tenant, id, row).map(drop)?)
    }

    fn row(&self, reader: &Reader) -> storage::Result<Option<Row<IdempotencyKey>>> {
        reader.get::<IdempotencyKey>(self.caller.tenant, &self.id)
    }
}
