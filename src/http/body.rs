//! Request data: JSON bodies and path parameters.

use super::access::Argument;
use super::error::ErrorResponse;
use super::state::HttpState;
use super::validation::{self, Mode, schema};
use actix_web::dev::Payload;
use actix_web::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use actix_web::web::{self, BytesMut, Data};
use actix_web::{FromRequest, HttpRequest};
use domain::{Code, Refusal};
use domain::{Fault, Validate};
use futures::StreamExt;
use futures::future::LocalBoxFuture;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::future::{Ready, ready};
use std::time::Duration;
use tokio::sync::Semaphore;
use utoipa::ToSchema;
use uuid::Uuid;

/// A JSON request body, or a 200 response in JSON.
///
/// Reading reports all errors at once: unknown fields, missing fields, wrong types and violated rules. A missing body
/// is an error even if all fields are optional: a PUT whose body was lost in transit would reset everything it writes.
/// Operations with an optional body take [`OptionalJson`].
pub struct Json<T>(pub T);

impl<T: DeserializeOwned + Validate + ToSchema + 'static> FromRequest for Json<T> {
    type Error = ErrorResponse;
    type Future = LocalBoxFuture<'static, Result<Self, ErrorResponse>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let body = Body::new(request, payload);
        Box::pin(async move {
            let bytes = required(body?.read().await?)?;
            Ok(Json(read_json(&bytes)?))
        })
    }
}

/// Refuses a missing body with 422.
fn required(bytes: BytesMut) -> Result<BytesMut, Refusal> {
    match bytes.is_empty() {
        true => Err(Refusal::invalid("body", [], "a JSON body is required; send at least `{}`", "missing")),
        false => Ok(bytes),
    }
}

/// An optional JSON body. A missing body counts as `{}`; otherwise like [`Json`].
pub struct OptionalJson<T>(pub T);

impl<T: DeserializeOwned + Validate + ToSchema + 'static> FromRequest for OptionalJson<T> {
    type Error = ErrorResponse;
    type Future = LocalBoxFuture<'static, Result<Self, ErrorResponse>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let body = Body::new(request, payload);
        Box::pin(async move {
            let bytes = body?.read().await?;
            Ok(OptionalJson(read_json(&bytes)?))
        })
    }
}

/// No body, or an empty object. Any field is an error because the operation takes none.
pub struct EmptyBody;

#[derive(serde::Deserialize, ToSchema)]
struct Nothing {}

impl Validate for Nothing {}

impl FromRequest for EmptyBody {
    type Error = ErrorResponse;
    type Future = LocalBoxFuture<'static, Result<Self, ErrorResponse>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let read = OptionalJson::<Nothing>::from_request(request, payload);
        Box::pin(async move { read.await.map(|_| EmptyBody) })
    }
}

/// A JSON body that may contain images and long conversations; otherwise like [`Json`].
pub struct LargeJson<T>(pub T);

impl<T: DeserializeOwned + Validate + ToSchema + Send + 'static> FromRequest for LargeJson<T> {
    type Error = ErrorResponse;
    type Future = LocalBoxFuture<'static, Result<Self, ErrorResponse>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let body = Body::large(request, payload);
        Box::pin(async move {
            let bytes = required(body?.read().await?)?;
            if bytes.len() <= AT_ONCE {
                return Ok(LargeJson(read_json(&bytes)?));
            }
            // Use another thread so that other requests do not wait, and limit how many large bodies are in memory.
            let _room = LARGE.acquire().await.map_err(|_| Code::ShuttingDown)?;
            let read = web::block(move || {
                few_values(&bytes)?;
                read_json(&bytes).map(LargeJson)
            });
            Ok(read.await.map_err(|_| Code::Internal)??)
        })
    }
}

