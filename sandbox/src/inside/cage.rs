//! What the system itself keeps the child from. The engine has no way to a file or a socket; these limits are
//! there for the day when it has a hole.

use crate::wire::Order;
use rlimit::Resource;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

/// Address space beside what the script may use: the engine, the thread's heap, what the report needs.
const SPACE: u64 = 384 << 20;

/// The child's cage, half shut.
pub struct Cage {
    /// Where Linux tells of this process. Held open, as nothing can be opened later.
    status: Option<File>,
    /// Address space that the program takes by itself.
    mapped: Option<u64>,
    /// Memory that it takes by itself.
    resident: Option<u64>,
}

impl Cage {
    /// No files, no core dump: before anything is read.
    pub fn shut() -> Self {
        let _ = confinement::hide_memory();
        let status = File::open("/proc/self/status").ok();
        let status_text = status.as_ref().and_then(read_status);
        let mapped = status_text.as_ref().and_then(|status_text| value(status_text, "VmSize:"));
        let resident = status_text.as_ref().and_then(|status_text| value(status_text, "VmRSS:"));
        set(Resource::CORE, 0);
        set(Resource::FSIZE, 0);
        // Those that are open stay so.
        set(Resource::NOFILE, 0);
        Self { status, mapped, resident }
    }

    /// How much more memory the process had at some time than it began with, where the system tells.
    pub fn most_used(&self) -> Option<u64> {
        let most = value(&read_status(self.status.as_ref()?)?, "VmHWM:")?;
        Some(most.saturating_sub(self.resident?))
    }

    /// Memory, CPU time, no further threads or processes, no system calls but those that computing takes: from within the last thread there will be.
    pub fn lock(&self, order: &Order, held: usize) {
        set(Resource::NPROC, 0);
        // The parent's own clock is sharper. This one is for a child that has lost its parent.
        set(Resource::CPU, order.time_ms.div_ceil(1000) + 5);
        if let Some(mapped) = self.mapped {
            let own = order.memory_bytes + order.stack_bytes + 4 * held as u64;
            set(Resource::AS, mapped + own + SPACE);
        }
        // Where the system has no such means, the limits are all there is.
        let _ = confinement::only_compute();
    }
}

/// A limit that a system does not know, or that is lower already, is no reason not to run.
fn set(resource: Resource, limit: u64) {
    let _ = resource.set(limit, limit);
}

fn read_status(mut status: &File) -> Option<String> {
    let mut status_text = String::new();
    status.seek(SeekFrom::Start(0)).ok()?;
    status.read_to_string(&mut status_text).ok()?;
    Some(status_text)
}

/// One of the lines, in bytes.
fn value(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib << 10)
}
