//! Attempts of nodes. Each attempt is a separate task, so that a failure affects only that attempt.

mod attempt;
mod backoff;
mod child;
mod span;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use assist::RunContext;
use runs::{NodeRef, Work, WriteError};
use tokio::task::{AbortHandle, Id, JoinError, JoinSet};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

pub use self::attempt::Attempted;
use self::attempt::{Attempt, EventWriter, QUEUE};
pub use self::backoff::{delay, may_retry};
use self::child::{Child, WatchedRun};
use self::span::AttemptSpan;
use super::recorder::Recorder;
use super::state::{Key, State};
use crate::graph::{NodeKind, Plan};
use crate::nodes::{Fields, NodeError, NodeOutput, Task};
use crate::request::StoredRequest;

/// How long cancelling the child runs of nodes may take.
const CHILD_GRACE: Duration = Duration::from_secs(6);

/// The attempts that are currently running.
pub struct Attempts {
    run_context: Arc<RunContext>,
    /// Whether the graph, or the graph of an ancestor run, may send data that it reads to other servers.
    sends: bool,
    /// The number of ancestor runs.
    depth: u32,
    tasks: JoinSet<Attempted>,
    /// The execution of each task.
    executions: HashMap<Id, Key>,
    handles: HashMap<Key, Handle>,
}

/// Controls the task of an execution.
struct Handle {
    abort: AbortHandle,
    cancel: CancellationToken,
    /// Set for a task that only watches a child run. Contains the run once it is known. Such a task does not count toward the
    /// graph's concurrency.
    watched: Option<WatchedRun>,
}

impl Attempts {
    pub fn new(run_context: Arc<RunContext>, request: &StoredRequest, plan: &Plan) -> Self {
        Self {
            run_context,
            sends: request.sends || plan.sends(),
            depth: request.depth,
            tasks: JoinSet::new(),
            executions: HashMap::new(),
            handles: HashMap::new(),
        }
    }

    pub fn run_context(&self) -> &RunContext {
        &self.run_context
    }

    /// Starts an attempt. If `durable` is set, the work begins only after the journal durably records that the attempt has begun.
    pub fn spawn(
        &mut self,
        recorder: &mut Recorder,
        key: Key,
        inputs: Fields,
        durable: bool,
    ) -> Result<(), WriteError> {
        // The task writes events itself. Events recorded earlier must come first.
        recorder.push()?;
        let plan = recorder.state.plan.clone();
        let at = recorder.state.name(key);
        let cancel = CancellationToken::new();
        let watches = matches!(plan.node(key.1).kind, NodeKind::Workflow(_));
        let watched = watches.then(WatchedRun::default);
        let span = AttemptSpan::begin(&plan, key.1, &at);
        let abort = if let NodeKind::Workflow(config) = &plan.node(key.1).kind {
            let (known, failures) =
                recorder.state.exec(key).map_or((None, 0), |exec| (exec.child, exec.failures));
            let work = &recorder.work;
            let child = Child {
                runs: work.runs.clone(),
                known,
                start: child::start_of(work, config, &at, inputs, failures),
                detach: config.detach,
                depth: self.depth,
                writer: work.writer.clone(),
                at,
                cancel: cancel.clone(),
                watched: watched.clone().unwrap_or_default(),
            };
            recorder.state.waits_for_child(key);
            self.tasks.spawn(async move { Attempted::without_usage(span.around(child.run()).await) })
        } else {
            let said = recorder.state.exec(key).map(|exec| exec.said.clone()).unwrap_or_default();
            let (output, messages) = NodeOutput::channel(QUEUE);
            let task = Task {
                said: (!said.is_empty()).then(|| said.clone()),
                ..self.task(&recorder.work, &at, inputs, cancel.clone(), output)
            };
            let events = EventWriter::new(recorder.work.writer.clone(), at, said);
            self.tasks.spawn(Attempt { plan, ix: key.1, task, messages, events, durable, span }.run())
        };
        self.executions.insert(abort.id(), key);
        self.handles.insert(key, Handle { abort, cancel, watched });
        Ok(())
    }

