//! The program: reads the command line and does what it says.

use std::process::ExitCode;

fn main() -> ExitCode {
    understudy::cli::main()
}
