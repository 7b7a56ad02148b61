//! Attempts: a task of its own for each, so that what goes wrong in one goes wrong there only.

use std::sync::Arc;
use std::time::Duration;

use rand::Rng;
use runs::event::flow::{NodeDelta, NodeLog, NodeRetry, NodeStarted, NodeWaiting};
use runs::{EventBody, EventData, NodeRef, TerminalError, WriteError, Writer};
use storage::Timestamp;
use storage::records::Usage;
use tokio::task::{Id, JoinError};
use tokio_util::sync::CancellationToken;

use super::place::Key;
use super::timers::Due;
use super::traced::Traced;
use super::{Engine, Handle, children};
use crate::graph::{NodeIx, NodeKind, Plan, Policy};
use crate::nodes::{self, Fields, NodeError, NodeMessage, NodeOutput, NodeResult, Task};

/// What an attempt may say before somebody has listened.
const IN_LINE: usize = 64;

/// How long an attempt that took too long may take to end by itself.
const GRACE: Duration = Duration::from_millis(500);

/// How long a script may wait until it is run.
const TURN: Duration = Duration::from_secs(60);

/// What came of an attempt.
pub(super) struct Attempted {
    result: Result<NodeResult, NodeError>,
    usage: Usage,
    cost_nanos: u64,
    /// What it said to the run's answer.
    said: String,
}

impl From<NodeError> for TerminalError {
    fn from(why: NodeError) -> Self {
        Self { provider_code: why.provider_code, ..Self::new(why.code, why.message) }
    }
}

impl Engine {
    /// Sets an attempt going. Where `durable`, it waits until the journal holds that it has begun.
    pub(super) fn spawn(&mut self, key: Key, inputs: Fields, durable: bool) -> Result<(), WriteError> {
        // A task writes for itself: what was recorded before comes first.
        self.push_out()?;
        let plan = self.state.plan.clone();
        let at = self.state.name(key);
        let (known, failures) = self.state.exec(key).map_or((None, 0), |exec| (exec.child, exec.failures));
        let cancel = CancellationToken::new();
        let watches = matches!(plan.node(key.1).kind, NodeKind::Workflow(_));
        let said = self.state.exec(key).map(|exec| exec.said.clone()).unwrap_or_default();
        let speaker = Speaker {
            writer: self.work.writer.clone(),
            at: at.clone(),
            part: None,
            usage: Usage::default(),
            cost_nanos: 0,
            said,
        };
        let handle = if let NodeKind::Workflow(config) = &plan.node(key.1).kind {
            let child = children::Child {
                runs: self.work.runs.clone(),
                known,
                start: self.child_start(config, &at, inputs, failures),
                detach: config.detach,
                depth: self.asked.depth,
                writer: self.work.writer.clone(),
                at,
                cancel: cancel.clone(),
            };
            if let Some(exec) = self.state.exec_mut(key) {
                exec.waiting = Some(NodeWaiting { on: "child".into(), ..NodeWaiting::default() });
            }
            let span = Traced::begin(&plan, key.1, &child.at);
            self.tasks.spawn_on(
                async move {
                    let result = span.around(child.run()).await;
                    Attempted { result, usage: Usage::default(), cost_nanos: 0, said: String::new() }
                },
                &tokio::runtime::Handle::current(),
            )
        } else {
            let task = self.task(&at, inputs, cancel.clone(), &speaker);
            let span = Traced::begin(&plan, key.1, &at);
            self.tasks.spawn(attempt(plan, key.1, task, speaker, (durable, span)))
        };
        self.working.insert(handle.id(), key);
        self.handles.insert(key, Handle { abort: handle, cancel, watches });
        if watches {
            // Other attempts see to their time themselves.
            self.arm_timeout(key);
        }
        Ok(())
    }

    fn task(
        &self,
        at: &Arc<NodeRef>,
        inputs: Fields,
        cancel: CancellationToken,
        speaker: &Speaker,
    ) -> Unvoiced {
        let run = &self.work.run;
        Unvoiced {
            tenant: self.work.tenant,
            user: run.user,
            run: run.id,
            sends: self.asked.sends || self.state.plan.sends(),
            assistant_id: run.assistant_id,
            model: run.model.clone(),
            idempotency_key: format!("{}:{}", run.id, at.exec_id),
            inputs,
            said: (!speaker.said.is_empty()).then(|| speaker.said.clone()),
            cancel,
            run_context: self.run_context.clone(),
            fence: Some(self.work.fence()),
        }
    }

