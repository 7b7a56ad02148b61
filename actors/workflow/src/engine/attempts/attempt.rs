//! One attempt of a node: runs the node, writes what it reports as events, and enforces its time limit.

use std::sync::Arc;
use std::time::Duration;

use runs::event::flow::{NodeDelta, NodeLog};
use runs::{EventBody, EventData, NodeRef, WriteError, Writer};
use storage::records::Usage;
use tokio::sync::mpsc::Receiver;

use super::span::AttemptSpan;
use crate::graph::{NodeIx, NodeKind, Plan};
use crate::nodes::{self, NodeError, NodeMessage, NodeResult, Task};

/// Capacity of the message queue of an attempt.
pub(super) const QUEUE: usize = 64;

/// How long an attempt that has reached its time limit may take to stop by itself.
const GRACE: Duration = Duration::from_millis(500);

/// How long a script may wait for a free process.
const SCRIPT_WAIT: Duration = Duration::from_secs(60);

/// The result of an attempt.
pub struct Attempted {
    pub result: Result<NodeResult, NodeError>,
    pub usage: Usage,
    pub cost_nanos: u64,
    /// The text that the node has written to the run's answer, in this attempt and earlier ones.
    pub said: String,
}

impl Attempted {
    pub fn without_usage(result: Result<NodeResult, NodeError>) -> Self {
        Self { result, usage: Usage::default(), cost_nanos: 0, said: String::new() }
    }
}

/// Writes the messages of an attempt as events.
pub(super) struct EventWriter {
    writer: Writer,
    at: Arc<NodeRef>,
    /// The part of the run's answer that the node is writing.
    part: Option<String>,
    usage: Usage,
    cost_nanos: u64,
    said: String,
}

impl EventWriter {
    pub fn new(writer: Writer, at: Arc<NodeRef>, said: String) -> Self {
        Self { writer, at, part: None, usage: Usage::default(), cost_nanos: 0, said }
    }

    /// Writes a message as an event. If the node `speaks`, its text becomes part of the run's answer.
    fn write(&mut self, message: NodeMessage, speaks: bool) -> Result<(), WriteError> {
        let data = match message {
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
        self.writer.push(EventBody::in_node(&self.at, data))
    }

    fn answer(&mut self, text: String) -> Result<(), WriteError> {
        let part = match &self.part {
            Some(part) => part.clone(),
            None => {
                let part = self.at.exec_id.to_string();
                // A part that was interrupted by a crash or a failure is still open.
                if self.said.is_empty() {
                    let start = EventData::TextStart { part: part.clone() };
                    self.writer.push(EventBody::in_node(&self.at, start))?;
                }
                self.part = Some(part.clone());
                part
            }
        };
        self.said.push_str(&text);
        self.writer.push(EventBody::in_node(&self.at, EventData::TextDelta { part, text }))
    }
}

/// An attempt that has not started yet.
pub(super) struct Attempt {
    pub plan: Arc<Plan>,
    pub ix: NodeIx,
    pub task: Task,
    /// The messages that the task sends.
    pub messages: Receiver<NodeMessage>,
    pub events: EventWriter,
    /// Whether all earlier events must be durable before the attempt starts.
    pub durable: bool,
    pub span: AttemptSpan,
}

impl Attempt {
    pub async fn run(self) -> Attempted {
        let Self { plan, ix, task, mut messages, mut events, durable, span } = self;
        let begun = match durable {
            true => events.writer.flush().await.map_err(|_| superseded()),
            false => Ok(()),
        };
        let result = match begun {
            Ok(()) => span.around(execute(&plan, ix, task, &mut messages, &mut events)).await,
            Err(why) => Err(why),
        };
        Attempted { result, usage: events.usage, cost_nanos: events.cost_nanos, said: events.said }
    }
}

/// The run belongs to another actor, or has ended.
fn superseded() -> NodeError {
    NodeError::new("gone", "the run continues elsewhere")
}

async fn execute(
    plan: &Plan,
    ix: NodeIx,
    task: Task,
    messages: &mut Receiver<NodeMessage>,
    events: &mut EventWriter,
) -> Result<NodeResult, NodeError> {
    let node = plan.node(ix);
    let speaks = node.kind.speaks();
    let cancel = task.cancel.clone();
    let limit = match node.policy.timeout_ms {
        0 => Duration::from_secs(100 * 365 * 24 * 3600),
        // The script's time limit is enforced by the script runner. Here, the wait for a free process is added.
        ms if matches!(node.kind, NodeKind::Code(_)) => Duration::from_millis(ms) + SCRIPT_WAIT,
        ms => Duration::from_millis(ms),
    };
    let mut work = Box::pin(nodes::attempt(node, task));
    let timeout = tokio::time::sleep(limit);
    tokio::pin!(timeout);
    let mut late = false;
    let result = loop {
        tokio::select! {
            biased;
            Some(message) = messages.recv() => events.write(message, speaks).map_err(|_| superseded())?,
            result = &mut work => break result,
            () = &mut timeout => {
                if std::mem::replace(&mut late, true) {
                    break Err(timed_out(limit));
                }
                // A cancelled node gets a short time to report its usage.
                cancel.cancel();
                timeout.as_mut().reset(tokio::time::Instant::now() + GRACE);
            }
        }
        events.writer.room().await;
    };
    // A model call that is interrupted reports its usage when it is dropped.
    drop(work);
    while let Ok(message) = messages.try_recv() {
        events.write(message, speaks).map_err(|_| superseded())?;
    }
    match late {
        true => Err(timed_out(limit)),
        false => result,
    }
}

fn timed_out(limit: Duration) -> NodeError {
    NodeError::new("timeout", format!("took longer than {} ms", limit.as_millis()))
}
