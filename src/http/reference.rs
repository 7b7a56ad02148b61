//! The OpenAPI document, and the page to browse it.

use std::sync::LazyLock;

use super::index::Index;
use super::inline_policy;
use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY};
use actix_web::web::Data;

/// The page. It loads nothing but the document.
const PAGE: &str = include_str!("reference.html");
static POLICY: LazyLock<String> = LazyLock::new(|| inline_policy::of(PAGE));

/// Responds to `GET /api/openapi.json`.
pub(crate) async fn openapi(index: Data<&'static Index>) -> HttpResponse {
    HttpResponse::Ok()
        .content_type("application/json")
        .insert_header((CACHE_CONTROL, "no-cache"))
        .body(index.document_json())
}

/// Responds to `GET /api/docs`.
pub(crate) async fn page() -> HttpResponse {
    HttpResponse::Ok()
        .content_type("text/html; charset=utf-8")
        .insert_header((CACHE_CONTROL, "no-cache"))
        .insert_header((CONTENT_SECURITY_POLICY, POLICY.as_str()))
        .body(PAGE)
}
