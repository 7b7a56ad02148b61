//! The memory allocator of the program; see docs/decisions/jemalloc.md.

#[cfg(all(feature = "jemalloc", target_os = "linux", target_env = "gnu"))]
mod jemalloc {
    use tikv_jemallocator::Jemalloc;

    #[global_allocator]
    static ALLOCATOR: Jemalloc = Jemalloc;

    /// Settings that jemalloc reads before the program begins. It makes four arenas for each core by default, and keeps pages that
    /// are not used for ten seconds, and for ten more in a form that the system may take back. The thread in the background
    /// returns them when the server is idle, too: otherwise that is done on the occasion of other allocations.
    ///
    /// It reads a pointer to a C string, which is what a reference to a slice begins with.
    #[unsafe(export_name = "_rjem_malloc_conf")]
    static SETTINGS: &[u8] =
        b"narenas:4,background_thread:true,max_background_threads:1,dirty_decay_ms:1000,muzzy_decay_ms:0\0";

    /// The settings do that already.
    pub fn limit_caching() {}
}

#[cfg(all(not(feature = "jemalloc"), target_os = "linux", target_env = "gnu"))]
mod glibc {
    /// From this size on, memory comes from the system and returns to it when it is freed.
    const LARGE: libc::c_int = 128 << 10;

    /// Has the C library give memory back. By default it raises the size from which memory is mapped to the size of
    /// whatever is freed, up to 32 MiB, and gives every thread a heap of its own, up to eight a core, few of which ever
    /// shrink. After 26 reads of a conversation of 64 MiB a debug build stood at 653 MiB; with these limits it stands at 247.
    pub fn limit_caching() {
        let cores = std::thread::available_parallelism().map_or(2, |cores| cores.get().max(2));
        // SAFETY: there is no other thread yet, and the calls change parameters of the allocator.
        unsafe {
            libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
            libc::mallopt(libc::M_ARENA_MAX, cores as libc::c_int);
        }
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
mod system {
    /// The allocators of other systems are left as they are.
    pub fn limit_caching() {}
}

#[cfg(all(not(feature = "jemalloc"), target_os = "linux", target_env = "gnu"))]
pub use glibc::limit_caching;
#[cfg(all(feature = "jemalloc", target_os = "linux", target_env = "gnu"))]
pub use jemalloc::limit_caching;
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub use system::limit_caching;
