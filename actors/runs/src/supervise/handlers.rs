//! The handlers of all run kinds, type-erased for the supervisor.

use std::any::Any;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use storage::records::{Run, RunKind, Usage};
use storage::{Row, TenantId, Tx};

use super::handler::{Placement, RunHandler, RunOutcome, RunSummary, WorkEnd};
use super::work::Work;
use crate::event::{EventBody, Terminal};
use crate::journal::{Event, WriteError};

/// The handlers of all run kinds, registered at start-up: the supervisor names none of them.
#[derive(Default)]
pub struct RunHandlers(HashMap<RunKind, Registered>);

struct Registered {
    handler: Arc<dyn AnyRunHandler>,
    /// The same handler, for the module that knows its type.
    concrete: Arc<dyn Any + Send + Sync>,
}

impl RunHandlers {
    /// Registers the handler of a run kind and replaces an earlier one.
    #[must_use]
    pub fn with<H: RunHandler>(mut self, kind: RunKind, handler: H) -> Self {
        let handler = Arc::new(handler);
        self.0.insert(kind, Registered { handler: handler.clone(), concrete: handler });
        self
    }

    /// The handler of a run kind, or `None` if none is registered.
    pub(super) fn get(&self, kind: RunKind) -> Option<Arc<dyn AnyRunHandler>> {
        self.0.get(&kind).map(|registered| registered.handler.clone())
    }

    /// The handler of type `H`, for settings and caches that it shares with the code that starts its runs.
    ///
    /// # Panics
    /// If no handler of this type was registered, which is a bug in the start-up code.
    pub(super) fn typed<H: RunHandler>(&self) -> Arc<H> {
        let mut all = self.0.values();
        let found = all.find_map(|registered| registered.concrete.clone().downcast().ok());
        found.expect("all handlers are registered at start-up")
    }
}

/// A [`RunHandler`] whose [`Details`](RunHandler::Details) type is erased.
#[async_trait]
pub(super) trait AnyRunHandler: Send + Sync {
    async fn work(&self, work: Work) -> Result<WorkEnd, WriteError>;
    fn placement(&self) -> Placement;
    fn unfollowed_delay(&self) -> Option<Duration>;
    fn undoes(&self) -> bool;
    fn grace(&self) -> Option<Duration>;
    fn close_needs(&self, event: &str) -> bool;
    fn close(&self, run: &Row<Run>, history: &[Event], outcome: &RunOutcome) -> ClosedRun<'_>;
    fn abandon_needs(&self, event: &str) -> bool;
    fn abandon(
        &self,
        tx: &mut Tx,
        tenant: TenantId,
        run: &Row<Run>,
        history: &[Event],
        terminal: &mut Terminal,
    ) -> storage::Result<()>;
}

/// A [`RunSummary`] together with the [`RunHandler::conclude`] that takes its details.
pub(super) struct ClosedRun<'h> {
    pub events: Vec<EventBody>,
    pub usage: Usage,
    pub cost_nanos: u64,
    pub partial: bool,
    pub conclude: Box<Conclude<'h>>,
}

type Conclude<'h> = dyn Fn(&mut Tx, TenantId, &Row<Run>, &Terminal) -> storage::Result<()> + Send + Sync + 'h;

#[async_trait]
impl<H: RunHandler> AnyRunHandler for H {
    async fn work(&self, work: Work) -> Result<WorkEnd, WriteError> {
        RunHandler::work(self, work).await
    }

    fn placement(&self) -> Placement {
        RunHandler::placement(self)
    }

    fn unfollowed_delay(&self) -> Option<Duration> {
        RunHandler::unfollowed_delay(self)
    }

    fn undoes(&self) -> bool {
        RunHandler::undoes(self)
    }

    fn grace(&self) -> Option<Duration> {
        RunHandler::grace(self)
    }

    fn close_needs(&self, event: &str) -> bool {
        RunHandler::close_needs(self, event)
    }

    fn close(&self, run: &Row<Run>, history: &[Event], outcome: &RunOutcome) -> ClosedRun<'_> {
        let RunSummary { events, usage, cost_nanos, partial, details } =
            RunHandler::close(self, run, history, outcome);
        let conclude = move |tx: &mut Tx, tenant: TenantId, run: &Row<Run>, terminal: &Terminal| {
            RunHandler::conclude(self, tx, tenant, run, &details, terminal)
        };
        ClosedRun { events, usage, cost_nanos, partial, conclude: Box::new(conclude) }
    }

    fn abandon_needs(&self, event: &str) -> bool {
        RunHandler::abandon_needs(self, event)
    }

    fn abandon(
        &self,
        tx: &mut Tx,
        tenant: TenantId,
        run: &Row<Run>,
        history: &[Event],
        terminal: &mut Terminal,
    ) -> storage::Result<()> {
        RunHandler::abandon(self, tx, tenant, run, history, terminal)
    }
}
