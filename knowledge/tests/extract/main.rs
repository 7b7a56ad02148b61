//! Reads good and hostile files in real processes. This program is its own reader: called with `extract`, it serves.

mod bad;
mod good;
mod hostile;
#[path = "../../../tests/harness/own_main.rs"]
mod own_main;
mod processes;
mod support;

use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(code) = std::env::args().nth(1).and_then(|role| processes::play(&role)) {
        return code;
    }
    // Tests count processes, so each test begins without processes of the previous one.
    own_main::run([good::TESTS, bad::TESTS, hostile::TESTS, processes::TESTS], || {
        Box::pin(support::until("no process", || support::children().is_empty()))
    })
}