/// The largest body, in bytes, that is parsed on the current thread.
const AT_ONCE: usize = 64 * 1024;
/// The maximum number of values in a large body. Each takes some tens of bytes in memory, however short its text is.
const VALUES: usize = 1_000_000;
/// The number of large bodies that are parsed at the same time.
static LARGE: Semaphore = Semaphore::const_new(4);

/// Counts the separators of values outside of strings. Images and long texts are one value each.
fn few_values(json: &[u8]) -> Result<(), Refusal> {
    let (mut text, mut escaped, mut values) = (false, false, 0_usize);
    for byte in json {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if text => escaped = true,
            b'"' => text = !text,
            b',' | b'[' | b'{' if !text => values += 1,
            _ => {}
        }
    }
    match values > VALUES {
        true => Err(Refusal::new(Code::TooLarge).detail(format!("at most {VALUES} values are allowed"))),
        false => Ok(()),
    }
}

/// Deserializes a JSON text as a `T`, with the same errors as [`Json`]. An empty text counts as `{}`.
pub fn read_json<T: DeserializeOwned + Validate + ToSchema + 'static>(bytes: &[u8]) -> Result<T, Refusal> {
    let value = match bytes {
        [] => Value::Object(Map::new()),
        bytes => serde_json::from_slice(bytes)
            .map_err(|error| Refusal::new(Code::MalformedBody).detail(format!("not JSON: {error}")))?,
    };
    validation::read("body", value, bytes.len(), Mode::Json, schema::of_body::<T>).map_err(Refusal::faulty)
}

/// A body that has not been received yet.
struct Body {
    payload: Payload,
    /// The length in bytes that `Content-Length` announces.
    announced: Option<usize>,
    limit: usize,
    patience: Duration,
    json: bool,
}

impl Body {
    fn new(request: &HttpRequest, payload: &mut Payload) -> Result<Self, Refusal> {
        let limits = &request.app_data::<Data<HttpState>>().ok_or(Code::Internal)?.config.limits;
        Self::within(limits.json_bytes, limits.body_patience(), request, payload)
    }

    fn large(request: &HttpRequest, payload: &mut Payload) -> Result<Self, Refusal> {
        let limits = &request.app_data::<Data<HttpState>>().ok_or(Code::Internal)?.config.limits;
        Self::within(limits.chat_bytes, limits.upload_patience(), request, payload)
    }

    fn within(
        limit: usize,
        patience: Duration,
        request: &HttpRequest,
        payload: &mut Payload,
    ) -> Result<Self, Refusal> {
        let header = |name| request.headers().get(name).and_then(|value| value.to_str().ok());
        let announced = header(CONTENT_LENGTH).and_then(|length| length.parse::<usize>().ok());
        if announced.is_some_and(|length| length > limit) {
            return Err(too_large(limit));
        }
        if header(CONTENT_ENCODING).is_some_and(|encoding| encoding != "identity") {
            return Err(Refusal::new(Code::WrongContentType).detail("bodies must not be compressed"));
        }
        let media_type = header(CONTENT_TYPE).unwrap_or_default();
        let media_type = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let json = media_type == "application/json" || media_type.ends_with("+json");
        Ok(Self { payload: payload.take(), announced, limit, patience, json })
    }

    async fn read(mut self) -> Result<BytesMut, Refusal> {
        let mut bytes = BytesMut::new();
        let (limit, json) = (self.limit, self.json);
        let gather = async {
            // Once a request has an `Upgrade` header, the library passes on everything that the connection sends,
            // without an end.
            while self.announced.is_none_or(|announced| bytes.len() < announced)
                && let Some(chunk) = self.payload.next().await
            {
                let chunk = chunk.map_err(|error| Refusal::new(Code::MalformedBody).because(error))?;
                if bytes.len() + chunk.len() > limit {
                    return Err(too_large(limit));
                }
                bytes.extend_from_slice(&chunk);
            }
            Ok(())
        };
        tokio::time::timeout(self.patience, gather).await.map_err(|_| Code::RequestTimeout)??;
        match json || bytes.is_empty() {
            true => Ok(bytes),
            false => Err(Refusal::new(Code::WrongContentType).detail("send application/json")),
        }
    }
}

