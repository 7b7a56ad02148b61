//! Whether the server lives, and whether it takes work.

use super::error::{ApiError, Code};
use crate::App;
use actix_web::web::Data;
use actix_web::{HttpResponse, ResponseError};
use serde_json::json;

/// `GET /healthz`: the process answers.
pub(super) async fn healthz() -> HttpResponse {
    HttpResponse::Ok().json(json!({"status": "ok", "version": env!("CARGO_PKG_VERSION")}))
}

/// `GET /readyz`: requests are taken. 503 while shutting down, and when the disk has failed.
pub(super) async fn readyz(app: Data<App>) -> HttpResponse {
    if app.actors.draining() {
        return ApiError::new(Code::ShuttingDown).retry_after(5).error_response();
    }
    if !app.store.is_healthy() {
        return ApiError::new(Code::Overloaded)
            .detail("the store takes no writes")
            .retry_after(30)
            .error_response();
    }
    HttpResponse::Ok().json(json!({"status": "ready"}))
}
