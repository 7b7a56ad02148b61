//! Commands and queries to the work of a live run, sent through its actor's mailbox.

use std::any::Any;

use tokio::sync::oneshot;

use super::attach_error::AttachError;

/// A command or query to the work of a run. It is sent again if the run was unloaded at the same moment.
pub trait Question: Clone + Send + Sync + 'static {
    type Answer: Send + 'static;
}

/// A [`Question`] of any type on its way to a run.
pub struct RunCommand(Box<dyn Any + Send>);

/// The channel for the answer to a question.
pub type Reply<A> = oneshot::Sender<A>;

impl RunCommand {
    pub(super) fn seal<Q: Question>(question: Q) -> (Self, oneshot::Receiver<Q::Answer>) {
        let (reply, answer) = oneshot::channel::<Q::Answer>();
        (Self(Box::new((question, reply))), answer)
    }

    /// Returns the question and its reply channel if the question is of type `Q`, and the command itself otherwise.
    pub fn open<Q: Question>(self) -> Result<(Q, Reply<Q::Answer>), Self> {
        match self.0.downcast::<(Q, Reply<Q::Answer>)>() {
            Ok(opened) => Ok(*opened),
            Err(other) => Err(Self(other)),
        }
    }
}

/// Why a question was not answered.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// The run does not exist in this tenant.
    #[error("no such run")]
    NotFound,
    #[error("the run has ended")]
    Ended,
    /// The run's actor does not respond: the run is queued or is being restarted.
    #[error("the run does not answer")]
    Busy,
    /// The underlying storage operation failed.
    #[error(transparent)]
    Storage(#[from] storage::Error),
}

impl From<AttachError> for AskError {
    fn from(why: AttachError) -> Self {
        match why {
            AttachError::NotFound => Self::NotFound,
            AttachError::Expired => Self::Ended,
            AttachError::Busy => Self::Busy,
            AttachError::Storage(why) => Self::Storage(why),
        }
    }
}
