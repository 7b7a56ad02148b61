//! The handlers of all kinds of runs.

use std::any::Any;
use std::collections::HashMap;
use std::sync::Arc;

use storage::records::RunKind;

use super::any_handler::AnyRunHandler;
use super::handler::RunHandler;

/// The handlers of all kinds of runs, registered at start-up: the supervisor names none of them.
#[derive(Default)]
pub struct RunHandlers(HashMap<RunKind, Registered>);

struct Registered {
    handler: Arc<dyn AnyRunHandler>,
    /// The same, for the module that knows its type.
    concrete: Arc<dyn Any + Send + Sync>,
}

impl RunHandlers {
    /// Adds the handler of a kind of runs, in place of an earlier one.
    #[must_use]
    pub fn with<H: RunHandler>(mut self, kind: RunKind, handler: H) -> Self {
        let handler = Arc::new(handler);
        self.0.insert(kind, Registered { handler: handler.clone(), concrete: handler });
        self
    }

    /// The handler of a kind of runs; none if no handler was registered for it.
    pub(super) fn of(&self, kind: RunKind) -> Option<Arc<dyn AnyRunHandler>> {
        self.0.get(&kind).map(|registered| registered.handler.clone())
    }

    /// The handler of a known type, for what it shares with the start of its runs: settings, caches.
    ///
    /// # Panics
    /// If no handler of this type was registered, which is a fault of the start-up.
    pub(super) fn typed<H: RunHandler>(&self) -> Arc<H> {
        let mut all = self.0.values();
        let found = all.find_map(|registered| registered.concrete.clone().downcast().ok());
        found.expect("all handlers are registered at start-up")
    }
}
