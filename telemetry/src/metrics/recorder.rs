//! The metrics recorder of the process, and its output for Prometheus.

use std::sync::OnceLock;
use std::time::Duration;

use metrics::Recorder;
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

use super::definition::Type;
use super::table::{ALL, SECONDS};

static RECORDER: OnceLock<Option<PrometheusHandle>> = OnceLock::new();

/// Installs the recorder, once per process. Values that are emitted before are lost.
pub fn install() {
    RECORDER.get_or_init(|| {
        let mut builder = PrometheusBuilder::new().set_buckets(SECONDS).ok()?;
        for metric in ALL.iter().filter(|metric| !metric.buckets.is_empty()) {
            let name = Matcher::Full(metric.name.to_owned());
            builder = builder.set_buckets_for_metric(name, metric.buckets).ok()?;
        }
        let recorder = builder.build_recorder();
        for metric in ALL {
            let (name, help) = (metric.name.into(), metric.help.into());
            match metric.kind {
                Type::Counter => recorder.describe_counter(name, None, help),
                Type::Gauge => recorder.describe_gauge(name, None, help),
                Type::Histogram => recorder.describe_histogram(name, None, help),
            }
        }
        let handle = recorder.handle();
        metrics::set_global_recorder(recorder).ok()?;
        // A counter that first appears with its first event hides that event from `increase` and `rate`.
        for metric in ALL.iter().filter(|metric| metric.kind == Type::Counter && metric.labels.is_empty()) {
            let metadata = metrics::Metadata::new("understudy", metrics::Level::INFO, None);
            metrics::with_recorder(|recorder| recorder.register_counter(&metric.key(&[]), &metadata))
                .increment(0);
        }
        Some(handle)
    });
}

/// Whether values are recorded.
pub(super) fn is_installed() -> bool {
    matches!(RECORDER.get(), Some(Some(_)))
}

/// Returns all metrics in the Prometheus text format, or `None` if no recorder is installed.
pub fn render() -> Option<String> {
    RECORDER.get().and_then(Option::as_ref).map(PrometheusHandle::render)
}

/// Merges the samples that histograms have collected, so that memory stays bounded if the metrics are never scraped.
/// Must be called every few seconds; see [`UPKEEP_INTERVAL`].
pub fn upkeep() {
    if let Some(Some(handle)) = RECORDER.get() {
        handle.run_upkeep();
    }
}

/// Interval at which [`upkeep`] must be called.
pub const UPKEEP_INTERVAL: Duration = Duration::from_secs(5);
