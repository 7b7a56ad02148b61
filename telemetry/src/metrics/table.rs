//! Every metric of the server. `docs/metrics.md` contains the same table, and a test compares the two.
//!
//! Names follow the Prometheus conventions: the prefix `understudy_`, base units, `_total` for counters. Label values
//! come from fixed sets, from the configuration or from the route table; see [`Definition`](super::Definition) for the
//! limit that applies to all of them.

use super::definition::Definition;
use super::handles::{Counter, Gauge, Histogram};

/// Buckets for short durations, in seconds.
pub(super) const SECONDS: &[f64] =
    &[0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0];
/// Buckets for work that waits for models, tools or people, in seconds.
const LONG: &[f64] = &[0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0];
/// Buckets for the number of batches in a commit.
const BATCHES: &[f64] = &[1.0, 2.0, 4.0, 16.0, 64.0, 256.0, 1024.0, 4096.0];
const NONE: &[f64] = &[];

macro_rules! metrics {
    ($($kind:ident $id:ident $name:literal $unit:literal [$($label:literal),*] $buckets:ident $help:literal;)*) => {
        $(
            #[doc = $help]
            pub static $id: $kind<{ const LABELS: &[&str] = &[$($label),*]; LABELS.len() }> =
                $kind::new($name, $unit, &[$($label),*], $help, $buckets);
        )*
        /// All metrics, in the order of the documentation.
        pub static ALL: &[&Definition] = &[$($id.definition()),*];
        /// The Rust names of all metrics.
        pub const IDS: &[&str] = &[$(stringify!($id)),*];
    };
}

