//! Export over OTLP/HTTP as JSON: a bounded queue, a thread that empties it, and retries with backoff.
//!
//! No request or run waits for the export. Data that exceed the queue or cannot be delivered are dropped and counted in
//! `understudy_telemetry_dropped_total`.

mod encode;
mod post;
mod samples;
mod worker;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{oneshot, watch};

use crate::trace::{Queue, Tracer, install};
use post::Post;
use worker::Worker;

/// Settings of the export.
#[derive(Clone, Debug)]
pub struct Settings {
    /// URL for traces (`http://127.0.0.1:4318/v1/traces`). `None` disables the export of traces.
    pub traces: Option<String>,
    /// URL for metrics. `None` disables the export of metrics.
    pub metrics: Option<String>,
    /// Headers of each request, for example an API key for the receiver.
    pub headers: Vec<(String, String)>,
    /// Attributes of the resource: `service.name`, ...
    pub resource: Vec<(String, String)>,
    /// Fraction of new traces that are recorded, from 0 to 1.
    pub sample_ratio: f64,
    /// Maximum bytes of each prompt and each answer in a span; 0 records no content.
    pub content_bytes: usize,
    /// Whether requests to providers carry `traceparent`.
    pub propagate: bool,
    /// Whether the `traceparent` of callers is continued.
    pub accept: bool,
    /// Maximum number of spans in the queue.
    pub queue_spans: usize,
    /// Maximum number of spans in one request.
    pub batch_spans: usize,
    /// How long spans wait so that others can be exported with them.
    pub export_every: Duration,
    /// Interval between exports of metrics.
    pub metrics_every: Duration,
    /// Time limit for the receiver's response to one request.
    pub timeout: Duration,
    /// Delay before the first retry. It doubles with each further retry.
    pub retry: Duration,
}

/// Why the export cannot be started, with a message for the operator.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A header is invalid.
    #[error("telemetry.headers: {0:?} is not a valid header")]
    Header(String),
    /// The HTTP client could not be created.
    #[error("telemetry: {0}")]
    Client(String),
    /// The thread could not be started.
    #[error("telemetry: {0}")]
    Thread(#[from] std::io::Error),
}

/// Returns all metrics in the Prometheus text format.
pub type Render = Box<dyn Fn() -> Option<String> + Send>;

/// An exporter that runs until it is shut down.
#[derive(Debug)]
pub struct Exporter {
    stop: watch::Sender<bool>,
    /// Resolves once everything has been delivered. The thread is not joined, because a receiver that hangs must not
    /// delay the end of the process.
    done: oneshot::Receiver<()>,
}

/// Starts the export and enables the recording of spans in this process. Returns `None` if the process already has an
/// exporter of spans.
///
/// # Errors
/// Returns an error if the settings are invalid or the thread cannot be started.
pub fn start(settings: Settings, render: Render) -> Result<Option<Exporter>, StartError> {
    let post = Arc::new(Post::new(&settings)?);
    let (queue, waiting) = Queue::with_room(settings.queue_spans.max(1));
    if settings.traces.is_some() {
        let tracer = Tracer {
            queue,
            sample_ratio: settings.sample_ratio,
            content_bytes: settings.content_bytes,
            propagate: settings.propagate,
            accept: settings.accept,
        };
        if !install(tracer) {
            return Ok(None);
        }
    }
    let (stop, stopped) = watch::channel(false);
    let worker = Worker { settings, post, stopped };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (delivered, done) = oneshot::channel();
    let run = move || {
        runtime.block_on(worker.run(waiting, render));
        // Fails only if the receiving end was dropped.
        let _ = delivered.send(());
    };
    std::thread::Builder::new().name("telemetry".to_owned()).spawn(run)?;
    Ok(Some(Exporter { stop, done }))
}

impl Exporter {
    /// Exports everything in the queue and stops. Data that are not delivered by the deadline are lost.
    pub async fn shutdown(self, deadline: Duration) {
        self.stop.send_replace(true);
        if tokio::time::timeout(deadline, self.done).await.is_err() {
            tracing::warn!(
                "not all telemetry was delivered to the OTLP receiver before the shutdown deadline"
            );
        }
    }
}