    /// Builds the input of an attempt.
    pub fn task(
        &self,
        work: &Work,
        at: &NodeRef,
        inputs: Fields,
        cancel: CancellationToken,
        output: NodeOutput,
    ) -> Task {
        let run = &work.run;
        Task {
            tenant: work.tenant,
            user: run.user,
            run: run.id,
            sends: self.sends,
            assistant_id: run.assistant_id,
            model: run.model.clone(),
            idempotency_key: format!("{}:{}", run.id, at.exec_id),
            inputs,
            said: None,
            output_sender: output,
            cancel,
            run_context: self.run_context.clone(),
            fence: Some(work.fence()),
        }
    }

    /// Waits for the next task to end. Returns `None` immediately if there are no tasks.
    pub async fn next(&mut self) -> Option<Result<(Id, Attempted), JoinError>> {
        self.tasks.join_next_with_id().await
    }

    /// Returns the execution and the result of a task that has ended. Returns `None` for a task that was stopped, because the end
    /// of its execution is already recorded.
    pub fn take(
        &mut self,
        ended: Result<(Id, Attempted), JoinError>,
        state: &State,
    ) -> Option<(Key, Attempted)> {
        let (id, attempted) = match ended {
            Ok((id, attempted)) => (id, attempted),
            Err(why) => {
                let message =
                    if why.is_panic() { "the node's work panicked" } else { "the node's work was stopped" };
                let exec = self.executions.get(&why.id()).and_then(|key| state.exec(*key));
                let said = exec.map(|exec| exec.said.clone()).unwrap_or_default();
                let error = Err(NodeError::new("panicked", message));
                (why.id(), Attempted { said, ..Attempted::without_usage(error) })
            }
        };
        let key = self.executions.remove(&id)?;
        self.handles.get(&key).filter(|handle| handle.abort.id() == id)?;
        Some((key, attempted))
    }

    /// Number of attempts that work. Attempts that only watch child runs do not count.
    pub fn working(&self) -> usize {
        self.handles.values().filter(|handle| handle.watched.is_none()).count()
    }

    /// Returns the watched child runs. Returns `None` if another task is running, or if a child run is not known yet.
    pub fn watched(&self) -> Option<Vec<Uuid>> {
        // A task without a handle was stopped and is about to end.
        if self.tasks.len() > self.handles.len() {
            return None;
        }
        self.handles.values().map(|handle| handle.watched.as_ref()?.get().copied()).collect()
    }

    /// Whether an execution has a task.
    pub fn has(&self, key: Key) -> bool {
        self.handles.contains_key(&key)
    }

    /// Forgets an execution that has ended. Its task, if it still runs, is allowed to finish.
    pub fn remove(&mut self, key: Key) {
        self.handles.remove(&key);
    }

    /// Cancels the task of an execution, and aborts it if it has not ended by itself after the grace period.
    pub fn stop(&mut self, key: Key, work: &Work) {
        let Some(handle) = self.handles.remove(&key) else { return };
        handle.cancel.cancel();
        let grace = if handle.watched.is_some() { CHILD_GRACE } else { work.cancel_grace() };
        tasks::spawn(async move {
            tokio::time::sleep(grace).await;
            handle.abort.abort();
        });
    }

    /// Cancels all tasks.
    pub fn cancel_all(&self) {
        for handle in self.handles.values() {
            handle.cancel.cancel();
        }
    }

    /// How long cancelled tasks may take to end by themselves. Cancelling child runs takes longer than cancelling other work.
    pub fn grace(&self, work: &Work) -> Duration {
        let watches = self.handles.values().any(|handle| handle.watched.is_some());
        if watches { work.cancel_grace().max(CHILD_GRACE) } else { work.cancel_grace() }
    }

    /// Aborts the remaining tasks.
    pub async fn shutdown(&mut self) {
        self.tasks.shutdown().await;
    }
}
