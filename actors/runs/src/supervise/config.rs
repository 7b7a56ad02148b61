//! Settings of everything that runs.

use std::time::Duration;

use super::admission::RunLimits;
use super::turns::RecoveryLimits;
use crate::journal::JournalLimits;

/// Settings of everything that runs.
#[derive(Clone, Copy, Debug)]
pub struct ActorsConfig {
    /// Limits on live runs.
    pub limits: RunLimits,
    /// How many runs are recovered at once.
    pub recovery: RecoveryLimits,
    /// How long a run has to wait for something outside until it is unloaded.
    pub unload_after: Duration,
    /// Limits of a journal in memory.
    pub journal: JournalLimits,
    /// Bytes that the durable events in memory of all live runs may take together.
    pub journal_memory: usize,
    /// How long the journal of an ended run can be attached to; a tenant may set its own.
    pub stream_ttl: Duration,
    /// The same of an answer that stands in no conversation.
    pub chat_ttl: Duration,
    /// How long an answer that stands in no conversation goes on without readers; none for to its end.
    pub abandoned_after: Option<Duration>,
    /// How long the work of a cancelled run may take to end by itself.
    pub cancel_grace: Duration,
    /// How often runs without an actor and expired records are looked for.
    pub sweep_every: Duration,
    /// A run that was accepted less than this ago is still its starter's to launch, not the
    /// sweep's.
    pub fresh: Duration,
    /// How long a caller waits for a mailbox before it is told that the server is busy.
    pub mailbox_patience: Duration,
    /// Messages that may wait for one run's actor.
    pub mailbox: usize,
    /// Threads that the actors live on.
    pub arbiters: usize,
    /// Threads that the runs' work is done on.
    pub work_threads: usize,
    /// Model calls that one completion may make, as tools are called in between.
    pub max_turns: u32,
    /// Times that one completion may be taken up again after a crash.
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
