//! What runs, their actors and the application tell the supervisor.

use std::sync::Arc;

use actix::Message;

use super::live::LiveRun;

/// One message for all of it, so that those who send it need not know the supervisor's type.
#[derive(Message)]
#[rtype(result = "()")]
pub(super) enum SupervisorCommand {
    /// A run was started too often and is to be failed.
    GiveUp { live: Arc<LiveRun>, epoch: u32 },
    /// The actor of a run is gone before the run's end was written, or after a restart.
    ActorStopped(ActorStopped),
}

/// The end of an actor.
#[derive(Clone)]
pub(super) struct ActorStopped {
    /// The run whose actor it was.
    pub live: Arc<LiveRun>,
    pub epoch: u32,
    /// Whether nothing of the run is left to do here: its end has been written, it was unloaded, or a later epoch has
    /// it in hand.
    pub ended: bool,
}
