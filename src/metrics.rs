//! `GET /metrics`, and the gauges that are read on each request.

use crate::App;
use crate::config::MetricsAccess;
use crate::http::RefusalResponse;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use providers::HealthState;
use std::collections::HashMap;
use std::path::Path;
use storage::records::{RunKind, RunState};
use telemetry::metrics::{self, table};

/// Headers that a proxy adds to requests.
const FORWARDED: [&str; 4] = ["x-forwarded-for", "forwarded", "x-real-ip", "via"];
/// The states of a provider.
const STATES: [(HealthState, &str); 4] = [
    (HealthState::Up, "up"),
    (HealthState::Degraded, "degraded"),
    (HealthState::Down, "down"),
    (HealthState::Unknown, "unknown"),
];

/// Limits the memory of the metrics recorder periodically. Never returns.
pub(crate) async fn upkeep() {
    loop {
        tokio::time::sleep(metrics::UPKEEP_INTERVAL).await;
        metrics::upkeep();
    }
}

/// `GET /metrics`.
pub(crate) async fn show(request: HttpRequest, app: Data<App>) -> HttpResponse {
    let allowed = match app.config.server.metrics {
        MetricsAccess::Open => true,
        MetricsAccess::Local => is_local(&request),
        MetricsAccess::Off => false,
    };
    let text = if allowed { current(&app) } else { None };
    match text {
        Some(text) => HttpResponse::Ok().content_type("text/plain; version=0.0.4; charset=utf-8").body(text),
        None => domain::Refusal::from(domain::Code::RouteNotFound).error_response(),
    }
}

/// The current values of all metrics, in the Prometheus text format.
pub(crate) fn current(app: &App) -> Option<String> {
    measure(app);
    metrics::render()
}

/// Whether the request comes from this machine and was not forwarded by a proxy.
fn is_local(request: &HttpRequest) -> bool {
    let forwarded = FORWARDED.iter().any(|name| request.headers().contains_key(*name));
    !forwarded && request.peer_addr().is_some_and(|peer| peer.ip().to_canonical().is_loopback())
}

/// Sets the gauges that are read from the state of the server.
fn measure(app: &App) {
    table::BUILD_INFO.set([env!("CARGO_PKG_VERSION")], 1.0);
    table::UPTIME.set([], app.started_at.elapsed().as_secs_f64());
    table::STORE_READS.with([]).absolute(app.store.reads());
    table::COMMITS_WAITING.set([], app.store.commits_waiting() as f64);
    table::STORE_HEALTHY.set([], if app.store.is_healthy() { 1.0 } else { 0.0 });
    table::MAILBOX_DEPTH.set([], app.actors.mailbox_depth() as f64);
    table::JOURNAL_LAG.set([], app.actors.journal_lag() as f64);
    table::JOURNAL_MEMORY.set([], app.actors.journal_memory() as f64);
    measure_providers(app);
    measure_runs(app);
    let engine = app.store.engine_status();
    table::STORE_BACKLOG.set([], engine.backlog_bytes as f64);
    table::STORE_STALLED.set([], engine.stalled.as_secs_f64());
    table::STORE_LIVE.set([], engine.live_bytes as f64);
    measure_disk(app.store.dir());
    let room = app.store.room();
    table::STORAGE_LOW.set([], f64::from(u8::from(room.is_low) + u8::from(room.is_exhausted)));
}

fn measure_providers(app: &App) {
    let health = app.models.health();
    let up = |state| if state == HealthState::Down { 0.0 } else { 1.0 };
    table::PROVIDER_UP.set_all(health.iter().map(|one| ([one.provider.clone()], up(one.state))));
    let failures = health.iter().map(|one| ([one.provider.clone()], f64::from(one.consecutive_failures)));
    table::PROVIDER_FAILURES.set_all(failures);
    let states = health.iter().flat_map(|one| {
        STATES.map(|(state, name)| {
            ([one.provider.clone(), name.to_owned()], if one.state == state { 1.0 } else { 0.0 })
        })
    });
    table::PROVIDER_STATE.set_all(states);
}

fn measure_runs(app: &App) {
    let mut live: HashMap<(RunKind, &'static str), u32> = HashMap::new();
    let mut documents = 0_u32;
    for run in app.actors.live() {
        *live.entry((run.kind, run.state.as_str())).or_default() += 1;
        documents += u32::from(run.kind == RunKind::Ingest && run.state == RunState::Queued);
    }
    let rows = live
        .iter()
        .map(|((kind, state), number)| ([kind.as_str().to_owned(), (*state).to_owned()], f64::from(*number)));
    table::RUNS_LIVE.set_all(rows);
    table::RUNS_PARKED.set([], app.actors.unloaded_count() as f64);
    table::DOCUMENTS_QUEUED.set([], f64::from(documents));
}

/// Gauges that cannot be read retain their last values: a scrape must not fail because of one gauge.
fn measure_disk(data: &Path) {
    if let Ok(space) = rustix::fs::statvfs(data) {
        let bytes = |blocks: u64| blocks.saturating_mul(space.f_frsize) as f64;
        table::DISK_FREE.set([], bytes(space.f_bavail));
        table::DISK_USED.set([], bytes(space.f_blocks.saturating_sub(space.f_bfree)));
    }
    let folders = ["engine", "engine/log", "engine/index"];
    let files =
        folders.into_iter().flat_map(|folder| std::fs::read_dir(data.join(folder))).flatten().flatten();
    let sizes = files.filter_map(|file| file.metadata().ok()).filter(std::fs::Metadata::is_file);
    table::STORE_BYTES.set([], sizes.map(|file| file.len()).sum::<u64>() as f64);
}
