//! What a completion does after a crash.

use runs::RunOutcome;
use storage::records::{Recovery, RunState};

use super::transcript::Transcript;
use crate::run_context::RunWork;

/// How an epoch goes on.
pub(super) enum Next {
    /// Nothing had been shown yet: from the beginning.
    Begin,
    /// What had been shown is void.
    StartOver,
    /// From the text so far.
    GoOn,
    /// Not at all.
    End(RunOutcome),
}

/// Output tokens (estimated at four characters each) that a run may have thrown away by starting
/// over before it is kept as it is.
const SPEND_CAP: u64 = 32_000;

/// Decides by the run's policy and its spend cap.
pub(super) fn next(work: &RunWork, transcript: &Transcript) -> Next {
    let interrupted = |reason: &str| Next::End(RunOutcome::Interrupted { reason: reason.into() });
    if work.run.crashes > work.max_recoveries {
        return interrupted("recovery_limit");
    }
    if !transcript.started {
        // A run that was accepted as running may have called its model before its first event was durable.
        let may_have_asked = work.run.epoch > 1 && work.run.state == RunState::Running;
        return match work.run.recovery {
            Recovery::Keep if may_have_asked => interrupted("crashed"),
            _ => Next::Begin,
        };
    }
    match work.run.recovery {
        Recovery::Keep => interrupted("crashed"),
        Recovery::Continue => Next::GoOn,
        // Starting over would call them once more.
        Recovery::Retry if !transcript.sent_calls.is_empty() => interrupted("uncertain_effect"),
        Recovery::Retry if transcript.all_chars / 4 > SPEND_CAP => interrupted("spend_cap"),
        Recovery::Retry => Next::StartOver,
    }
}
