//! Metrics: one recorder a process, rendered for Prometheus.

use crate::App;
use crate::config::MetricsAccess;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse, ResponseError};
use metrics::{describe_counter, describe_gauge, describe_histogram, gauge};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use providers::HealthState;
use std::collections::HashMap;
use std::sync::OnceLock;
use std::time::Duration;

/// Bounds of the buckets of every duration, in seconds.
const SECONDS: [f64; 14] =
    [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0];
/// Bounds of the buckets of batches in a commit.
const BATCHES: [f64; 8] = [1.0, 2.0, 4.0, 16.0, 64.0, 256.0, 1024.0, 4096.0];
/// How often the recorder puts what it gathered in order.
const UPKEEP_EVERY: Duration = Duration::from_secs(5);

/// What proxies add to requests.
const PASSED_ON: [&str; 4] = ["x-forwarded-for", "forwarded", "x-real-ip", "via"];

static RECORDER: OnceLock<Option<PrometheusHandle>> = OnceLock::new();

/// Installs the recorder of this process, once.
pub(crate) fn install() {
    RECORDER.get_or_init(|| {
        let batches = Matcher::Full("store_commit_batches".to_owned());
        let builder = PrometheusBuilder::new().set_buckets(&SECONDS).ok()?;
        let recorder = builder.set_buckets_for_metric(batches, &BATCHES).ok()?.build_recorder();
        let handle = recorder.handle();
        metrics::set_global_recorder(recorder).ok()?;
        describe_counter!("http_requests_total", "Requests, by operation and class of status");
        describe_histogram!(
            "http_request_seconds",
            "From a request's head to its answer's head, by operation"
        );
        describe_gauge!("runs_live", "Runs that have not ended, by kind and state");
        describe_gauge!("store_commits_waiting", "Commits waiting for the committer");
        describe_gauge!("mailbox_depth", "Messages that wait for the supervisor of runs");
        describe_gauge!("journal_lag_bytes", "Bytes of events that wait for the disk, of all runs");
        describe_gauge!(
            "provider_up",
            "1 for a provider that answers, 0 for one that is left alone for a while"
        );
        describe_gauge!("provider_failures", "Failures of a provider since it last answered");
        describe_gauge!("storage_free_bytes", "Free bytes on the disk of the data folder");
        describe_gauge!(
            "storage_low",
            "1 while new runs and uploads are refused for lack of disk space, 2 while all writes are, else 0"
        );
        describe_gauge!("uptime_seconds", "Seconds since the server started");
        Some(handle)
    });
}

/// Keeps the recorder small, for ever.
pub(crate) async fn upkeep() {
    loop {
        tokio::time::sleep(UPKEEP_EVERY).await;
        if let Some(Some(handle)) = RECORDER.get() {
            handle.run_upkeep();
        }
    }
}

/// `GET /metrics`.
pub(super) async fn show(request: HttpRequest, app: Data<App>) -> HttpResponse {
    let allowed = match app.config.server.metrics {
        MetricsAccess::Open => true,
        MetricsAccess::Local => is_local(&request),
        MetricsAccess::Off => false,
    };
    let Some(handle) = RECORDER.get().and_then(Option::as_ref).filter(|_| allowed) else {
        return super::error::ApiError::from(super::error::Code::RouteNotFound).error_response();
    };
    measure(&app);
    HttpResponse::Ok().content_type("text/plain; version=0.0.4; charset=utf-8").body(handle.render())
}

/// Whether somebody on this machine asks for themselves. What a proxy beside the server passes on comes from here, too,
/// and is anybody's.
fn is_local(request: &HttpRequest) -> bool {
    let passed_on = PASSED_ON.iter().any(|name| request.headers().contains_key(*name));
    !passed_on && request.peer_addr().is_some_and(|peer| peer.ip().to_canonical().is_loopback())
}

/// Sets the gauges that are looked at, not kept.
fn measure(app: &App) {
    gauge!("uptime_seconds").set(app.started_at.elapsed().as_secs_f64());
    let room = app.store.room();
    gauge!("storage_free_bytes").set(room.free as f64);
    gauge!("storage_low").set(f64::from(u8::from(room.is_low) + u8::from(room.is_exhausted)));
    gauge!("store_commits_waiting").set(app.store.commits_waiting() as f64);
    gauge!("mailbox_depth").set(app.actors.mailbox_depth() as f64);
    gauge!("journal_lag_bytes").set(app.actors.journal_lag() as f64);
    for health in app.models.health() {
        let up = if health.state == HealthState::Down { 0.0 } else { 1.0 };
        gauge!("provider_up", "provider" => health.provider.clone()).set(up);
        gauge!("provider_failures", "provider" => health.provider)
            .set(f64::from(health.consecutive_failures));
    }
    let mut live: HashMap<(String, String), u32> = HashMap::new();
    for run in app.actors.live() {
        *live.entry((word(&run.kind), word(&run.state))).or_default() += 1;
    }
    // Combinations that were there before and are not any more must not keep their last value.
    static SEEN: parking_lot::Mutex<Vec<(String, String)>> = parking_lot::Mutex::new(Vec::new());
    let mut seen = SEEN.lock();
    let new: Vec<_> = live.keys().filter(|key| !seen.contains(key)).cloned().collect();
    seen.extend(new);
    for (kind, state) in seen.iter() {
        let count = live.get(&(kind.clone(), state.clone())).copied().unwrap_or(0);
        gauge!("runs_live", "kind" => kind.clone(), "state" => state.clone()).set(count);
    }
}

/// A variant as it is written in JSON.
fn word(of: &impl serde::Serialize) -> String {
    serde_json::to_value(of).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}
