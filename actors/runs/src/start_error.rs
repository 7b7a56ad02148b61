//! Why a run is not started.

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
    StreamActive {
        /// Its stream.
        stream_id: Uuid,
    },
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
    /// There is no such model for this user.
    #[error("there is no model {0:?}")]
    UnknownModel(String),
    /// Nothing more may be spent on models.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// There is no such tool.
    #[error("there is no tool {0:?}")]
    UnknownTool(String),
    /// The assistant goes by no graph.
    #[error("the assistant is no workflow, or has no graph yet")]
    NotAWorkflow,
    /// The assistant's graph does not hold.
    #[error("the workflow of the assistant does not hold")]
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
