//! Runs good and bad scripts in real processes. This program is its own sandbox: called with `sandbox`, it serves.

mod bad;
mod good;
mod hosts;
#[path = "../../../tests/harness/own_main.rs"]
mod own_main;
mod processes;
mod support;

use std::process::ExitCode;

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("sandbox") => ExitCode::from(u8::from(sandbox::serve().is_err())),
        Some("orphan-maker") => own_main::block_on(processes::make_an_orphan()),
        // Tests count processes, so each test begins without processes of the previous one.
        _ => own_main::run([good::TESTS, bad::TESTS, hosts::TESTS, processes::TESTS], || {
            Box::pin(support::until("no process", || support::children().is_empty()))
        }),
    }
}
