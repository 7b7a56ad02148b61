//! Health checks: whether the server is alive, and whether it accepts requests.

use crate::App;
use crate::http::RefusalResponse;
use actix_web::HttpResponse;
use actix_web::web::Data;
use domain::{Code, Refusal};
use serde_json::json;
use std::time::Duration;

/// The time without progress after which the storage engine counts as stalled while work is waiting for it.
const STALLED: Duration = Duration::from_secs(10);

/// `GET /healthz`: the process responds.
pub(crate) async fn healthz() -> HttpResponse {
    HttpResponse::Ok().json(json!({"status": "ok", "version": env!("CARGO_PKG_VERSION")}))
}

/// `GET /readyz`: the server accepts requests. 503 while it is shutting down, and if the disk has failed or runs are no
/// longer supervised. 200 with the status `degraded` and reasons in `warnings` if an administrator has to act, for
/// example because the disk is full.
pub(crate) async fn readyz(app: Data<App>) -> HttpResponse {
    if app.actors.draining() {
        return Refusal::new(Code::ShuttingDown).retry_after(5).error_response();
    }
    if let Some(why) = app.actors.failure() {
        return Refusal::new(Code::Overloaded).detail(why).retry_after(30).error_response();
    }
    if !app.store.is_healthy() {
        return Refusal::new(Code::Overloaded)
            .detail("the store accepts no writes")
            .retry_after(30)
            .error_response();
    }
    let mut warnings = Vec::new();
    let room = app.store.room();
    if room.is_exhausted {
        warnings.push(format!(
            "the disk of the data folder is full ({} MiB free): nothing is written until space is freed; reads continue",
            room.free >> 20
        ));
    } else if room.is_low {
        warnings.push(format!(
            "the disk of the data folder is nearly full ({} MiB free): new runs and uploads are refused until space is \
             freed",
            room.free >> 20
        ));
    }
    warnings.extend(app.store.set_aside().iter().map(|file| {
        format!(
            "commits were set aside in {} when the data folder was opened, because commits before them were missing; \
             move the file away when this is resolved",
            file.display()
        )
    }));
    warnings.extend(app.store.power_loss().map(|loss| {
        format!(
            "the machine lost power while commits were not durable one by one: commits after number {} are missing, {} of \
             which were read and set aside; with storage.durability = \"power\" none are lost",
            loss.last_commit, loss.set_aside
        )
    }));
    let engine = app.store.engine_status();
    if engine.stalled > STALLED {
        warnings.push(format!(
            "the storage engine has made no progress for {} s ({}): commits continue while memory lasts, {} MiB wait",
            engine.stalled.as_secs(),
            engine.why.as_deref().unwrap_or("reason unknown"),
            engine.backlog_bytes >> 20
        ));
    }
    let status = if warnings.is_empty() { "ready" } else { "degraded" };
    HttpResponse::Ok().json(json!({"status": status, "warnings": warnings}))
}
