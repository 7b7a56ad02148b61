//! The program: reads the command line and does what it says.

mod allocator;

use std::process::ExitCode;

fn main() -> ExitCode {
    allocator::limit_caching();
    understudy::cli::main()
}
