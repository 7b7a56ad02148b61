//! The memory allocator of the program; see docs/decisions/jemalloc.md.

#[cfg(all(feature = "jemalloc", target_os = "linux", target_env = "gnu"))]
mod jemalloc {
    use tikv_jemallocator::Jemalloc;

    #[global_allocator]
    static ALLOCATOR: Jemalloc = Jemalloc;

    /// Settings that jemalloc reads before the program begins. By default it creates four arenas per core, and keeps
    /// unused pages for ten seconds, and for ten more in a form that the system may reclaim. The background thread
    /// returns pages even while the server is idle; otherwise this happens only in the course of other allocations.
    ///
    /// jemalloc reads a pointer to a C string. A reference to a slice begins with such a pointer.
    #[unsafe(export_name = "_rjem_malloc_conf")]
    static SETTINGS: &[u8] =
        b"narenas:4,background_thread:true,max_background_threads:1,dirty_decay_ms:1000,muzzy_decay_ms:0\0";

    /// Does nothing: the settings above already limit caching.
    pub fn limit_caching() {}
}

#[cfg(all(not(feature = "jemalloc"), target_os = "linux", target_env = "gnu"))]
mod glibc {
    /// The size in bytes from which memory is mapped from the system and returned to it when freed.
    const LARGE: libc::c_int = 128 << 10;

    /// Makes the C library return memory. By default it raises the size from which memory is mapped to the size of any
    /// freed block, up to 32 MiB, and gives every thread a heap of its own, up to eight per core, few of which ever
    /// shrink. After 26 reads of a conversation of 64 MiB, a debug build used 653 MiB; with these limits it uses 247
    /// MiB.
    pub fn limit_caching() {
        let cores = std::thread::available_parallelism().map_or(2, |cores| cores.get().max(2));
        // SAFETY: there is no other thread yet, and the calls only change parameters of the allocator.
        unsafe {
            libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
            libc::mallopt(libc::M_ARENA_MAX, cores as libc::c_int);
        }
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
mod system {
    /// Does nothing: the allocators of other systems keep their defaults.
    pub fn limit_caching() {}
}

#[cfg(all(not(feature = "jemalloc"), target_os = "linux", target_env = "gnu"))]
pub use glibc::limit_caching;
#[cfg(all(feature = "jemalloc", target_os = "linux", target_env = "gnu"))]
pub use jemalloc::limit_caching;
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub use system::limit_caching;
