//! Why a run is not started.

use domain::{Code, Fault, Refusal};
use storage::authority::Feature;
use uuid::Uuid;

use crate::over_budget::OverBudget;

/// Why a run is not started; nothing has changed then.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Something it names does not exist for this user.
    #[error("no such {0}")]
    NotFound(&'static str),
    /// The conversation's assistant does not exist for this user any more, and the request names no other.
    #[error("the conversation's assistant is gone")]
    AssistantGone,
    /// One is live in the conversation.
    #[error("a completion is live in this conversation")]
    StreamActive { stream_id: Uuid },
    /// The idempotency key was used for another request.
    #[error("this idempotency key was used for another request")]
    IdempotencyMismatch,
    /// A field is at fault.
    #[error("{msg}")]
    Invalid {
        /// The field.
        loc: &'static str,
        /// What is wrong with it.
        msg: String,
    },
    /// The assistant has been disabled, for the reason that was given.
    #[error("the assistant is disabled{}", .0.as_ref().map(|why| format!(": {why}")).unwrap_or_default())]
    AssistantDisabled(Option<String>),
    /// Something it needs is switched off for this user.
    #[error("{} is switched off", .0.key())]
    FeatureDisabled(Feature),
    /// The model does not exist for this user.
    #[error("there is no model {model:?}")]
    UnknownModel {
        /// The name that was given.
        model: String,
        /// What to add when this build lacks the feature that the model is part of.
        omission: &'static str,
    },
    /// Nothing more may be spent on models.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// There is no such tool.
    #[error("there is no tool {tool:?}")]
    UnknownTool {
        /// The name that was given.
        tool: String,
        /// Names of the built-in tools.
        builtin: Vec<&'static str>,
    },
    /// The assistant goes by no graph.
    #[error("the assistant is no workflow, or has no graph yet")]
    NotAWorkflow,
    /// The assistant's graph does not hold.
    #[error("the workflow of the assistant is invalid")]
    GraphInvalid(Vec<GraphFault>),
    /// What the run is to be started with does not fit the graph; faults are located from the inputs
    /// inwards.
    #[error("the inputs do not fit the workflow")]
    Inputs(Vec<GraphFault>),
    /// The user has as many runs waiting as they may.
    #[error("too many runs are waiting")]
    TooMany,
    /// The supervisor's mailbox is full.
    #[error("the server is busy")]
    Busy,
    /// The process is about to stop.
    #[error("the server is shutting down")]
    ShuttingDown,
    /// The stream that the idempotency key names has expired.
    #[error("the stream has expired")]
    Expired,
    /// Storage failed.
    #[error(transparent)]
    Storage(#[from] storage::Error),
}

/// Something wrong with a graph, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphFault {
    /// Where, from the graph inwards: `["nodes", "<id>", "in", "prompt"]`, `["edges", "3", "to"]`.
    pub loc: Vec<String>,
    /// What is wrong, for people.
    pub msg: String,
    /// What is wrong, for machines.
    pub kind: &'static str,
}

/// What can be done in a conversation whose assistant is no more.
const ASSISTANT_GONE: &str = "assistant not found: the conversation's is in the bin, or not shared with you any more; \
                              name another as `assistant_id`, or take it from the conversation with PATCH and \
                              `\"assistant_id\": null`";

/// A 422 of faults in a graph or in what is given to a run; `from` leads from the top of `place` to
/// where they are located from.
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
