//! The program: reads the command line and does what it says.

use std::process::ExitCode;

/// Streams make and drop many small things on several threads at once; see the bench `streams`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    understudy::cli::main()
}
