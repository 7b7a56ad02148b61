//! What the system keeps a process from. Scripts and parsers have no way to files and sockets by themselves; this is
//! for the day when one of them has a hole.
//!
//! Only Linux has these means. Elsewhere the functions do nothing, and resource limits are all that there is.

#![forbid(unsafe_code)]

#[cfg(target_os = "linux")]
mod linux;

use std::io;

/// Keeps other processes of the same user from reading this process's memory, by `ptrace` or `/proc/<pid>/mem`, and the
/// system from writing core dumps of it (`PR_SET_DUMPABLE` 0).
///
/// # Errors
/// Those of the system.
pub fn hide_memory() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    linux::hide_memory()?;
    Ok(())
}

/// Leaves this process, with all its threads, the system calls that computing takes: memory, locks, time, and reading
/// from and writing to what is open. All others fail with `EPERM`: opening files, sockets, starting processes and
/// threads, signals to other processes, `ptrace`. Nothing takes that back, and no program that it could start would have
/// more rights (`no_new_privs`).
///
/// # Errors
/// Those of the system: it has no seccomp filters, or does not let the process set one.
pub fn only_compute() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    linux::only_compute()?;
    Ok(())
}
