//! Messages from runs, their actors and the application to the supervisor.

use std::sync::Arc;

use actix::Message;

use super::live::LiveRun;

/// All messages as one type, so that senders need not know the supervisor's type.
#[derive(Message)]
#[rtype(result = "()")]
pub(super) enum SupervisorCommand {
    /// A run exceeded its restart limit and has to be failed.
    GiveUp { live: Arc<LiveRun>, epoch: u32 },
    /// The actor of a run stopped before the run's end was written, or after a restart.
    ActorStopped(ActorStopped),
}

/// Describes an actor that has stopped.
#[derive(Clone)]
pub(super) struct ActorStopped {
    /// The run that the actor belonged to.
    pub live: Arc<LiveRun>,
    pub epoch: u32,
    /// Whether nothing is left to do for the run here: its end has been written, it was unloaded, or a later epoch owns
    /// it.
    pub ended: bool,
}
