//! The variants of the prototype.

use load::Outcome;

/// The number of threads, as of the bare proxy and the server: one for each core of the reference machine.
pub const WORKERS: usize = 2;

/// Which tasks a chunk passes, and when it is written to the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// One task reads the provider, writes the log and passes the chunk on, before it reads anything else.
    AtOnce,
    /// One task reads the provider and passes chunks on. A second task writes the log for all runs that are ready.
    OneTask,
    /// As `OneTask`, but another task of the same thread reads the provider.
    TwoTasks,
    /// As `TwoTasks`, but on another thread.
    TwoThreads,
}

impl Variant {
    pub fn parse(name: &str) -> Outcome<Variant> {
        Ok(match name {
            "at-once" => Variant::AtOnce,
            "one-task" => Variant::OneTask,
            "two-tasks" => Variant::TwoTasks,
            "two-threads" => Variant::TwoThreads,
            _ => return Err(format!("no variant is called {name}").into()),
        })
    }
}
