//! Unmaps the program's code while the server is idle; see docs/decisions/unused-code-is-unmapped.md.

#[cfg(target_os = "linux")]
mod linux {
    use std::ops::Range;
    use std::thread;
    use std::time::Duration;

    use rustix::time::{ClockId, clock_gettime};

    /// How often the processor time of the process is looked at.
    const LOOK: Duration = Duration::from_secs(2);
    /// A server that takes less than this share of one core between two looks is idle.
    const IDLE_SHARE: u32 = 100;
    /// An idle server comes back to somewhat less, in bytes.
    const ENOUGH: usize = 16 << 20;

    /// Starts the thread that looks after it. Without one, the server takes more memory and is none the worse.
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
            thread::sleep(LOOK);
            let now = processor_time();
            let is_idle = now.saturating_sub(before) < LOOK / IDLE_SHARE;
            before = now;
            if is_idle && mapped_of_files() > ENOUGH {
                segments.iter().for_each(unmap);
            }
        }
    }

    /// Bytes of files, the program among them, that are mapped and resident; 0 where the system does not say.
    fn mapped_of_files() -> usize {
        let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
        let pages = statm.split(' ').nth(2).and_then(|shared| shared.parse::<usize>().ok());
        pages.unwrap_or_default() * rustix::param::page_size()
    }

    /// The processor time that this process has taken, in user and kernel mode.
    fn processor_time() -> Duration {
        Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).unwrap_or_default()
    }

    /// Takes the pages of a segment out of this process. Those of the file stay in the page cache; the next access maps them again.
    fn unmap(segment: &Range<usize>) {
        // Each segment is mapped from the page that it begins in to the one that it ends in.
        let start = segment.start - segment.start % rustix::param::page_size();
        // SAFETY: the pages are of a segment of the program that is never written to, so they have the content that the file
        // has, and are mapped from there again when they are accessed.
        unsafe { libc::madvise(start as *mut libc::c_void, segment.end - start, libc::MADV_DONTNEED) };
    }

    /// The address ranges of the program's segments that are never written to: code, constants and the tables for unwinding.
    /// What is read-only only after relocation is part of a writable segment.
    fn read_only_segments() -> Vec<Range<usize>> {
        unsafe extern "C" fn first(
            object: *mut libc::dl_phdr_info,
            _size: libc::size_t,
            segments: *mut libc::c_void,
        ) -> libc::c_int {
            // SAFETY: the caller passes an object that it describes correctly, and our vector.
            let (object, segments) = unsafe { (&*object, &mut *segments.cast::<Vec<Range<usize>>>()) };
            // SAFETY: as above; the program's headers are part of what is mapped.
            let headers = unsafe { std::slice::from_raw_parts(object.dlpi_phdr, object.dlpi_phnum.into()) };
            let loaded = headers.iter().filter(|header| header.p_type == libc::PT_LOAD);
            let read_only = loaded.filter(|header| header.p_flags & libc::PF_W == 0);
            segments.extend(read_only.map(|header| {
                let start = (object.dlpi_addr + header.p_vaddr) as usize;
                start..start + header.p_memsz as usize
            }));
            // The program is the first object; the libraries after it are left as they are.
            1
        }

        let mut segments: Vec<Range<usize>> = Vec::new();
        // SAFETY: `first` has the signature that is asked for, and is called before this returns.
        unsafe { libc::dl_iterate_phdr(Some(first), (&raw mut segments).cast()) };
        segments
    }
}

#[cfg(target_os = "linux")]
pub use linux::unmap_code_when_idle;

/// Other systems are left to do it by themselves.
#[cfg(not(target_os = "linux"))]
pub fn unmap_code_when_idle() {}
