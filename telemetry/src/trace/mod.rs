//! Spans: made only while an exporter is configured, and handed to its queue when they end.
//!
//! Without an exporter [`enabled`] is false, [`span`] returns a value of two empty options, and no closure that would
//! name a span or collect its attributes is called.

mod context;
mod queue;
mod span;

use std::sync::OnceLock;

pub use context::{SpanContext, current, spawn, within};
pub(crate) use queue::Queue;
pub(crate) use span::Finished;
pub use span::{Attributes, Kind, Span, Value};

static TRACER: OnceLock<Tracer> = OnceLock::new();

/// What decides on spans, and takes those that have ended.
#[derive(Debug)]
pub(crate) struct Tracer {
    pub queue: Queue,
    /// The part of new traces that is recorded, from 0 to 1.
    pub sample_ratio: f64,
    /// Bytes of prompts and answers that a span may hold of each; 0 for none of them.
    pub content_bytes: usize,
    /// Whether providers are told the trace.
    pub propagate: bool,
    /// Whether the trace of callers is continued.
    pub accept: bool,
}

/// Makes this tracer that of the process. False where there is one already.
pub(crate) fn install(tracer: Tracer) -> bool {
    TRACER.set(tracer).is_ok()
}

fn tracer() -> Option<&'static Tracer> {
    TRACER.get()
}

/// Whether spans are recorded at all.
pub fn enabled() -> bool {
    TRACER.get().is_some()
}

/// How many bytes of a prompt, and of an answer, a span may hold; none where content is not to be recorded.
pub fn content_limit() -> Option<usize> {
    tracer().map(|tracer| tracer.content_bytes).filter(|bytes| *bytes > 0)
}

/// The `traceparent` of a request that a caller sent, where callers' traces are continued.
pub fn incoming(traceparent: &str) -> Option<SpanContext> {
    tracer().filter(|tracer| tracer.accept)?;
    SpanContext::parse(traceparent)
}

/// The `traceparent` to send to a provider; none unless that is switched on.
pub fn outgoing() -> Option<String> {
    tracer().filter(|tracer| tracer.propagate)?;
    current().map(|context| context.to_string())
}

/// A new span. Without a parent it begins a trace.
pub fn span(kind: Kind, parent: Option<SpanContext>, name: impl FnOnce() -> String) -> Span {
    Span::begin(tracer(), kind, parent, None, name)
}

/// The span of one epoch of a run. Its identity follows from run and epoch, so that the next epoch, perhaps in another
/// process, can link to it. `parent` is a `traceparent`, as the run keeps it.
pub fn run_span(run: u128, epoch: u32, parent: Option<&str>, name: impl FnOnce() -> String) -> Span {
    let Some(tracer) = tracer() else { return Span::none() };
    let parent = parent.and_then(SpanContext::parse);
    let own = |epoch| SpanContext::of_run(run, epoch, parent, tracer.sample_ratio);
    let mut span = Span::begin(Some(tracer), Kind::Internal, parent, Some(own(epoch)), name);
    if epoch > 1 {
        span.link(|| own(epoch - 1));
    }
    span
}
