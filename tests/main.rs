//! All tests that use HTTP, in one binary: `cargo test -p understudy --test it`.

mod access;
mod api;
mod cli;
mod crash;
mod docs;
mod endless;
mod harness;
mod metrics;
mod mutations;
mod openapi;
mod supervision;
mod sweep;
mod telemetry;
mod tidy;
mod unit;
