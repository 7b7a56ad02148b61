//! Settings of runs and their supervision.

use std::time::Duration;

use super::admission::RunLimits;
use super::turns::RecoveryLimits;
use crate::journal::JournalLimits;

/// Settings of runs and their supervision.
#[derive(Clone, Copy, Debug)]
pub struct ActorsConfig {
    /// Limits on live runs.
    pub limits: RunLimits,
    /// How many runs are recovered at once.
    pub recovery: RecoveryLimits,
    /// How long a run has to wait for something external before it is unloaded.
    pub unload_after: Duration,
    /// Limits of a journal in memory.
    pub journal: JournalLimits,
    /// Maximum bytes of durable events in memory, over all live runs.
    pub journal_memory: usize,
    /// How long the journal of an ended run can be read. A tenant may override it.
    pub stream_ttl: Duration,
    /// How long the journal of an ended answer without a conversation can be read.
    pub chat_ttl: Duration,
    /// How long an answer without a conversation continues while it has no readers. `None` lets it run to its end.
    pub abandoned_after: Option<Duration>,
    /// How long the work of a cancelled run may take to end by itself.
    pub cancel_grace: Duration,
    /// Interval between sweeps for runs without an actor and for expired records.
    pub sweep_every: Duration,
    /// For this long after a run was accepted, the code that accepted it launches it, and the sweep leaves it alone.
    pub fresh: Duration,
    /// How long a caller waits for a mailbox before it receives the error that the server is busy.
    pub mailbox_patience: Duration,
    /// Maximum number of messages in the mailbox of one run's actor.
    pub mailbox: usize,
    /// Number of threads for actors.
    pub arbiters: usize,
    /// Number of threads for the runs' work.
    pub work_threads: usize,
    /// Maximum number of model calls in one completion, which calls tools in between.
    pub max_turns: u32,
    /// Maximum number of times that one completion is recovered after a crash.
    pub max_recoveries: u32,
}

impl Default for ActorsConfig {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Self {
            limits: RunLimits::default(),
            recovery: RecoveryLimits::default(),
            unload_after: Duration::from_secs(5),
            journal: JournalLimits::default(),
            journal_memory: 128 * 1024 * 1024,
            stream_ttl: Duration::from_secs(24 * 60 * 60),
            chat_ttl: Duration::from_secs(10 * 60),
            abandoned_after: None,
            cancel_grace: Duration::from_secs(2),
            sweep_every: Duration::from_secs(15),
            fresh: Duration::from_secs(10),
            mailbox_patience: Duration::from_secs(5),
            mailbox: 256,
            arbiters: cores,
            work_threads: cores,
            max_turns: 16,
            max_recoveries: 3,
        }
    }
}
