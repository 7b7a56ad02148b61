//! The OpenAPI document, and the page to browse it.

use super::index::Index;
use super::state::HttpState;
use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, LOCATION};
use actix_web::web::Data;

/// The page. It loads nothing but the document.
const PAGE: &str = include_str!("reference.html");
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; \
                      img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

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
        .insert_header((CONTENT_SECURITY_POLICY, POLICY))
        .body(PAGE)
}

/// Responds to `GET /`, the address that the server prints at startup.
pub(crate) async fn redirect_to_page() -> HttpResponse {
    HttpResponse::Found().insert_header((LOCATION, "/api/docs")).finish()
}
