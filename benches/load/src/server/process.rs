//! Child processes and the kernel's measurements of them: processor time, memory, the clock.

use std::process::{Child, Command};
use std::time::Duration;

use super::Outcome;

/// A process of a benchmark. It is killed (SIGKILL) when dropped, so that a failure leaves no process behind.
pub struct Process {
    pub child: Child,
}

impl Process {
    pub fn spawn(command: &mut Command) -> Outcome<Process> {
        Ok(Process { child: command.spawn()? })
    }

    /// Processor time of all its threads, including ended ones, in user and kernel mode.
    pub fn cpu(&self) -> Duration {
        let mut clock: libc::clockid_t = 0;
        // SAFETY: `clock` is a valid destination for the result, and the process is our child.
        let found = unsafe { libc::clock_getcpuclockid(self.child.id() as libc::pid_t, &mut clock) };
        if found == 0 { read_clock(clock) } else { Duration::ZERO }
    }

    /// Resident memory in bytes; 0 if the process has ended.
    pub fn resident(&self) -> u64 {
        self.number("status", "VmRSS:") * 1024
    }

    /// Resident memory in bytes that is not backed by a file: the part that grows with the work. How much of the
    /// program's file is mapped depends on what has run recently.
    pub fn anonymous(&self) -> u64 {
        self.number("status", "RssAnon:") * 1024
    }

    /// Peak resident memory in bytes since the start, or since `forget_peak`.
    pub fn peak_resident(&self) -> u64 {
        self.number("status", "VmHWM:") * 1024
    }

    pub fn forget_peak(&self) -> Outcome<()> {
        Ok(std::fs::write(format!("/proc/{}/clear_refs", self.child.id()), "5")?)
    }

    /// A number that the kernel reports about the process, in the kernel's unit.
    fn number(&self, file: &str, name: &str) -> u64 {
        let text = std::fs::read_to_string(format!("/proc/{}/{file}", self.child.id())).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
        line.trim().trim_end_matches(" kB").trim().parse().unwrap_or(0)
    }

    /// Whether the process has exited.
    pub fn ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Sends SIGKILL and waits until the process has exited.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Sends SIGTERM and waits until the process has exited, for at most 20 seconds.
    pub fn stop(&mut self) {
        // SAFETY: sends a signal to our own child, which has not been waited for yet.
        unsafe { libc::kill(self.child.id() as libc::pid_t, libc::SIGTERM) };
        for _ in 0..200 {
            if self.ended() {
                return;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        self.kill();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Processor time of this process, the load generator.
pub fn own_cpu() -> Duration {
    read_clock(libc::CLOCK_PROCESS_CPUTIME_ID)
}

/// Microseconds of the monotonic clock, which all processes of a machine share.
pub fn micros() -> u64 {
    read_clock(libc::CLOCK_MONOTONIC).as_micros() as u64
}

fn read_clock(clock: libc::clockid_t) -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid destination for the result.
    match unsafe { libc::clock_gettime(clock, &mut time) } {
        0 => Duration::new(time.tv_sec as u64, time.tv_nsec as u32),
        _ => Duration::ZERO,
    }
}

/// Restricts this process and its children to two cores, the size of the reference machine, if the machine has more.
pub fn two_cores() {
    // SAFETY: a set of cores is plain data, for which zeroes are the empty set, and both calls receive its size.
    unsafe {
        let size = size_of::<libc::cpu_set_t>();
        let (mut all, mut two): (libc::cpu_set_t, libc::cpu_set_t) = std::mem::zeroed();
        if libc::sched_getaffinity(0, size, &mut all) == 0 {
            (0..libc::CPU_SETSIZE as usize)
                .filter(|&core| libc::CPU_ISSET(core, &all))
                .take(2)
                .for_each(|core| libc::CPU_SET(core, &mut two));
            libc::sched_setaffinity(0, size, &two);
        }
    }
}

/// Raises the soft limit on open files to the hard limit, for this process and its children, and returns it. Ten
/// thousand streams need a descriptor each, and a proxy needs two.
pub fn raise_open_files() -> u64 {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` is a valid destination for the result.
    if unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) } != 0 {
        return 1024;
    }
    limit.rlim_cur = limit.rlim_max;
    // SAFETY: `limit` contains a soft limit that does not exceed its hard limit.
    unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &limit) };
    limit.rlim_cur
}
