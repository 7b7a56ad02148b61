//! The `play` command: starts a run, or sends new instructions to the live run.

use std::time::Duration;

use assist::completion::OnActive;
use runs::{AskError, Runs, StartError};
use storage::records::{DebugSession, Run, RunState};
use storage::{Row, TenantId};
use uuid::Uuid;

use super::options::{fitting, order};
use super::stored::{inputs_of, latest, pinned};
use super::{DebugCaller, DebugError, Fields, PlayOptions, Played};
use crate::graph::Plan;
use crate::{ConversationTarget, Debug, Fork, Order, ResumeRefused, WorkflowStart};

/// Maximum number of attempts if a run ends or begins at the same time.
const ROUNDS: usize = 3;
/// How long a request to a run that is not working yet is retried, and the pause between two attempts.
const TIMEOUT: Duration = Duration::from_secs(2);
const POLL_INTERVAL: Duration = Duration::from_millis(25);

/// Starts a run, or sends new instructions to the live run.
pub async fn play(runs: &Runs, caller: &DebugCaller, options: PlayOptions) -> Result<Played, DebugError> {
    for _ in 0..ROUNDS {
        let SessionState { session, newest } = scene(runs, caller).await?;
        let played = match newest {
            Some(run) if !run.state.is_terminal() => {
                continue_run(runs, caller, session, run, options.clone()).await
            }
            newest => begin(runs, caller, session, newest, options.clone()).await,
        };
        match played {
            // The run ended, or another run began, after the session was read.
            Err(DebugError::NoRun | DebugError::Start(StartError::StreamActive { .. })) => {}
            result => return result,
        }
    }
    Err(DebugError::Busy)
}

/// A session and its newest run.
pub(super) struct SessionState {
    pub session: DebugSession,
    pub newest: Option<Row<Run>>,
}

pub(super) async fn scene(runs: &Runs, caller: &DebugCaller) -> storage::Result<SessionState> {
    let owner = caller.clone();
    let look = runs.store().read(move |reader| {
        let session = owner.session(reader)?;
        let newest = owner.newest(reader, &session)?;
        Ok::<_, storage::Error>(SessionState { session, newest })
    });
    look.await
}

async fn begin(
    runs: &Runs,
    caller: &DebugCaller,
    session: DebugSession,
    before: Option<Row<Run>>,
    options: PlayOptions,
) -> Result<Played, DebugError> {
    let plan = latest(runs, caller)?;
    refuse(options.check(&plan))?;
    let inputs = match (&options.inputs, &before) {
        (Some(own_inputs), _) => own_inputs.clone(),
        (None, Some(before)) => inputs_of(runs, caller.tenant, before).await?,
        (None, None) => Fields::default(),
    };
    plan.take_inputs(&inputs).map_err(StartError::Inputs)?;
    let session = fitting(&merged(session, &options), &plan);
    let order = order(session.clone(), options.mode, options.until);
    start(runs, caller, session, inputs, order, None).await
}

/// Starts a run in the session's conversation, and stores the session.
pub(super) async fn start(
    runs: &Runs,
    caller: &DebugCaller,
    session: DebugSession,
    inputs: Fields,
    order: Order,
    fork: Option<Fork>,
) -> Result<Played, DebugError> {
    let conversation_id = caller.conversation(runs.store()).await?;
    let start = WorkflowStart {
        tenant: caller.tenant,
        user: caller.user,
        token_id: caller.token_id,
        assistant_id: caller.assistant.id,
        place: ConversationTarget::Existing(conversation_id),
        inputs,
        idempotency_key: None,
        request_sha256: String::new(),
        on_active: OnActive::Refuse,
        context: Some("debug".to_owned()),
        debug: Some(Debug { order, fork }),
        parent: None,
    };
    let started = crate::start(runs, start).await?;
    let session = DebugSession { conversation_id: Some(conversation_id), ..session };
    store_session(runs, caller, session.clone()).await?;
    Ok(Played {
        conversation_id,
        run_id: started.run.id,
        message_id: Some(started.message_id),
        state: started.run.state,
        started: true,
        last_seq: 0,
        session,
    })
}

async fn continue_run(
    runs: &Runs,
    caller: &DebugCaller,
    session: DebugSession,
    run: Row<Run>,
    options: PlayOptions,
) -> Result<Played, DebugError> {
    let plan = pinned(runs, caller.tenant, &run).await?;
    refuse(options.check(&plan))?;
    let before = inputs_of(runs, caller.tenant, &run).await?;
    if options.inputs.as_ref().is_some_and(|inputs| other_inputs(&plan, inputs, &before)) {
        return Err(DebugError::OtherInputs(run.id));
    }
    let session = merged(session, &options);
    let order = order(fitting(&session, &plan), options.mode, options.until);
    let (tenant, id) = (caller.tenant, run.id);
    let last_seq = runs.store().read(move |reader| reader.journal_end(tenant, id)).await?;
    let state = send_order(runs, tenant, id, order).await?;
    store_session(runs, caller, session.clone()).await?;
    Ok(Played {
        conversation_id: run.conversation_id.unwrap_or_default(),
        run_id: run.id,
        message_id: run.message_id,
        state,
        started: false,
        last_seq,
        session,
    })
}

/// Sends new instructions to a run. Retries for a limited time, because a run that was just accepted may not be working yet.
async fn send_order(runs: &Runs, tenant: TenantId, run: Uuid, order: Order) -> Result<RunState, DebugError> {
    let patience = tokio::time::Instant::now() + TIMEOUT;
    loop {
        match runs.ask(tenant, run, order.clone()).await {
            Err(AskError::Busy) if tokio::time::Instant::now() < patience => {
                tokio::time::sleep(POLL_INTERVAL).await;
            }
            answer => return answer?.map_err(refused),
        }
    }
}

fn refused(why: ResumeRefused) -> DebugError {
    match why {
        ResumeRefused::Invalid(faults) => DebugError::Invalid(faults),
        // The run is about to end. On the next attempt it has ended.
        _ => DebugError::NoRun,
    }
}

async fn store_session(runs: &Runs, caller: &DebugCaller, session: DebugSession) -> storage::Result<()> {
    let owner = caller.clone();
    runs.store().run(move |tx| owner.store(tx, session.clone())).await
}

/// Returns the session with the options applied.
pub(super) fn merged(mut session: DebugSession, options: &PlayOptions) -> DebugSession {
    options.clone().into_session(&mut session);
    session
}

/// Whether these inputs differ from the inputs that a run was started with.
pub(super) fn other_inputs(plan: &Plan, run_inputs: &Fields, before: &Fields) -> bool {
    let taken = |inputs: &Fields| plan.take_inputs(inputs).ok();
    taken(run_inputs).is_none_or(|run_inputs| Some(run_inputs) != taken(before))
}

pub(super) fn refuse(faults: Vec<runs::GraphFault>) -> Result<(), DebugError> {
    if faults.is_empty() { Ok(()) } else { Err(DebugError::Invalid(faults)) }
}