    /// A task has come to its end.
    pub(super) async fn on_attempt_finished(
        &mut self,
        done: Result<(Id, Attempted), JoinError>,
    ) -> Result<(), WriteError> {
        let (id, attempted) = match done {
            Ok((id, attempted)) => (id, attempted),
            Err(why) => {
                let message =
                    if why.is_panic() { "the node's work panicked" } else { "the node's work was stopped" };
                let said = self.working.get(&why.id()).and_then(|key| self.state.exec(*key));
                let said = said.map(|exec| exec.said.clone()).unwrap_or_default();
                let result = Err(NodeError::new("panicked", message));
                (why.id(), Attempted { result, usage: Usage::default(), cost_nanos: 0, said })
            }
        };
        let Some(key) = self.working.remove(&id) else { return Ok(()) };
        // One that was stopped may still come back; its end is written already.
        if self.handles.get(&key).is_none_or(|handle| handle.abort.id() != id) {
            return Ok(());
        }
        self.handles.remove(&key);
        self.take_in(key, &attempted);
        self.forgive().await?;
        self.wake().await?;
        match attempted.result {
            Ok(done) => self.complete(key, done, Vec::new()).await,
            Err(why) => self.failed_attempt(key, why),
        }
    }

    /// A task has come to its end while the run was about to: what it did is told, what it did not is
    /// not tried again.
    pub(super) async fn came_late(&mut self, id: Id, attempted: Attempted) -> Result<(), WriteError> {
        let Some(key) = self.working.remove(&id) else { return Ok(()) };
        if self.handles.get(&key).is_none_or(|handle| handle.abort.id() != id) {
            return Ok(());
        }
        self.take_in(key, &attempted);
        match attempted.result {
            Ok(done) => self.complete(key, done, Vec::new()).await,
            Err(_) => Ok(()),
        }
    }

    /// Adds up what an attempt used and said.
    fn take_in(&mut self, key: Key, attempted: &Attempted) {
        let Some(exec) = self.state.exec_mut(key) else { return };
        exec.usage += &attempted.usage;
        exec.cost_nanos = exec.cost_nanos.saturating_add(attempted.cost_nanos);
        let fresh = attempted.said.get(exec.said.len()..).unwrap_or_default().to_owned();
        exec.said.clone_from(&attempted.said);
        exec.waiting = None;
        self.state.answer.push_str(&fresh);
    }

    /// Progress: the crash before this epoch was not this run's doing.
    async fn forgive(&mut self) -> Result<(), WriteError> {
        if self.forgiven || self.work.run.crashes == 0 {
            return Ok(());
        }
        self.forgiven = true;
        self.push_out()?;
        self.work.change(Vec::new(), |run| run.crashes = 0).await
    }

    /// Makes another attempt, or gives up.
    fn failed_attempt(&mut self, key: Key, why: NodeError) -> Result<(), WriteError> {
        let plan = self.state.plan.clone();
        let policy = &plan.node(key.1).policy;
        let Some(exec) = self.state.exec(key) else { return Ok(()) };
        let harmless = policy.effect.may_repeat() || why.unsent;
        if exec.failures >= policy.retry.max || !harmless || !why.is_named_by(&policy.retry.on) {
            return self.fail_node(key, why.into());
        }
        let delay = delay(policy, exec.failures, why.retry_after);
        let attempt = exec.attempt;
        let retry = NodeRetry { attempt, delay_ms: delay.as_millis() as u64, error: Some(why.into()) };
        self.record_at(key, EventData::NodeRetry(retry))?;
        self.timers.add(Timestamp::now() + delay, Due::Retry, key);
        Ok(())
    }

    /// Makes an attempt with the inputs of the one before.
    pub(super) async fn attempt_again(&mut self, key: Key) -> Result<(), WriteError> {
        let Some(exec) = self.state.exec(key) else { return Ok(()) };
        let (kept, attempt) = (exec.inputs.clone(), exec.attempt + 1);
        let inputs = match self.vault.load_all(&kept).await {
            Ok(inputs) => inputs,
            Err(why) => return self.fail_node(key, why.into()),
        };
        let started = NodeStarted { inputs: (*kept).clone(), attempt };
        self.record_at(key, EventData::NodeStarted(started))?;
        self.spawn(key, inputs, true)
    }
}

/// A task without its voice.
pub(super) struct Unvoiced {
    tenant: storage::TenantId,
    user: uuid::Uuid,
    run: uuid::Uuid,
    sends: bool,
    assistant_id: Option<uuid::Uuid>,
    model: String,
    idempotency_key: String,
    inputs: Fields,
    said: Option<String>,
    cancel: CancellationToken,
    run_context: Arc<assist::RunContext>,
    fence: Option<runs::Fence>,
}

impl Unvoiced {
    fn voiced(self, voice: NodeOutput) -> Task {
        let Self {
            tenant,
            user,
            run,
            sends,
            assistant_id,
            model,
            idempotency_key,
            inputs,
            said,
            cancel,
            run_context,
            fence,
        } = self;
        Task {
            tenant,
            user,
            run,
            sends,
            assistant_id,
            model,
            idempotency_key,
            inputs,
            said,
            voice,
            cancel,
            run_context,
            fence,
        }
    }
}

