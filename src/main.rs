//! The program: parses the command line and runs the command.

mod allocator;
mod idle;

use std::process::ExitCode;

fn main() -> ExitCode {
    allocator::limit_caching();
    understudy::cli::main(idle::unmap_code_when_idle)
}
