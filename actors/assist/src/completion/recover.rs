//! Decides what a completion does after a crash.

use runs::RunOutcome;
use storage::records::{Recovery, RunState};

use super::transcript::Transcript;
use crate::run_context::RunWork;

/// How an epoch continues.
pub(super) enum Next {
    /// Nothing had been shown: begin the answer.
    Begin,
    /// Discard what had been shown, and begin again.
    StartOver,
    /// Continue after the text so far.
    GoOn,
    /// End the run without another attempt.
    End(RunOutcome),
}

/// Maximum number of output tokens (estimated at four characters each) that a run may discard by starting over. Beyond
/// it, the answer is retained as it is.
const SPEND_CAP: u64 = 32_000;

/// Decides by the run's recovery policy and the spend cap.
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
        // Starting over would repeat these calls.
        Recovery::Retry if !transcript.sent_calls.is_empty() => interrupted("uncertain_effect"),
        Recovery::Retry if transcript.all_chars / 4 > SPEND_CAP => interrupted("spend_cap"),
        Recovery::Retry => Next::StartOver,
    }
}
