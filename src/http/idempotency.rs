//! The header `Idempotency-Key`.

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

/// Longest idempotency key, in characters.
const KEY: usize = 255;

/// The header `Idempotency-Key` of an operation whose repetitions are answered even if the caller has used up the rate
/// limit. An operation with this argument is charged by [`look_up`](Self::look_up) if the header is present, and by its
/// route if not.
pub struct IdempotencyHeader(Option<String>);

impl IdempotencyHeader {
    /// Whether the request has the header, so that it has to be distinguished from others.
    pub fn is_given(&self) -> bool {
        self.0.is_some()
    }

    /// Looks the key up, and counts the request against the caller's limit if the key is new. None without a header.
    ///
    /// # Errors
    /// 429 where the limit is used up.
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

/// The key of a request that its route charges for, not looked up yet.
///
/// # Errors
/// 422 for a malformed key.
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

/// A request under its key that starts no run: sent again, it is answered as before, and done once.
#[derive(Clone)]
pub struct KeyedRequest {
    key: RequestKey,
    /// Tells it from another request under the same key.
    request_sha256: String,
}

impl KeyedRequest {
    /// The request of this operation with this body, if it has a key.
    ///
    /// # Errors
    /// 422 for a malformed key.
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

    /// The earlier response; none if the request is new.
    ///
    /// # Errors
    /// 422 where the key was used for another request.
    pub fn answered<T: DeserializeOwned>(&self, reader: &Reader) -> Api<Option<T>> {
        let response = self.key.response(reader, &self.request_sha256)?;
        let response = response.map(serde_json::from_value).transpose();
        response.map_err(|why| Refusal::new(Code::Internal).because(why))
    }

    /// Does it, unless that was done before, and records the response in the same transaction.
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
        let response =
            serde_json::to_value(&answer).map_err(|why| Refusal::new(Code::Internal).because(why))?;
        named.key.record_response(tx, &named.request_sha256, response)?;
        Ok(answer)
    }
}
