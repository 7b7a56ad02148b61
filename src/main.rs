//! The program: reads the command line and does what it says.

use std::process::ExitCode;

fn main() -> ExitCode {
    return_freed_memory();
    understudy::cli::main()
}

/// From this size on, memory comes from the system and returns to it when it is freed.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LARGE: libc::c_int = 128 << 10;

/// Has the C library give memory back. By default it raises the size from which memory is mapped to the size of
/// whatever is freed, up to 32 MiB, and gives every thread a heap of its own, up to eight a core, few of which ever
/// shrink. After 26 reads of a conversation of 64 MiB a debug build stood at 653 MiB; with these limits it stands at 247.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn return_freed_memory() {
    let cores = std::thread::available_parallelism().map_or(2, |cores| cores.get().max(2));
    // SAFETY: there is no other thread yet, and the calls change parameters of the allocator.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
        libc::mallopt(libc::M_ARENA_MAX, cores as libc::c_int);
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn return_freed_memory() {}
