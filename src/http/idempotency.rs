//! Support for the `Idempotency-Key` header.

use std::future::{Ready, ready};
use std::sync::Arc;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use runs::RequestKey;
use serde::Serialize;
use serde::de::DeserializeOwned;
use storage::{Reader, Tx};

use super::access::Argument;
use super::credentials::sha256_hex;
use super::state::HttpState;
use super::{Api, Caller, Code, ErrorResponse, Refusal};

/// The maximum length of an idempotency key in characters.
const KEY: usize = 255;

/// The `Idempotency-Key` header of an operation whose repetitions are answered even if the caller has exhausted the
/// rate limit. If the header is present, [`look_up`](Self::look_up) charges the request, otherwise its route does.
pub struct IdempotencyHeader(Option<String>);

impl IdempotencyHeader {
    /// Whether the request has the header.
    pub fn is_given(&self) -> bool {
        self.0.is_some()
    }

    /// Looks up the key, and counts the request against the caller's limit if the key is new. Returns `None` without a
    /// header.
    ///
    /// # Errors
    /// 429 if the limit is exhausted.
    pub async fn look_up(self, state: &HttpState, caller: &Caller) -> Api<Option<RequestKey>> {
        let Some(key) = self.0 else { return Ok(None) };
        let mut key = RequestKey::new(caller.tenant, caller.user, &key);
        key.look_up(&state.store).await?;
        if !key.is_used() {
            state.limits.charge(caller)?;
        }
        Ok(Some(key))
    }
}

impl FromRequest for IdempotencyHeader {
    type Error = ErrorResponse;
    type Future = Ready<Result<Self, ErrorResponse>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(header(request).map(Self).map_err(ErrorResponse))
    }
}

impl Argument for IdempotencyHeader {}

/// The key of a request that is charged by its route. The key has not been looked up yet.
///
/// # Errors
/// 422 if the key is malformed.
pub fn request_key(request: &HttpRequest, caller: &Caller) -> Api<Option<RequestKey>> {
    Ok(header(request)?.map(|key| RequestKey::new(caller.tenant, caller.user, &key)))
}

fn header(request: &HttpRequest) -> Api<Option<String>> {
    let Some(key) = request.headers().get("idempotency-key") else { return Ok(None) };
    let sound = key.to_str().ok().map(str::trim).filter(|key| (1..=KEY).contains(&key.len()));
    let fault = || {
        let why = format!("must have 1 to {KEY} visible ASCII characters");
        Refusal::invalid("header", ["Idempotency-Key"], why, "malformed")
    };
    sound.map(|key| Some(key.to_owned())).ok_or_else(fault)
}

/// A request with a key that starts no run. A repetition returns the earlier response and is not executed again.
#[derive(Clone)]
pub struct KeyedRequest {
    key: RequestKey,
    /// The hash of the request, which distinguishes it from another request with the same key.
    request_sha256: String,
}

impl KeyedRequest {
    /// Reads the key of a request for this operation with this body, if it has one.
    ///
    /// # Errors
    /// 422 if the key is malformed.
    pub fn read(
        request: &HttpRequest,
        caller: &Arc<Caller>,
        operation: &str,
        body: &impl Serialize,
    ) -> Api<Option<Self>> {
        let Some(key) = request_key(request, caller)? else { return Ok(None) };
        let fingerprint_input = serde_json::json!([operation, body]).to_string();
        Ok(Some(Self { key, request_sha256: sha256_hex(fingerprint_input.as_bytes()) }))
    }

    /// Returns the earlier response; `None` if the request is new.
    ///
    /// # Errors
    /// 422 if the key was used for another request.
    pub fn answered<T: DeserializeOwned>(&self, reader: &Reader) -> Api<Option<T>> {
        let response = self.key.response(reader, &self.request_sha256)?;
        let response = response.map(serde_json::from_value).transpose();
        response.map_err(|why| Refusal::new(Code::Internal).because(why))
    }

    /// Executes the request unless it was executed before, and records the response in the same transaction.
    ///
    /// # Errors
    /// The errors of `work`, after which the request may be retried with the same key, and the errors of
    /// [`KeyedRequest::answered`].
    pub fn once<T>(named: Option<&Self>, tx: &mut Tx, work: impl FnOnce(&mut Tx) -> Api<T>) -> Api<T>
    where
        T: Serialize + DeserializeOwned,
    {
        let Some(named) = named else { return work(tx) };
        if let Some(answer) = named.answered(tx)? {
            return Ok(answer);
        }
        let answer = work(tx)?;
        let response =
            serde_json::to_value(&answer).map_err(|why| Refusal::new(Code::Internal).because(why))?;
        named.key.record_response(tx, &named.request_sha256, response)?;
        Ok(answer)
    }
}
