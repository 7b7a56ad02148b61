//! Confines the child with means of the operating system. The engine has no access to files or sockets; these limits
//! are a second line of defence if it has a vulnerability.

use crate::wire::Order;
use rlimit::Resource;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

/// The address space in addition to the script's limit: the engine, the thread's heap, and the report.
const SPACE: u64 = 384 << 20;

/// The confinement of the child, partially applied.
pub struct ChildConfinement {
    /// `/proc/self/status`. It is kept open because nothing can be opened later.
    status: Option<File>,
    /// The address space of the program itself.
    mapped: Option<u64>,
    /// The resident memory of the program itself.
    resident: Option<u64>,
}

impl ChildConfinement {
    /// Disables opening files and core dumps. Must be called before anything is read.
    pub fn shut() -> Self {
        let _ = confinement::hide_memory();
        let status = File::open("/proc/self/status").ok();
        let status_text = status.as_ref().and_then(read_status);
        let mapped = status_text.as_ref().and_then(|status_text| value(status_text, "VmSize:"));
        let resident = status_text.as_ref().and_then(|status_text| value(status_text, "VmRSS:"));
        set(Resource::CORE, 0);
        set(Resource::FSIZE, 0);
        // Files that are already open stay open.
        set(Resource::NOFILE, 0);
        Self { status, mapped, resident }
    }

    /// The peak memory of the process beyond its initial memory, if the system reports it.
    pub fn most_used(&self) -> Option<u64> {
        let most = value(&read_status(self.status.as_ref()?)?, "VmHWM:")?;
        Some(most.saturating_sub(self.resident?))
    }

    /// Limits memory and CPU time, and forbids further threads and processes and all system calls not needed for
    /// computing. Must be called from the last thread that is started.
    pub fn lock(&self, order: &Order, held: usize) {
        set(Resource::NPROC, 0);
        // The parent enforces a stricter time limit. This one applies to a child that has lost its parent.
        set(Resource::CPU, order.time_ms.div_ceil(1000) + 5);
        if let Some(mapped) = self.mapped {
            let own = order.memory_bytes + order.stack_bytes + 4 * held as u64;
            set(Resource::AS, mapped + own + SPACE);
        }
        // If the system does not support this, the limits alone apply.
        let _ = confinement::only_compute();
    }
}

/// Sets a limit. A limit that the system does not know, or that is already lower, does not prevent running.
fn set(resource: Resource, limit: u64) {
    let _ = resource.set(limit, limit);
}

fn read_status(mut status: &File) -> Option<String> {
    let mut status_text = String::new();
    status.seek(SeekFrom::Start(0)).ok()?;
    status.read_to_string(&mut status_text).ok()?;
    Some(status_text)
}

/// The value of one line, in bytes.
fn value(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib << 10)
}
