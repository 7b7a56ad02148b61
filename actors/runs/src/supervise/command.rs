//! Commands: what the work of a live run can be asked, through its actor's mailbox.

use std::any::Any;

use tokio::sync::oneshot;

use super::attach_error::AttachError;

/// Something that the work of a run can be asked. It can be asked again where the run was unloaded in the same instant.
pub trait Question: Clone + Send + Sync + 'static {
    type Answer: Send + 'static;
}

/// A question on its way, whatever it is.
pub struct RunCommand(Box<dyn Any + Send>);

/// The way back for the answer to a question.
pub type Reply<A> = oneshot::Sender<A>;

impl RunCommand {
    pub(super) fn seal<Q: Question>(question: Q) -> (Self, oneshot::Receiver<Q::Answer>) {
        let (reply, answer) = oneshot::channel::<Q::Answer>();
        (Self(Box::new((question, reply))), answer)
    }

    /// The question in it with the way back, if it is one of this kind.
    pub fn open<Q: Question>(self) -> Result<(Q, Reply<Q::Answer>), Self> {
        match self.0.downcast::<(Q, Reply<Q::Answer>)>() {
            Ok(opened) => Ok(*opened),
            Err(other) => Err(Self(other)),
        }
    }
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// There is no such run in this tenant.
    #[error("no such run")]
    NotFound,
    #[error("the run has ended")]
    Ended,
    /// Its actor does not answer: it waits for its turn, or is being started afresh.
    #[error("the run does not answer")]
    Busy,
    /// Storage failed.
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
