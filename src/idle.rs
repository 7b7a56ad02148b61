//! Unmaps the program's code while the server is idle; see docs/decisions/unused-code-is-unmapped.md.

#[cfg(target_os = "linux")]
mod linux {
    use std::ops::Range;
    use std::thread;
    use std::time::Duration;

    use rustix::time::{ClockId, clock_gettime};

    /// The interval at which the processor time of the process is checked.
    const CHECK_INTERVAL: Duration = Duration::from_secs(2);
    /// A server that uses less than one part in this number of a core between two checks is idle.
    const IDLE_SHARE: u32 = 100;
    /// Code is unmapped only if more than this number of bytes is resident; an idle server settles somewhat below it.
    const MIN_RESIDENT: usize = 16 << 20;

    /// Starts the monitoring thread. If the thread cannot be started, the server uses more memory, but works correctly.
    pub fn unmap_code_when_idle() {
        let watch = thread::Builder::new().name("idle".to_owned());
        if let Err(why) = watch.spawn(watch_for_idleness) {
            tracing::debug!(%why, "the program's code stays mapped while the server is idle");
        }
    }

    fn watch_for_idleness() {
        let segments = read_only_segments();
        let mut before = processor_time();
        loop {
            thread::sleep(CHECK_INTERVAL);
            let now = processor_time();
            let is_idle = now.saturating_sub(before) < CHECK_INTERVAL / IDLE_SHARE;
            before = now;
            if is_idle && mapped_of_files() > MIN_RESIDENT {
                segments.iter().for_each(unmap);
            }
        }
    }

    /// The number of resident bytes mapped from files, including the program; 0 if the system does not report it.
    fn mapped_of_files() -> usize {
        let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
        let pages = statm.split(' ').nth(2).and_then(|shared| shared.parse::<usize>().ok());
        pages.unwrap_or_default() * rustix::param::page_size()
    }

    /// The processor time used by this process, in user and kernel mode.
    fn processor_time() -> Duration {
        Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).unwrap_or_default()
    }

    /// Removes the pages of a segment from this process. The file's pages stay in the page cache, and the next access
    /// maps them again.
    fn unmap(segment: &Range<usize>) {
        // Each segment is mapped from the page in which it begins to the page in which it ends.
        let start = segment.start - segment.start % rustix::param::page_size();
        // SAFETY: the pages belong to a segment of the program that is never written to, so they have the content of
        // the file, and are mapped from it again when they are accessed.
        unsafe { libc::madvise(start as *mut libc::c_void, segment.end - start, libc::MADV_DONTNEED) };
    }

    /// The address ranges of the program's segments that are never written to: code, constants and unwinding tables.
    /// Data that becomes read-only only after relocation is part of a writable segment.
    fn read_only_segments() -> Vec<Range<usize>> {
        unsafe extern "C" fn first(
            object: *mut libc::dl_phdr_info,
            _size: libc::size_t,
            segments: *mut libc::c_void,
        ) -> libc::c_int {
            // SAFETY: the caller passes an object that it describes correctly, and our vector.
            let (object, segments) = unsafe { (&*object, &mut *segments.cast::<Vec<Range<usize>>>()) };
            // SAFETY: as above; the program's headers are part of the mapped memory.
            let headers = unsafe { std::slice::from_raw_parts(object.dlpi_phdr, object.dlpi_phnum.into()) };
            let loaded = headers.iter().filter(|header| header.p_type == libc::PT_LOAD);
            let read_only = loaded.filter(|header| header.p_flags & libc::PF_W == 0);
            segments.extend(read_only.map(|header| {
                let start = (object.dlpi_addr + header.p_vaddr) as usize;
                start..start + header.p_memsz as usize
            }));
            // The program is the first object; the libraries after it are not unmapped.
            1
        }

        let mut segments: Vec<Range<usize>> = Vec::new();
        // SAFETY: `first` has the required signature, and is called only before this call returns.
        unsafe { libc::dl_iterate_phdr(Some(first), (&raw mut segments).cast()) };
        segments
    }
}

#[cfg(target_os = "linux")]
pub use linux::unmap_code_when_idle;

/// Does nothing: other systems manage the pages of programs themselves.
#[cfg(not(target_os = "linux"))]
pub fn unmap_code_when_idle() {}
