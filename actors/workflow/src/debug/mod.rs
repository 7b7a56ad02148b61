//! Debugging: a user plays a workflow step by step, stops it at chosen nodes, changes what flows
//! through it, and runs a part of it again. A session belongs to one user and one assistant; runs
//! without a session are never touched.

mod clear;
mod forecast;

mod options;
mod play;
mod restart;
mod session;
mod source;
mod stale;
mod stored;

#[cfg(test)]
mod tests;

use domain::{Code, Refusal};
use runs::{AskError, AttachError, GraphFault, StartError, located};
use serde_json::json;
use serde_json::{Map, Value};
use storage::records::{DebugSession, RunState};
use uuid::Uuid;

pub use clear::{ClearScope, Cleared, clear};
pub use forecast::{Forecast, Repeated};
pub use options::{PlayOptions, WhichGraph};
pub use play::play;
pub use restart::{RestartPoint, Restarted, restart};
pub use session::{DebugCaller, newest_run};
pub use stale::Frontier;

/// The result of a `play` command.
#[derive(Clone, Debug)]
pub struct Played {
    /// Where the run lives.
    pub conversation_id: Uuid,
    pub run_id: Uuid,
    /// The message that it writes.
    pub message_id: Option<Uuid>,
    pub state: RunState,
    /// Whether it was started just now, rather than given new orders.
    pub started: bool,
    /// Sequence number of its last event before that.
    pub last_seq: u64,
    /// What is set up from now on.
    pub session: DebugSession,
}

/// Why a debug command is refused.
#[derive(Debug, thiserror::Error)]
pub enum DebugError {
    /// There is no run to go by.
    #[error("there is no run")]
    NoRun,
    /// A run is live that was started with other inputs.
    #[error("a run with other inputs is live")]
    OtherInputs(Uuid),
    /// What was asked for does not fit the graph; located in what was asked.
    #[error("it does not fit the graph")]
    Invalid(Vec<GraphFault>),
    /// What cannot be undone would happen again.
    #[error("what cannot be undone would happen again")]
    Unconfirmed(Box<Forecast>),
    /// The live run does not answer, or does not stop, in time.
    #[error("the run does not answer")]
    Busy,
    /// A run could not be started.
    #[error(transparent)]
    Start(#[from] StartError),
    /// Storage failed.
    #[error(transparent)]
    Storage(#[from] storage::Error),
}

impl From<AttachError> for DebugError {
    fn from(why: AttachError) -> Self {
        match why {
            AttachError::NotFound => Self::NoRun,
            AttachError::Expired => StartError::Expired.into(),
            AttachError::Busy => Self::Busy,
            AttachError::Storage(why) => Self::Storage(why),
        }
    }
}

impl From<AskError> for DebugError {
    fn from(why: AskError) -> Self {
        match why {
            AskError::NotFound | AskError::Ended => Self::NoRun,
            AskError::Busy => Self::Busy,
            AskError::Storage(why) => Self::Storage(why),
        }
    }
}

/// Names with values.
type Fields = Map<String, Value>;

impl From<DebugError> for Refusal {
    fn from(why: DebugError) -> Self {
        match why {
            DebugError::NoRun => Code::NoRun.into(),
            DebugError::OtherInputs(stream) => Self::new(Code::StreamActive)
                .detail("a run with other inputs is live; clear its outputs, or restart it")
                .extra("stream_id", stream.to_string()),
            DebugError::Invalid(faults) => located("body", &[], faults),
            DebugError::Unconfirmed(forecast) => unconfirmed(&forecast),
            DebugError::Busy => Self::new(Code::Overloaded).detail("the run does not answer").retry_after(1),
            DebugError::Start(why) => why.into(),
            DebugError::Storage(why) => why.into(),
        }
    }
}

/// 409: what would happen again, in words, and the forecast.
fn unconfirmed(forecast: &Forecast) -> Refusal {
    let effects: Vec<_> = forecast.irreversible.iter().map(|again| again.what.as_str()).collect();
    Refusal::new(Code::ConfirmEffects)
        .detail(format!("it {}", effects.join("; it ")))
        .extra("effects", json!(forecast.irreversible))
        .extra("forecast", json!(forecast))
}
