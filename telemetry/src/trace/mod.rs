//! Spans: created only if an exporter is configured, and passed to its queue when they end.
//!
//! Without an exporter, [`enabled`] returns false, [`span`] returns a value of two empty options, and no closure that
//! names a span or collects its attributes is called.

mod context;
mod queue;
mod span;

use std::sync::OnceLock;

pub use context::{SpanContext, current, spawn, within};
pub(crate) use queue::Queue;
pub(crate) use span::Finished;
pub use span::{Attributes, Kind, Span, Value};

static TRACER: OnceLock<Tracer> = OnceLock::new();

/// Decides which spans are recorded, and receives those that have ended.
#[derive(Debug)]
pub(crate) struct Tracer {
    pub queue: Queue,
    /// Fraction of new traces that are recorded, from 0 to 1.
    pub sample_ratio: f64,
    /// Maximum bytes of each prompt and each answer in a span; 0 records no content.
    pub content_bytes: usize,
    /// Whether the trace is propagated to providers.
    pub propagate: bool,
    /// Whether the traces of callers are continued.
    pub accept: bool,
}

/// Installs the tracer of the process. Returns false if there already is one.
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

/// Maximum bytes of a prompt or an answer in a span. `None` if content is not recorded.
pub fn content_limit() -> Option<usize> {
    tracer().map(|tracer| tracer.content_bytes).filter(|bytes| *bytes > 0)
}

/// Parses the `traceparent` of a caller's request, if the traces of callers are continued.
pub fn incoming(traceparent: &str) -> Option<SpanContext> {
    tracer().filter(|tracer| tracer.accept)?;
    SpanContext::parse(traceparent)
}

/// The `traceparent` to send to a provider, if propagation is enabled.
pub fn outgoing() -> Option<String> {
    tracer().filter(|tracer| tracer.propagate)?;
    current().map(|context| context.to_string())
}

/// Creates a new span. Without a parent, it begins a trace.
pub fn span(kind: Kind, parent: Option<SpanContext>, name: impl FnOnce() -> String) -> Span {
    Span::begin(tracer(), kind, parent, None, name)
}

/// Creates the span of one epoch of a run. Its identity is derived from the run and the epoch, so that the next epoch,
/// possibly in another process, can link to it. `parent` is the `traceparent` that is stored with the run.
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
