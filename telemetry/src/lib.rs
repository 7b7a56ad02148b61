//! Telemetry of the server: metrics, and traces exported over OTLP/HTTP.
//!
//! Every metric is declared once, in [`metrics::table`]; there is no other way to emit one.

#![forbid(unsafe_code)]

pub mod export;
pub mod metrics;
pub mod trace;
