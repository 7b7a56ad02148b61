//! What handlers answer with.

use super::access::Argument;
use super::body::Json;
use super::error::ErrorResponse;
use super::error::RefusalResponse;
use actix_web::body::BoxBody;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, ETAG, HeaderValue, IF_MATCH, IF_NONE_MATCH};
use actix_web::{FromRequest, HttpRequest, HttpResponse, HttpResponseBuilder, Responder};
use domain::{Code, Precondition, Refusal};
use serde::Serialize;
use std::future::{Ready, ready};
use storage::{Record, Row};

fn json(status: StatusCode, value: &impl Serialize) -> HttpResponse<BoxBody> {
    match serde_json::to_vec(value) {
        Ok(bytes) => HttpResponse::build(status).content_type("application/json").body(bytes),
        Err(error) => Refusal::new(Code::Internal).because(error).error_response(),
    }
}

impl<T: Serialize> Responder for Json<T> {
    type Body = BoxBody;
    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        json(StatusCode::OK, &self.0)
    }
}

/// 201 with what was made.
pub struct Created<T>(pub T);

impl<T: Serialize> Responder for Created<T> {
    type Body = BoxBody;
    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        json(StatusCode::CREATED, &self.0)
    }
}

/// 202: it is under way.
pub struct Accepted<T>(pub T);

impl<T: Serialize> Responder for Accepted<T> {
    type Body = BoxBody;
    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        json(StatusCode::ACCEPTED, &self.0)
    }
}

/// A response 204 without a body.
pub struct NoContent;

impl Responder for NoContent {
    type Body = BoxBody;
    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        HttpResponse::NoContent().finish()
    }
}

/// Something that is written again and again, each time at the next version.
pub trait HasVersion {
    /// How often it was written, from 1.
    fn version(&self) -> u64;
}

impl<T: Record> HasVersion for Row<T> {
    fn version(&self) -> u64 {
        self.version
    }
}

/// 200 with an `ETag`; 304 if the caller holds this version already.
pub struct Versioned<T>(pub T);

impl<T: Serialize + HasVersion> Responder for Versioned<T> {
    type Body = BoxBody;
    fn respond_to(self, request: &HttpRequest) -> HttpResponse {
        let tag = format!("\"{}\"", self.0.version());
        let held = request.headers().get(IF_NONE_MATCH).and_then(|value| value.to_str().ok());
        let unchanged = request.method().is_safe() && held.is_some_and(|held| names(held, &tag));
        let mut response = match unchanged {
            true => HttpResponse::NotModified().finish(),
            false => json(StatusCode::OK, &self.0),
        };
        if let Ok(tag) = HeaderValue::from_str(&tag) {
            response.headers_mut().insert(ETAG, tag);
        }
        response
    }
}

fn names(header: &str, tag: &str) -> bool {
    tags(header).any(|named| named == tag || named == "*")
}

/// The entity tags of a header, strong and weak ones alike.
fn tags(header: &str) -> impl Iterator<Item = &str> {
    header.split(',').map(|part| part.trim().trim_start_matches("W/"))
}

/// The versions that a change may be applied to, from `If-Match`; a header that does not parse is refused (400).
pub struct IfMatch(Option<String>);

impl IfMatch {
    /// The versions that the header names. An absent header and `*` allow any version.
    pub fn precondition(&self) -> Precondition {
        let Some(header) = &self.0 else { return Precondition::Any };
        if tags(header).any(|tag| tag == "*") {
            return Precondition::Any;
        }
        Precondition::Versions(tags(header).filter_map(version).collect())
    }

    /// Refuses (412) unless the header is absent, `*`, or names this version.
    pub fn check(&self, version: u64) -> Result<(), Refusal> {
        self.precondition().check(version)
    }
}

/// The version that a tag of this server names. Tags are compared as text, so `"03"` is not the tag of version 3.
fn version(tag: &str) -> Option<u64> {
    let digits = tag.strip_prefix('"')?.strip_suffix('"')?;
    digits.parse::<u64>().ok().filter(|version| version.to_string() == digits)
}

impl Argument for IfMatch {}

impl FromRequest for IfMatch {
    type Error = ErrorResponse;
    type Future = Ready<Result<Self, ErrorResponse>>;

    fn from_request(request: &HttpRequest, _: &mut actix_web::dev::Payload) -> Self::Future {
        // Tags of this server are ASCII. One that is not names no version, and to leave it out of the question would make
        // the change that it was meant to prevent.
        let values = request.headers().get_all(IF_MATCH).map(HeaderValue::to_str);
        let read = values.collect::<Result<Vec<_>, _>>().map_err(|_| {
            Refusal::new(Code::BadRequest).detail("`If-Match` holds characters that are not ASCII")
        });
        ready(read.map(|values| Self((!values.is_empty()).then(|| values.join(",")))).map_err(ErrorResponse))
    }
}

/// Sets the headers of every streaming answer: nothing on the way may cache or collect it.
pub fn streaming(builder: &mut HttpResponseBuilder) -> &mut HttpResponseBuilder {
    builder
        .insert_header((CACHE_CONTROL, "no-cache, no-transform"))
        .insert_header(("x-accel-buffering", "no"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn if_match_names_versions() {
        let check = |header: Option<&str>, version| IfMatch(header.map(str::to_owned)).check(version).is_ok();
        assert!(check(None, 3));
        assert!(check(Some("*"), 3));
        assert!(check(Some("\"2\", \"3\""), 3));
        assert!(check(Some("W/\"3\""), 3));
        assert!(!check(Some("\"2\""), 3));
        assert!(!check(Some("3"), 3));
        assert!(!check(Some("\"03\", \"+3\""), 3));
        assert!(check(Some("\"x\", *"), 3));
    }
}
