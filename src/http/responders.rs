//! Response types of handlers.

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
use utoipa::ToSchema;
use utoipa::openapi::{Content, Ref, RefOr, ResponseBuilder, Responses, Schema};

/// Schemas with their names.
pub(crate) type Schemas = Vec<(String, RefOr<Schema>)>;

/// A response whose type determines its status and body, so that handlers need not document them.
pub trait DocumentedResponder: Responder {
    /// Whether the response has an `ETag`.
    const VERSIONED: bool = false;

    /// Adds the response to the operation's responses, unless the operation describes that status itself, and the
    /// schemas of the body to `schemas`.
    fn document(responses: &mut Responses, schemas: &mut Schemas);
}

/// A response whose status and body are determined and documented by the handler.
impl DocumentedResponder for HttpResponse {
    fn document(_: &mut Responses, _: &mut Schemas) {}
}

/// Documents a response with this status and a `T` as JSON.
pub(crate) fn document_json<T: ToSchema>(
    status: StatusCode,
    responses: &mut Responses,
    schemas: &mut Schemas,
) {
    if !responses.responses.contains_key(status.as_str()) {
        describe(status, T::name().into_owned(), T::schema(), responses, schemas);
        T::schemas(schemas);
    }
}

/// Documents a response. Its description is the first paragraph of the body's description.
fn describe(
    status: StatusCode,
    name: String,
    schema: RefOr<Schema>,
    responses: &mut Responses,
    schemas: &mut Schemas,
) {
    let described = serde_json::json!(schema);
    let description = described["description"].as_str().and_then(|text| text.split("\n\n").next());
    let description = description.or(status.canonical_reason()).unwrap_or_default();
    let body = Content::new(Some(Ref::from_schema_name(&name)));
    let response = ResponseBuilder::new().description(description).content("application/json", body);
    responses.responses.insert(status.as_str().to_owned(), response.into());
    schemas.push((name, schema));
}

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

impl<T: Serialize + ToSchema> DocumentedResponder for Json<T> {
    fn document(responses: &mut Responses, schemas: &mut Schemas) {
        document_json::<T>(StatusCode::OK, responses, schemas);
    }
}

/// A 201 response with the created object.
pub struct Created<T>(pub T);

impl<T: Serialize> Responder for Created<T> {
    type Body = BoxBody;
    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        json(StatusCode::CREATED, &self.0)
    }
}

impl<T: Serialize + ToSchema> DocumentedResponder for Created<T> {
    fn document(responses: &mut Responses, schemas: &mut Schemas) {
        document_json::<T>(StatusCode::CREATED, responses, schemas);
    }
}

/// A 202 response: the work has been accepted and is in progress.
pub struct Accepted<T>(pub T);

impl<T: Serialize> Responder for Accepted<T> {
    type Body = BoxBody;
    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        json(StatusCode::ACCEPTED, &self.0)
    }
}

impl<T: Serialize + ToSchema> DocumentedResponder for Accepted<T> {
    fn document(responses: &mut Responses, schemas: &mut Schemas) {
        document_json::<T>(StatusCode::ACCEPTED, responses, schemas);
    }
}

/// A 204 response without a body.
pub struct NoContent;

impl Responder for NoContent {
    type Body = BoxBody;
    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        HttpResponse::NoContent().finish()
    }
}

impl DocumentedResponder for NoContent {
    fn document(responses: &mut Responses, _: &mut Schemas) {
        let response = || ResponseBuilder::new().description("Success. The response has no body.").into();
        responses.responses.entry(StatusCode::NO_CONTENT.as_str().to_owned()).or_insert_with(response);
    }
}

/// An object that is written repeatedly, each time with the next version.
pub trait HasVersion {
    /// The number of times the object has been written, from 1.
    fn version(&self) -> u64;
}

impl<T: Record> HasVersion for Row<T> {
    fn version(&self) -> u64 {
        self.version
    }
}

/// A 200 response with an `ETag`, or 304 if the caller already has this version.
pub struct Versioned<T>(pub T);

impl<T: Serialize + HasVersion> Responder for Versioned<T> {
    type Body = BoxBody;
    fn respond_to(self, request: &HttpRequest) -> HttpResponse {
        let tag = format!("\"{}\"", self.0.version());
        let unchanged = request.method().is_safe() && has_tag(request, &tag);
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

impl<T: Serialize + HasVersion + ToSchema> DocumentedResponder for Versioned<T> {
    const VERSIONED: bool = true;

    fn document(responses: &mut Responses, schemas: &mut Schemas) {
        document_json::<T>(StatusCode::OK, responses, schemas);
    }
}

/// Returns whether `If-None-Match` names this entity tag: the client already has the response.
pub fn has_tag(request: &HttpRequest, tag: &str) -> bool {
    let held = request.headers().get(IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    held.is_some_and(|held| names(held, tag))
}

fn names(header: &str, tag: &str) -> bool {
    tags(header).any(|named| named == tag || named == "*")
}

/// The entity tags of a header. Weak and strong tags are treated alike.
fn tags(header: &str) -> impl Iterator<Item = &str> {
    header.split(',').map(|part| part.trim().trim_start_matches("W/"))
}

/// The versions that a change may be applied to, from `If-Match`. A header that does not parse is refused with 400.
pub struct IfMatch(Option<String>);

impl IfMatch {
    /// The content of the header, if there is one.
    pub fn new(header: Option<String>) -> Self {
        Self(header)
    }

    /// The versions that the header names. An absent header and `*` allow any version.
    pub fn precondition(&self) -> Precondition {
        let Some(header) = &self.0 else { return Precondition::Any };
        if tags(header).any(|tag| tag == "*") {
            return Precondition::Any;
        }
        Precondition::Versions(tags(header).filter_map(version).collect())
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
        // Tags of this server are ASCII. Another tag names no version, and ignoring it would perform the change that it
        // was meant to prevent.
        let values = request.headers().get_all(IF_MATCH).map(HeaderValue::to_str);
        let read = values.collect::<Result<Vec<_>, _>>().map_err(|_| {
            Refusal::new(Code::BadRequest).detail("`If-Match` contains characters that are not ASCII")
        });
        ready(read.map(|values| Self((!values.is_empty()).then(|| values.join(",")))).map_err(ErrorResponse))
    }
}

/// Sets the headers of every streaming response: no intermediary may cache or buffer it.
pub fn streaming(builder: &mut HttpResponseBuilder) -> &mut HttpResponseBuilder {
    builder
        .insert_header((CACHE_CONTROL, "no-cache, no-transform"))
        .insert_header(("x-accel-buffering", "no"))
}
