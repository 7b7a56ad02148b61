//! Debugging: a user executes a workflow step by step, stops it at selected nodes, changes inputs and outputs, and runs a part of
//! it again. A session belongs to one user and one assistant. Runs outside of the session are never affected.

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
    /// The conversation of the run.
    pub conversation_id: Uuid,
    pub run_id: Uuid,
    /// The message that receives the run's output.
    pub message_id: Option<Uuid>,
    pub state: RunState,
    /// Whether the run was just started. False if a live run received new instructions.
    pub started: bool,
    /// Sequence number of the run's last event before the command.
    pub last_seq: u64,
    /// The settings of the session after the command.
    pub session: DebugSession,
}

/// Why a debug command was refused.
#[derive(Debug, thiserror::Error)]
pub enum DebugError {
    /// The session has no run.
    #[error("there is no run")]
    NoRun,
    /// A live run was started with different inputs.
    #[error("a run with other inputs is live")]
    OtherInputs(Uuid),
    /// The options do not match the graph. The faults are located relative to the request.
    #[error("it does not fit the graph")]
    Invalid(Vec<GraphFault>),
    /// Effects that cannot be undone would be repeated, and the client has not confirmed this.
    #[error("what cannot be undone would happen again")]
    Unconfirmed(Box<Forecast>),
    /// The live run does not respond or does not stop in time.
    #[error("the run does not answer")]
    Busy,
    /// A run could not be started.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The store failed.
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

/// Values by name.
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

/// Builds the 409 response: a description of the repeated effects, and the forecast.
fn unconfirmed(forecast: &Forecast) -> Refusal {
    let effects: Vec<_> = forecast.irreversible.iter().map(|again| again.what.as_str()).collect();
    Refusal::new(Code::ConfirmEffects)
        .detail(format!("it {}", effects.join("; it ")))
        .extra("effects", json!(forecast.irreversible))
        .extra("forecast", json!(forecast))
}
