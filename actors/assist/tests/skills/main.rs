//! Tests of skills (reading bundles, inspecting scripts, calling functions and their services) and of data items. The
//! test program is its own sandbox: it serves as one when it is called with `sandbox`.

mod bundles;
#[path = "../../../../tests/harness/counting_server.rs"]
mod counting_server;
mod data;
mod functions;
mod inspecting;
#[path = "../../../../tests/harness/own_main.rs"]
mod own_main;
#[path = "../../../../tests/harness/socket.rs"]
mod socket;
mod stage;
mod tools;

use std::process::ExitCode;

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some("sandbox") {
        return ExitCode::from(u8::from(sandbox::serve().is_err()));
    }
    let all = [bundles::TESTS, inspecting::TESTS, data::TESTS, functions::TESTS, tools::TESTS];
    own_main::run(all, || Box::pin(async {}))
}
