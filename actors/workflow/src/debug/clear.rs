//! Clears the settings and results of a debug session.

use runs::Runs;
use serde::{Deserialize, Serialize};
use storage::Row;
use storage::records::{DebugSession, Run};
use utoipa::ToSchema;
use uuid::Uuid;

use super::play::{SessionState, scene};
use super::{DebugCaller, DebugError};

/// The part of a debug session to clear.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClearScope {
    /// The run and replaced input values. A live run is stopped, and no run can be restarted.
    Outputs,
    /// The pinned outputs of nodes.
    Pins,
    /// All breakpoints of the session.
    Breakpoints,
    /// Nothing. The current settings are returned unchanged.
    None,
    #[default]
    All,
}

/// The state of a session after clearing.
#[derive(Clone, Debug)]
pub struct Cleared {
    /// The run that was live and was stopped.
    pub stopped: Option<Uuid>,
    /// The remaining settings of the session.
    pub session: DebugSession,
    /// The newest run of the session, unless it was cleared.
    pub run: Option<Row<Run>>,
}

/// Clears parts of a debug session. A live run continues to use the pins and breakpoints that it received last.
pub async fn clear(runs: &Runs, caller: &DebugCaller, scope: ClearScope) -> Result<Cleared, DebugError> {
    let stopped = match scope {
        ClearScope::Outputs | ClearScope::All => stop(runs, caller).await?,
        ClearScope::Pins | ClearScope::Breakpoints | ClearScope::None => None,
    };
    if scope == ClearScope::None {
        let SessionState { session, newest } = scene(runs, caller).await?;
        return Ok(Cleared { stopped, session, run: newest });
    }
    let owner = caller.clone();
    let cleared = runs.store().run(move |tx| {
        let mut session = owner.session(tx)?;
        match scope {
            ClearScope::Pins => session.pins.clear(),
            ClearScope::Breakpoints => session.breakpoints.clear(),
            ClearScope::Outputs => {
                session.conversation_id = None;
                session.overrides.clear();
            }
            ClearScope::All => session = DebugSession::default(),
            ClearScope::None => {}
        }
        match session == DebugSession::default() {
            true => owner.forget(tx)?,
            false => owner.store(tx, session.clone())?,
        }
        let run = owner.newest(tx, &session)?;
        Ok::<_, storage::Error>(Cleared { stopped, session, run })
    });
    Ok(cleared.await?)
}

/// Stops the session's run if it is live.
async fn stop(runs: &Runs, caller: &DebugCaller) -> Result<Option<Uuid>, DebugError> {
    let owner = caller.clone();
    let found = runs.store().read(move |reader| owner.newest(reader, &owner.session(reader)?));
    let found = found.await?;
    let Some(run) = found.filter(|run| !run.state.is_terminal()) else { return Ok(None) };
    match runs.cancel(caller.tenant, run.id, caller.user).await?.terminal {
        Some(_) => Ok(Some(run.id)),
        None => Err(DebugError::Busy),
    }
}
