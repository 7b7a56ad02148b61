//! Export over OTLP/HTTP, as JSON: a bounded queue, a thread that empties it, and retries with backoff.
//!
//! Nothing here is waited for by a request or a run. What finds no room in the queue, or could not be delivered in the
//! end, is dropped and counted in `understudy_telemetry_dropped_total`.

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

/// What is exported, where to, and how.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where traces are posted (`http://127.0.0.1:4318/v1/traces`); none exports no traces.
    pub traces: Option<String>,
    /// Where metrics are posted; none exports no metrics.
    pub metrics: Option<String>,
    /// Headers of each request, for example a key of the receiver.
    pub headers: Vec<(String, String)>,
    /// Attributes of the resource: `service.name`, ...
    pub resource: Vec<(String, String)>,
    /// The part of new traces that is recorded, from 0 to 1.
    pub sample_ratio: f64,
    /// Bytes of each prompt and each answer that spans may hold; 0 for none of them.
    pub content_bytes: usize,
    /// Whether requests to providers carry `traceparent`.
    pub propagate: bool,
    /// Whether the `traceparent` of callers is continued.
    pub accept: bool,
    /// Spans that may wait to be exported.
    pub queue_spans: usize,
    /// The largest number of spans in one request.
    pub batch_spans: usize,
    /// How long spans wait for others to be exported with them.
    pub export_every: Duration,
    /// How often metrics are exported.
    pub metrics_every: Duration,
    /// How long the receiver may take to answer one request.
    pub timeout: Duration,
    /// The pause before the first retry; it doubles with each.
    pub retry: Duration,
}

/// Why nothing can be exported, in words for the operator.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A header cannot be sent.
    #[error("telemetry.headers: {0:?} is not a valid header")]
    Header(String),
    /// The HTTP client cannot be made.
    #[error("telemetry: {0}")]
    Client(String),
    /// The thread cannot be started.
    #[error("telemetry: {0}")]
    Thread(#[from] std::io::Error),
}

/// Reads all metrics in the text format of Prometheus.
pub type Render = Box<dyn Fn() -> Option<String> + Send>;

/// An exporter that runs until it is shut down.
#[derive(Debug)]
pub struct Exporter {
    stop: watch::Sender<bool>,
    /// Answers once all is delivered. The thread is not joined: a receiver that hangs must not hold up the process.
    done: oneshot::Receiver<()>,
}

/// Starts to export, and makes spans be recorded in this process. None where another exporter of this process does so
/// already.
///
/// # Errors
/// The settings cannot be used, or the thread cannot be started.
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
        // An error means that the receiver is gone.
        let _ = delivered.send(());
    };
    std::thread::Builder::new().name("telemetry".to_owned()).spawn(run)?;
    Ok(Some(Exporter { stop, done }))
}

impl Exporter {
    /// Exports what waits, and ends. What is not delivered by the deadline is lost.
    pub async fn shutdown(self, deadline: Duration) {
        self.stop.send_replace(true);
        if tokio::time::timeout(deadline, self.done).await.is_err() {
            tracing::warn!(
                "not all telemetry was delivered to the OTLP receiver before the shutdown deadline"
            );
        }
    }
}