metrics! {
    Gauge BUILD_INFO "understudy_build_info" "1" ["version"] NONE
        "Always 1; the label is the version of the server.";
    Gauge UPTIME "understudy_uptime_seconds" "s" [] NONE
        "Seconds since the server started.";

    Counter HTTP_REQUESTS "understudy_http_requests_total" "{request}" ["operation", "method", "route", "status"] NONE
        "Requests, by operation, method, route template and class of status (2xx).";
    Histogram HTTP_DURATION "understudy_http_request_duration_seconds" "s" ["operation", "method", "route"] SECONDS
        "Time from the head of a request to the head of its response.";
    Counter HTTP_PANICS "understudy_http_panics_total" "{panic}" [] NONE
        "Requests whose handler panicked.";
    Counter LIMIT_REFUSALS "understudy_limit_refusals_total" "{request}" ["code"] NONE
        "Requests refused by a limit (402, 413, 429, 507), by error code.";
    Counter STORED_LIMIT_REFUSALS "understudy_stored_limit_refusals_total" "{refusal}" ["limit"] NONE
        "Reads and writes refused by a limit on conversations and stored bytes, by the setting of the limit.";
    Counter LOGINS_REFUSED "understudy_logins_refused_total" "{request}" ["reason"] NONE
        "Logins by password that were refused, by error code.";
    Counter CREDENTIALS_REFUSED "understudy_credentials_refused_total" "{request}" ["reason"] NONE
        "Other requests answered 401, by error code.";
    Gauge STREAMS_OPEN "understudy_streams_open" "{stream}" ["kind"] NONE
        "Responses that stream: run, feed, notices, live or websocket. The streams of a live connection are counted, too.";

    Gauge RUNS_LIVE "understudy_runs_live" "{run}" ["kind", "state"] NONE
        "Runs in memory that have not ended, by kind and state (queued, running, waiting, paused, cancelling).";
    Gauge RUNS_PARKED "understudy_runs_parked" "{run}" [] NONE
        "Runs that wait or are paused and are not in memory until something loads them.";
    Counter RUNS_STARTED "understudy_runs_started_total" "{run}" ["kind"] NONE
        "Runs whose work began for the first time.";
    Counter RUNS_ENDED "understudy_runs_ended_total" "{run}" ["kind", "outcome"] NONE
        "Runs that ended, by kind and terminal state.";
    Histogram RUN_DURATION "understudy_run_duration_seconds" "s" ["kind"] LONG
        "Time from the start of a run's work to its end.";
    Counter RUN_RESTARTS "understudy_run_restarts_total" "{restart}" [] NONE
        "Actors of runs that went down and were started again.";
    Counter RUN_PANICS "understudy_run_panics_total" "{panic}" [] NONE
        "Runs whose work panicked.";
    Gauge MAILBOX_DEPTH "understudy_mailbox_depth" "{message}" [] NONE
        "Messages that wait for the supervisor of runs.";
    Gauge DOCUMENTS_QUEUED "understudy_documents_queued" "{document}" [] NONE
        "Documents that wait to be indexed.";
    Counter AUTOMATION_RUNS "understudy_automation_runs_total" "{run}" [] NONE
        "Runs that schedules have started.";
    Counter DELIVERIES "understudy_notification_deliveries_total" "{delivery}" ["kind", "outcome"] NONE
        "Attempts to deliver notifications, by kind of endpoint and outcome.";
    Counter SWEEP_FAILURES "understudy_sweep_failures_total" "{failure}" ["sweep"] NONE
        "Periodic background tasks that failed, by task.";

    Counter MODEL_CALLS "understudy_model_calls_total" "{call}" ["provider", "model", "outcome"] NONE
        "Calls of chat models, by outcome: ok, cancelled, or the error code (upstream_timeout).";
    Histogram MODEL_DURATION "understudy_model_call_duration_seconds" "s" ["provider", "model"] LONG
        "Time from the request to a chat model to the end of its answer, of calls that ended well.";
    Histogram MODEL_FIRST "understudy_model_first_piece_seconds" "s" ["provider", "model"] LONG
        "Time from the request to a chat model to the first piece of its answer.";
    Counter MODEL_TOKENS "understudy_model_tokens_total" "{token}" ["provider", "model", "type"] NONE
        "Tokens booked: input, output; cached is a part of input, reasoning a part of output.";
    Counter MODEL_COST "understudy_model_cost_nanodollars_total" "{nanodollar}" ["provider", "model"] NONE
        "Cost booked, in thousand-millionths of a US dollar.";
    Counter TOOL_CALLS "understudy_tool_calls_total" "{call}" ["kind", "outcome"] NONE
        "Calls of tools, by kind (builtin, function, server) and outcome (ok, error, cancelled).";
    Gauge PROVIDER_UP "understudy_provider_up" "1" ["provider"] NONE
        "0 while the circuit of a provider is open, 1 otherwise.";
    Gauge PROVIDER_STATE "understudy_provider_state" "1" ["provider", "state"] NONE
        "1 for the state that a provider is in: up, degraded, down (circuit open), unknown (not asked yet).";
    Gauge PROVIDER_FAILURES "understudy_provider_consecutive_failures" "{failure}" ["provider"] NONE
        "Failures of a provider since it last answered.";

    Histogram COMMIT_DURATION "understudy_store_commit_duration_seconds" "s" [] SECONDS
        "Time of one commit of the store, which makes all batches in it durable.";
    Histogram COMMIT_BATCHES "understudy_store_commit_batches" "{batch}" [] BATCHES
        "Batches written by one commit.";
    Counter STORE_READS "understudy_store_reads_total" "{read}" [] NONE
        "Reads of the store that took a thread of the pool.";
    Gauge COMMITS_WAITING "understudy_store_commits_waiting" "{batch}" [] NONE
        "Batches that wait for the next commit.";
    Gauge STORE_HEALTHY "understudy_store_healthy" "1" [] NONE
        "1 while the store takes writes, 0 after it has failed.";
    Gauge STORE_BACKLOG "understudy_store_backlog_bytes" "By" [] NONE
        "Bytes of commits in memory that wait for the index of the database.";
    Gauge STORE_STALLED "understudy_store_stalled_seconds" "s" [] NONE
        "Time since the index last progressed, while commits wait for it.";
    Gauge STORE_LIVE "understudy_store_live_bytes" "By" [] NONE
        "Bytes of the log that are live, roughly; the rest is reclaimed in the background.";
    Gauge STORE_BYTES "understudy_store_bytes" "By" [] NONE
        "Size of the database files in the data folder, without blobs.";
    Gauge JOURNAL_LAG "understudy_journal_lag_bytes" "By" [] NONE
        "Bytes of run events that are not durable yet.";
    Counter JOURNAL_FAILURES "understudy_journal_write_failures_total" "{failure}" [] NONE
        "Writes of run journals that failed and were tried again.";
    Gauge STORAGE_LOW "understudy_storage_low" "1" [] NONE
        "1 while new runs and uploads are refused for lack of disk space, 2 while all writes are, 0 otherwise.";
    Gauge DISK_FREE "understudy_disk_free_bytes" "By" [] NONE
        "Bytes that the server may still write on the file system of the data folder.";
    Gauge DISK_USED "understudy_disk_used_bytes" "By" [] NONE
        "Bytes in use on the file system of the data folder.";

    Gauge JOURNAL_MEMORY "understudy_journal_memory_bytes" "By" [] NONE
        "Bytes of events of live runs that are in memory.";
    Counter JOURNAL_TAILS_DROPPED "understudy_journal_tails_dropped_total" "{tail}" [] NONE
        "Journal tails dropped from memory because all together exceeded runs.journal_memory_mib.";
    Counter UPKEEP_FAILURES "understudy_upkeep_failures_total" "{failure}" ["task"] NONE
        "Rows and tenants that recovery or a background task could not process and skipped, by task.";

    Counter TELEMETRY_EXPORTS "understudy_telemetry_exports_total" "{request}" ["signal", "outcome"] NONE
        "Requests to the OTLP receiver, by signal (spans, metrics) and outcome after all retries (ok, error).";
    Counter TELEMETRY_DROPPED "understudy_telemetry_dropped_total" "{item}" ["signal"] NONE
        "Spans and exports of metrics that were dropped: the queue was full, or the receiver did not take them.";
}