pub(super) fn too_large(limit: usize) -> Refusal {
    Refusal::new(Code::TooLarge).detail(format!("at most {limit} bytes are allowed"))
}

impl<T: DeserializeOwned + Validate + ToSchema + 'static> Argument for Json<T> {}
impl<T: DeserializeOwned + Validate + ToSchema + 'static> Argument for OptionalJson<T> {}
impl<T: DeserializeOwned + Validate + ToSchema + Send + 'static> Argument for LargeJson<T> {}
impl Argument for EmptyBody {}
impl<T: PathValues + 'static> Argument for Path<T> {}

/// Path parameters in the order of their appearance in the path: `Path<Uuid>`, `Path<(Uuid, String)>`.
pub struct Path<T>(pub T);

impl<T: PathValues> FromRequest for Path<T> {
    type Error = ErrorResponse;
    type Future = Ready<Result<Self, ErrorResponse>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let names = request.match_info().iter().map(|(name, _)| name.to_owned());
        // Actix decodes the escapes and returns the strings in order.
        let texts = web::Path::<Vec<String>>::from_request(request, payload).into_inner();
        let pairs = texts.map(|texts| names.zip(texts.into_inner()).collect::<Vec<_>>());
        ready(
            pairs
                .map_err(|_| Refusal::new(Code::BadRequest).detail("the path does not parse"))
                .and_then(|pairs| {
                    let mut faults = Vec::new();
                    T::read(&pairs, &mut faults).map(Path).ok_or_else(|| Refusal::faulty(faults))
                })
                .map_err(ErrorResponse),
        )
    }
}

/// A type that a path parameter is parsed into.
pub trait PathValue: Sized {
    /// Parses the parameter, or describes what is wrong with it.
    fn read(text: &str) -> Result<Self, &'static str>;
}

impl PathValue for Uuid {
    fn read(text: &str) -> Result<Self, &'static str> {
        text.parse().map_err(|_| "is not a UUID")
    }
}

impl PathValue for String {
    fn read(text: &str) -> Result<Self, &'static str> {
        match text.contains('\0') {
            true => Err("contains a character that is not allowed"),
            false => Ok(text.to_owned()),
        }
    }
}

/// The path parameters of an operation.
pub trait PathValues: Sized {
    /// Parses the parameters, and adds every error to `faults`.
    fn read(pairs: &[(String, String)], faults: &mut Vec<Fault>) -> Option<Self>;
}

fn one<T: PathValue>(pairs: &[(String, String)], at: usize, faults: &mut Vec<Fault>) -> Option<T> {
    let (name, text) = pairs.get(at)?;
    match T::read(text) {
        Ok(value) => Some(value),
        Err(msg) => {
            faults.push(Fault::new("path", [name.as_str()], msg, "malformed"));
            None
        }
    }
}

impl<T: PathValue> PathValues for T {
    fn read(pairs: &[(String, String)], faults: &mut Vec<Fault>) -> Option<Self> {
        one(pairs, 0, faults)
    }
}

impl<A: PathValue, B: PathValue> PathValues for (A, B) {
    fn read(pairs: &[(String, String)], faults: &mut Vec<Fault>) -> Option<Self> {
        let (a, b) = (one(pairs, 0, faults), one(pairs, 1, faults));
        Some((a?, b?))
    }
}

impl<A: PathValue, B: PathValue, C: PathValue> PathValues for (A, B, C) {
    fn read(pairs: &[(String, String)], faults: &mut Vec<Fault>) -> Option<Self> {
        let (a, b, c) = (one(pairs, 0, faults), one(pairs, 1, faults), one(pairs, 2, faults));
        Some((a?, b?, c?))
    }
}
