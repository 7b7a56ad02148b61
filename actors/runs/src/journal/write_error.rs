//! Errors of writes to a journal.

/// The journal accepts no more events from this epoch: a later epoch has begun, or the run has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a later epoch writes this run's journal, or the run has ended")]
pub struct WriteError;

/// Why records and events were not committed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    /// Another transaction changed records that this one read. Prepare the commit again.
    #[error("the records were changed by another transaction")]
    Conflict,
    /// The journal has new events, so the expected sequence numbers are wrong. Prepare the commit again.
    #[error("the journal has new events")]
    Moved,
    /// See [`WriteError`].
    #[error("a later epoch writes this run's journal, or the run has ended")]
    Closed,
}
