//! What runs, their actors and the application tell the supervisor.

use std::sync::Arc;

use actix::Message;
use storage::Row;
use storage::records::Run;
use uuid::Uuid;

use super::live::LiveRun;

/// One message for all of it, so that those who send it need not know the supervisor's type.
#[derive(Message)]
#[rtype(result = "()")]
pub(super) enum SupervisorCommand {
    /// A run is to be started as soon as its turn comes.
    Launch {
        live: Arc<LiveRun>,
        /// Its record.
        row: Box<Row<Run>>,
    },
    /// Looks at the queue again: a queued run was cancelled.
    Promote,
    /// A run waits for something outside, or continues: those that wait take no place.
    Park {
        run: Uuid,
        /// Whether it waits.
        parked: bool,
    },
    /// The actor of a run is gone, however that came.
    ActorStopped(ActorStopped),
}

/// The end of an actor.
#[derive(Clone, Copy, Debug)]
pub(super) struct ActorStopped {
    /// The run whose actor it was.
    pub run: Uuid,
    pub epoch: u32,
    /// Whether the run's end has been written (or a later epoch has it in hand).
    pub ended: bool,
}
