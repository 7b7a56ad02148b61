//! The program: reads the command line and does what it says.

mod allocator;
mod idle;

use std::process::ExitCode;

fn main() -> ExitCode {
    allocator::limit_caching();
    understudy::cli::main(idle::unmap_code_when_idle)
}
