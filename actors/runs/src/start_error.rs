//! The errors of starting a run.

use domain::{Code, Fault, Refusal};
use storage::authority::Feature;
use uuid::Uuid;

use crate::over_budget::OverBudget;

/// Why a run was not started. Nothing has been changed.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// An object that the request names does not exist for this user.
    #[error("no such {0}")]
    NotFound(&'static str),
    /// The conversation's assistant no longer exists for this user, and the request names no other.
    #[error("the conversation's assistant is gone")]
    AssistantGone,
    /// Another completion is live in the conversation.
    #[error("a completion is live in this conversation")]
    StreamActive { stream_id: Uuid },
    /// The idempotency key was used for another request.
    #[error("this idempotency key was used for another request")]
    IdempotencyMismatch,
    /// A field of the request is invalid.
    #[error("{msg}")]
    Invalid {
        /// Name of the field.
        loc: &'static str,
        /// What is wrong with the field.
        msg: String,
    },
    /// The assistant is disabled, with the reason that was given.
    #[error("the assistant is disabled{}", .0.as_ref().map(|why| format!(": {why}")).unwrap_or_default())]
    AssistantDisabled(Option<String>),
    /// A feature that the request needs is switched off for this user.
    #[error("{} is switched off", .0.key())]
    FeatureDisabled(Feature),
    /// The model does not exist for this user.
    #[error("there is no model {model:?}")]
    UnknownModel {
        /// The name in the request.
        model: String,
        /// Text to add to the message if this build lacks the feature that contains the model.
        omission: &'static str,
    },
    /// The budget for models is exhausted.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// The tool does not exist.
    #[error("there is no tool {tool:?}")]
    UnknownTool {
        /// The name in the request.
        tool: String,
        /// Names of the built-in tools.
        builtin: Vec<&'static str>,
    },
    /// The assistant has no workflow graph.
    #[error("the assistant is not a workflow or has no graph yet")]
    NotAWorkflow,
    /// The assistant's workflow graph is invalid.
    #[error("the workflow of the assistant is invalid")]
    GraphInvalid(Vec<GraphFault>),
    /// The inputs of the run do not fit the graph. Faults are located relative to the inputs.
    #[error("the inputs do not fit the workflow")]
    Inputs(Vec<GraphFault>),
    /// The user has reached the limit of waiting runs.
    #[error("too many runs are waiting")]
    TooMany,
    /// The supervisor's mailbox is full.
    #[error("the server is busy")]
    Busy,
    /// The process is about to stop.
    #[error("the server is shutting down")]
    ShuttingDown,
    /// The stream of the idempotency key has expired.
    #[error("the stream has expired")]
    Expired,
    /// The underlying storage operation failed.
    #[error(transparent)]
    Storage(#[from] storage::Error),
}

/// A fault in a graph or in values for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphFault {
    /// Location, from the outside inwards: `["nodes", "<id>", "in", "prompt"]`, `["edges", "3", "to"]`.
    pub loc: Vec<String>,
    /// Description of the fault for people.
    pub msg: String,
    /// Machine-readable kind of the fault.
    pub kind: &'static str,
}

/// What a user can do in a conversation whose assistant no longer exists.
const ASSISTANT_GONE: &str = "assistant not found: the conversation's is in the bin, or not shared with you any more; \
                              name another as `assistant_id`, or take it from the conversation with PATCH and \
                              `\"assistant_id\": null`";

/// A 422 response for faults in a graph or in the inputs of a run. `from` is the path from the top of `place` to the
/// point that the fault locations are relative to.
pub fn located(place: &'static str, from: &[&str], faults: Vec<GraphFault>) -> Refusal {
    let fault = |fault: GraphFault| {
        let loc = from.iter().copied().chain(fault.loc.iter().map(String::as_str));
        Fault::new(place, loc, fault.msg, fault.kind)
    };
    Refusal::faulty(faults.into_iter().map(fault).collect())
}

impl From<StartError> for Refusal {
    fn from(why: StartError) -> Self {
        match why {
            StartError::NotFound(what) => Self::not_found(what),
            StartError::AssistantGone => Self::new(Code::NotFound).detail(ASSISTANT_GONE),
            StartError::StreamActive { stream_id } => Self::stream_active(stream_id),
            StartError::IdempotencyMismatch => Code::IdempotencyMismatch.into(),
            StartError::Invalid { loc, msg } => Self::invalid("body", [loc], msg, "invalid"),
            StartError::AssistantDisabled(reason) => Self::assistant_disabled(reason.as_deref()),
            StartError::UnknownModel { model, omission } => Self::new(Code::ModelNotFound).detail(format!(
                "there is no model {model:?}; GET /api/chat/models lists the available models{omission}"
            )),
            StartError::FeatureDisabled(feature) => {
                Refusal::new(Code::FeatureDisabled).detail(format!("{} is switched off", feature.key()))
            }
            StartError::OverBudget(over) => over.into(),
            StartError::UnknownTool { tool, builtin } => {
                let why = format!(
                    "there is no tool {tool:?}; there are {}, and `server/tool` of the assistant's tool servers",
                    builtin.join(", ")
                );
                Self::invalid("body", ["tools"], why, "not_found")
            }
            StartError::NotAWorkflow => Code::NotAWorkflow.into(),
            StartError::GraphInvalid(faults) => located("workflow", &[], faults),
            StartError::Inputs(faults) => located("body", &["inputs"], faults),
            StartError::TooMany => {
                Self::new(Code::RateLimited).detail("too many of your runs are waiting").retry_after(5)
            }
            StartError::Busy => Self::new(Code::Overloaded).retry_after(1),
            StartError::ShuttingDown => Self::new(Code::ShuttingDown).retry_after(5),
            StartError::Expired => Code::StreamExpired.into(),
            StartError::Storage(why) => why.into(),
        }
    }
}
