//! The OpenAPI document, and the page to browse it.

use std::sync::LazyLock;

use super::index::Index;
use super::inline_policy;
use super::state::HttpState;
use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY};
use actix_web::web::Data;

/// The page. It loads nothing but the document.
const PAGE: &str = include_str!("reference.html");
static POLICY: LazyLock<String> = LazyLock::new(|| inline_policy::of(PAGE));

/// Responds to `GET /api/openapi.json`.
pub(crate) async fn openapi(index: Data<&'static Index>, state: Data<HttpState>) -> HttpResponse {
    let mut response = HttpResponse::Ok();
    response.content_type("application/json").insert_header((CACHE_CONTROL, "no-cache"));
    match state.config.server.base_path() {
        "" => response.body(index.document_json()),
        base => response.body(index.document_json_at(base)),
    }
}

/// Responds to `GET /api/docs`.
pub(crate) async fn page() -> HttpResponse {
    HttpResponse::Ok()
        .content_type("text/html; charset=utf-8")
        .insert_header((CACHE_CONTROL, "no-cache"))
        .insert_header((CONTENT_SECURITY_POLICY, POLICY.as_str()))
        .body(PAGE)
}
