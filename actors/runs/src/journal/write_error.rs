//! Why something was not written to a journal.

/// The journal takes no more from this epoch: a later one has begun, or the run has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a later epoch writes this run's journal, or the run has ended")]
pub struct WriteError;

/// Why records and events were not committed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    /// Another transaction changed what was read; prepare it again.
    #[error("the records were changed by another transaction")]
    Conflict,
    /// The journal went on, so that the sequence numbers are not those foreseen; prepare it again.
    #[error("the journal has new events")]
    Moved,
    /// See [`WriteError`].
    #[error("a later epoch writes this run's journal, or the run has ended")]
    Closed,
}
