//! The trace span of one attempt of a node.

use std::future::Future;

use runs::NodeRef;
use telemetry::trace::{self, Kind, Span};

use crate::graph::{NodeIx, Plan};
use crate::nodes::{NodeError, NodeResult};

pub(super) struct AttemptSpan(Span);

impl AttemptSpan {
    /// Begins the span as a child of the run's span.
    pub fn begin(plan: &Plan, ix: NodeIx, at: &NodeRef) -> Self {
        if !trace::enabled() {
            return Self(Span::none());
        }
        let kind = plan.node(ix).kind.type_name();
        let mut span = trace::span(Kind::Internal, trace::current(), || format!("node {kind}"));
        span.set(|set| {
            set.text("understudy.node.type", kind);
            set.text("understudy.node.id", &*at.node_id);
            set.text("understudy.node.exec_id", &*at.exec_id);
        });
        Self(span)
    }

    /// Executes the attempt within the span, and ends the span.
    pub async fn around(
        mut self,
        work: impl Future<Output = Result<NodeResult, NodeError>>,
    ) -> Result<NodeResult, NodeError> {
        let result = match self.0.context() {
            // Boxed, so that the future does not grow if tracing is disabled.
            Some(context) => Box::pin(trace::within(context, work)).await,
            None => work.await,
        };
        if let Err(why) = &result {
            self.0.fail(&why.code, None);
        }
        result
    }
}