/// Writes what an attempt says.
struct Speaker {
    writer: Writer,
    at: Arc<NodeRef>,
    /// The open part of the run's answer.
    part: Option<String>,
    usage: Usage,
    cost_nanos: u64,
    said: String,
}

impl Speaker {
    fn tell(&mut self, said: NodeMessage, speaks: bool) -> Result<(), WriteError> {
        let data = match said {
            NodeMessage::Delta(text) if speaks => return self.answer(text),
            NodeMessage::Delta(text) => EventData::NodeDelta(NodeDelta { text }),
            NodeMessage::Log(line) => EventData::NodeLog(NodeLog { line }),
            NodeMessage::Answering(model) => EventData::Answering { model },
            NodeMessage::Usage { model, usage, cost_nanos, estimated } => {
                self.usage += &usage;
                self.cost_nanos = self.cost_nanos.saturating_add(cost_nanos);
                EventData::Usage { usage, cost_nanos, estimated, model: Some(model) }
            }
        };
        self.writer.push(EventBody::of(&self.at, data))
    }

    fn answer(&mut self, text: String) -> Result<(), WriteError> {
        let part = match &self.part {
            Some(part) => part.clone(),
            None => {
                let part = self.at.exec_id.to_string();
                // One that a crash or a failure cut off is still open.
                if self.said.is_empty() {
                    let start = EventData::TextStart { part: part.clone() };
                    self.writer.push(EventBody::of(&self.at, start))?;
                }
                self.part = Some(part.clone());
                part
            }
        };
        self.said.push_str(&text);
        self.writer.push(EventBody::of(&self.at, EventData::TextDelta { part, text }))
    }
}

async fn attempt(
    plan: Arc<Plan>,
    ix: NodeIx,
    task: Unvoiced,
    mut speaker: Speaker,
    (durable, span): (bool, Traced),
) -> Attempted {
    let begun = match durable {
        true => speaker.writer.flush().await.map_err(|_| gone()),
        false => Ok(()),
    };
    let result = match begun {
        Ok(()) => span.around(listen(&plan, ix, task, &mut speaker)).await,
        Err(why) => Err(why),
    };
    Attempted { result, usage: speaker.usage, cost_nanos: speaker.cost_nanos, said: speaker.said }
}

/// The run has another actor, or has ended.
fn gone() -> NodeError {
    NodeError::new("gone", "the run goes on elsewhere")
}

async fn listen(
    plan: &Plan,
    ix: NodeIx,
    task: Unvoiced,
    speaker: &mut Speaker,
) -> Result<NodeResult, NodeError> {
    let node = plan.node(ix);
    let speaks = node.kind.speaks();
    let (voice, mut heard) = NodeOutput::channel(IN_LINE);
    let cancel = task.cancel.clone();
    let limit = match node.policy.timeout_ms {
        0 => Duration::from_secs(100 * 365 * 24 * 3600),
        // A script's time is counted where it runs; it may have to wait for its turn.
        ms if matches!(node.kind, NodeKind::Code(_)) => Duration::from_millis(ms) + TURN,
        ms => Duration::from_millis(ms),
    };
    let mut work = Box::pin(nodes::attempt(node, task.voiced(voice)));
    let timeout = tokio::time::sleep(limit);
    tokio::pin!(timeout);
    let mut late = false;
    let result = loop {
        tokio::select! {
            biased;
            Some(said) = heard.recv() => speaker.tell(said, speaks).map_err(|_| gone())?,
            result = &mut work => break result,
            () = &mut timeout => {
                if std::mem::replace(&mut late, true) {
                    break Err(timed_out(limit));
                }
                // It is asked to end, so that it can tell what it has used; not for long.
                cancel.cancel();
                timeout.as_mut().reset(tokio::time::Instant::now() + GRACE);
            }
        }
        speaker.writer.room().await;
    };
    // A model call that is cut off tells on its way out what it owes.
    drop(work);
    while let Ok(said) = heard.try_recv() {
        speaker.tell(said, speaks).map_err(|_| gone())?;
    }
    match late {
        true => Err(timed_out(limit)),
        false => result,
    }
}

fn timed_out(limit: Duration) -> NodeError {
    NodeError::new("timeout", format!("took longer than {} ms", limit.as_millis()))
}

/// The pause before the attempt after `failures` + 1 failures.
fn delay(policy: &Policy, failures: u32, asked: Option<Duration>) -> Duration {
    let retry = &policy.retry;
    let exponent = i32::try_from(failures).unwrap_or(i32::MAX);
    let grown = (retry.base_ms as f64 * retry.factor.powi(exponent)).min(retry.max_ms as f64);
    let spread = retry.jitter.clamp(0.0, 1.0);
    let chance = rand::rng().random_range(1.0 - spread..=1.0 + spread);
    let own = Duration::from_millis((grown * chance) as u64);
    // The other side may ask for more time, but not for ever.
    own.max(asked.unwrap_or_default()).min(Duration::from_millis(retry.max_ms.max(retry.base_ms)).max(own))
}
