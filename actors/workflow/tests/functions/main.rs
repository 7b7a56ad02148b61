//! Tests of skill functions in workflows. This program is its own sandbox: with the argument `sandbox`, it serves as one.

mod nodes;
#[path = "../../../../tests/harness/own_main.rs"]
mod own_main;
#[path = "../../../assist/tests/skills/stage.rs"]
mod stage;

use std::process::ExitCode;

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some("sandbox") {
        return ExitCode::from(u8::from(sandbox::serve().is_err()));
    }
    own_main::run([nodes::TESTS], || Box::pin(async {}))
}
