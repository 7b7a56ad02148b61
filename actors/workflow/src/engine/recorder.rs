//! Turns decisions into events. Each event is applied to the state and committed to the journal.

use std::sync::Arc;

use runs::event::flow::NodeSkipped;
use runs::{EventBody, EventData, NodeRef, Work, WriteError};
use storage::records::{Run, RunState};
use storage::{Row, Timestamp, Tx};

use super::state::{Key, State};

/// The state of a run, and the journal from which it is computed.
pub struct Recorder {
    pub work: Work,
    pub state: State,
    /// The events of this turn. They become durable together.
    uncommitted: Vec<EventBody>,
}

impl Recorder {
    pub fn new(work: Work, state: State) -> Self {
        Self { work, state, uncommitted: Vec::new() }
    }

    /// Applies events and queues them to be written with all other events of this turn. After a crash, the journal contains
    /// either a failure and all its consequences, or none of them.
    pub fn record(&mut self, events: Vec<EventBody>) {
        let now = Timestamp::now();
        // Events that are recorded together usually belong to one execution, so the last lookup is cached.
        let mut last: Option<(&Arc<NodeRef>, Option<Key>)> = None;
        for EventBody { node, data } in &events {
            let key = node.as_ref().and_then(|node| match last {
                Some((seen, key)) if Arc::ptr_eq(seen, node) => key,
                _ => last.insert((node, self.state.find(node))).1,
            });
            self.state.apply(node.as_deref(), key, data, now);
        }
        self.uncommitted.extend(events);
    }

    /// Records an event of an execution.
    pub fn record_at(&mut self, key: Key, data: EventData) {
        let at = self.state.name(key);
        self.record(vec![EventBody { node: Some(at), data }]);
    }

    /// Records an event of the run itself.
    pub fn record_for_run(&mut self, data: EventData) {
        self.record(vec![EventBody::from(data)]);
    }

    /// Records the skipped executions that have no event yet.
    pub fn record_skipped(&mut self) {
        let skipped = std::mem::take(&mut self.state.skipped);
        let event = |at| EventBody { node: Some(at), data: EventData::NodeSkipped(NodeSkipped {}) };
        // The state already contains the skipped executions.
        self.uncommitted.extend(skipped.into_iter().map(event));
    }

    /// Passes the recorded events to the journal. Call this before anything else writes to the journal, to preserve the order.
    pub fn push(&mut self) -> Result<(), WriteError> {
        match self.uncommitted.len() {
            0 => Ok(()),
            _ => self.work.writer.push_all(std::mem::take(&mut self.uncommitted)),
        }
    }

    /// Waits until all recorded events are durable.
    pub async fn flush(&mut self) -> Result<(), WriteError> {
        self.push()?;
        self.work.writer.flush().await
    }

    /// Changes the run's record after everything recorded so far, and writes `events` in the same transaction. The events are not
    /// applied to the state.
    pub async fn change_run(
        &mut self,
        events: Vec<EventBody>,
        change: impl Fn(&mut Run) + Send + Sync,
    ) -> Result<(), WriteError> {
        self.push()?;
        self.work.change(events, change).await
    }

    /// Writes the run's state, the corresponding event and the changes of `also` in one transaction, then applies the event. Call
    /// [`Recorder::push`] first.
    pub async fn change_run_state(
        &mut self,
        state: RunState,
        detail: Option<String>,
        data: EventData,
        also: impl Fn(&mut Tx, &mut Row<Run>) -> storage::Result<()> + Send + Sync,
    ) -> Result<(), WriteError> {
        let event = EventBody::from(data);
        self.work.set_state_and(state, detail, vec![event.clone()], also).await?;
        self.state.apply(None, None, &event.data, Timestamp::now());
        Ok(())
    }
}
