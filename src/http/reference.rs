//! The OpenAPI document and the page to browse it.

use super::document::document;
use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, LOCATION};
use actix_web::web::Bytes;
use std::sync::LazyLock;

/// The page; loads nothing but the document.
const PAGE: &str = include_str!("reference.html");
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; \
                      img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

static DOCUMENT: LazyLock<Bytes> = LazyLock::new(|| Bytes::from(document().to_string()));

/// `GET /api/openapi.json`.
pub(super) async fn openapi() -> HttpResponse {
    HttpResponse::Ok()
        .content_type("application/json")
        .insert_header((CACHE_CONTROL, "no-cache"))
        .body(DOCUMENT.clone())
}

/// `GET /api/docs`.
pub(super) async fn page() -> HttpResponse {
    HttpResponse::Ok()
        .content_type("text/html; charset=utf-8")
        .insert_header((CACHE_CONTROL, "no-cache"))
        .insert_header((CONTENT_SECURITY_POLICY, POLICY))
        .body(PAGE)
}

/// `GET /`: leads from the address that the server prints to the reference.
pub(super) async fn from_root() -> HttpResponse {
    HttpResponse::Found().insert_header((LOCATION, "api/docs")).finish()
}
