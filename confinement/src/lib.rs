//! Confines a process with means of the operating system. Scripts and parsers have no access to files and sockets by
//! design; this crate limits the damage if one of them has a vulnerability.
//!
//! Only Linux has these means. On other systems the functions do nothing, and only resource limits apply.

#![forbid(unsafe_code)]

#[cfg(target_os = "linux")]
mod linux;

use std::io;

/// Prevents other processes of the same user from reading this process's memory by `ptrace` or `/proc/<pid>/mem`, and
/// the system from writing core dumps of it (`PR_SET_DUMPABLE` 0).
///
/// # Errors
/// The system call failed.
pub fn hide_memory() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    linux::hide_memory()?;
    Ok(())
}

/// Restricts this process, with all its threads, to the system calls needed for computing: memory, locks, time, and
/// reading from and writing to open files. All other calls fail with `EPERM`: opening files, sockets, starting
/// processes and threads, signals to other processes, `ptrace`. The restriction is permanent, and no program that the
/// process could start would have more rights (`no_new_privs`).
///
/// # Errors
/// The system has no seccomp filters, or does not allow the process to install one.
pub fn only_compute() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    linux::only_compute()?;
    Ok(())
}
