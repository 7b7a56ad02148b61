//! The implementation for Linux.

use std::collections::BTreeMap;
use std::io;

use rustix::process::{DumpableBehavior, set_dumpable_behavior};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, apply_filter_all_threads,
};

/// The allowed system calls: those that glibc, musl and Rust's runtime need for memory, locks, time, signals to the
/// process itself, and for reading and writing open files.
const LEFT: &[i64] = &[
    libc::SYS_brk,
    libc::SYS_clock_getres,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_close,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_fstat,
    libc::SYS_futex,
    libc::SYS_getpid,
    libc::SYS_getrandom,
    libc::SYS_gettid,
    libc::SYS_gettimeofday,
    libc::SYS_lseek,
    libc::SYS_madvise,
    libc::SYS_mmap,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_munmap,
    libc::SYS_nanosleep,
    libc::SYS_ppoll,
    libc::SYS_pread64,
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_restart_syscall,
    libc::SYS_rseq,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_yield,
    libc::SYS_set_robust_list,
    libc::SYS_sigaltstack,
    libc::SYS_write,
    libc::SYS_writev,
];

pub fn hide_memory() -> io::Result<()> {
    Ok(set_dumpable_behavior(DumpableBehavior::NotDumpable)?)
}

pub fn only_compute() -> io::Result<()> {
    apply_filter_all_threads(&filter()?).map_err(io::Error::other)
}

fn filter() -> io::Result<BpfProgram> {
    let mut rules: BTreeMap<i64, Vec<_>> = LEFT.iter().map(|call| (*call, Vec::new())).collect();
    // A process may terminate itself by a signal, as after a failed allocation. The first argument is the process id.
    let own = u64::from(std::process::id());
    let to_itself = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, own);
    let to_itself = SeccompRule::new(vec![to_itself.map_err(io::Error::other)?]);
    rules.insert(libc::SYS_tgkill, vec![to_itself.map_err(io::Error::other)?]);
    let refused = SeccompAction::Errno(u32::try_from(libc::EPERM).map_err(io::Error::other)?);
    let arch: TargetArch = std::env::consts::ARCH.try_into().map_err(io::Error::other)?;
    let filter = SeccompFilter::new(rules, refused, SeccompAction::Allow, arch).map_err(io::Error::other)?;
    BpfProgram::try_from(filter).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use super::*;

    #[test]
    fn only_compute_allows_memory_time_and_open_files() {
        let filter = filter().expect("a filter");
        // Apply the filter only to this thread, so that it does not affect the other tests.
        let confined = std::thread::spawn(move || {
            seccompiler::apply_filter(&filter).expect("seccomp is there");
            let many: Vec<u64> = (0..1 << 20).collect();
            let now = std::time::Instant::now();
            let refused = [
                std::fs::File::open("/proc/self/status").map(drop),
                std::net::TcpListener::bind("127.0.0.1:0").map(drop),
                std::process::Command::new("/bin/true").spawn().map(drop),
                std::thread::Builder::new().spawn(|| ()).map(drop),
            ];
            (many.iter().sum::<u64>() > 0 && now.elapsed().as_secs() < 60, refused.map(|it| it.err()))
        });
        let (computed, refused) = confined.join().expect("the confined thread finishes");
        assert!(computed);
        for (at, why) in refused.into_iter().enumerate() {
            let kind = why.unwrap_or_else(|| panic!("number {at} was not refused")).kind();
            assert_eq!(kind, ErrorKind::PermissionDenied, "number {at}");
        }
    }

    #[test]
    fn hide_memory_makes_the_process_not_dumpable() {
        hide_memory().expect("it is set");
        assert_eq!(rustix::process::dumpable_behavior().expect("it is told"), DumpableBehavior::NotDumpable);
    }
}
