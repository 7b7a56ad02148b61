//! The export thread, with one loop for spans and one for metrics.

use std::sync::Arc;
use std::time::SystemTime;

use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout_at};

use super::post::Post;
use super::{Render, Settings, encode, samples};
use crate::metrics::table::{TELEMETRY_DROPPED, TELEMETRY_EXPORTS};
use crate::trace::Finished;

pub(super) struct Worker {
    pub settings: Settings,
    pub post: Arc<Post>,
    pub stopped: watch::Receiver<bool>,
}

impl Worker {
    pub async fn run(self, waiting: mpsc::Receiver<Finished>, render: Render) {
        tokio::join!(self.export_spans(waiting), self.export_metrics(render));
    }

    async fn export_spans(&self, mut waiting: mpsc::Receiver<Finished>) {
        let Some(url) = &self.settings.traces else { return };
        let mut stopped = self.stopped.clone();
        loop {
            let mut batch = Vec::new();
            let stopping = tokio::select! {
                biased;
                _ = stopped.wait_for(|stopped| *stopped) => true,
                first = waiting.recv() => {
                    batch.extend(first);
                    self.gather(&mut waiting, &mut batch).await
                }
            };
            if stopping {
                // Spans that were queued before the stop are already in the channel; no further ones are awaited.
                while let Ok(span) = waiting.try_recv() {
                    batch.push(span);
                }
            }
            while !batch.is_empty() {
                let rest = batch.split_off(batch.len().min(self.settings.batch_spans.max(1)));
                let body = encode::spans(&self.settings.resource, &batch);
                self.deliver("spans", url, body, batch.len() as u64).await;
                batch = rest;
            }
            if stopping {
                return;
            }
        }
    }

    /// Collects more spans to export together with the first one. Returns whether the exporter is stopping.
    async fn gather(&self, waiting: &mut mpsc::Receiver<Finished>, batch: &mut Vec<Finished>) -> bool {
        let until = Instant::now() + self.settings.export_every;
        let mut stopped = self.stopped.clone();
        while batch.len() < self.settings.batch_spans {
            tokio::select! {
                biased;
                _ = stopped.wait_for(|stopped| *stopped) => return true,
                more = timeout_at(until, waiting.recv()) => match more {
                    Ok(Some(span)) => batch.push(span),
                    Ok(None) | Err(_) => return false,
                },
            }
        }
        false
    }

    async fn export_metrics(&self, render: Render) {
        let Some(url) = &self.settings.metrics else { return };
        let (began, every) = (SystemTime::now(), self.settings.metrics_every);
        let mut ticks = interval_at(Instant::now() + every, every);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut stopped = self.stopped.clone();
        loop {
            let stopping = tokio::select! {
                biased;
                _ = stopped.wait_for(|stopped| *stopped) => true,
                _ = ticks.tick() => false,
            };
            if let Some(text) = render() {
                let body = encode::metrics(&self.settings.resource, &samples::read(&text), began);
                self.deliver("metrics", url, body, 1).await;
            }
            if stopping {
                return;
            }
        }
    }

    async fn deliver(&self, signal: &'static str, url: &str, body: Vec<u8>, number: u64) {
        match self.post.deliver(url, body).await {
            Ok(()) => TELEMETRY_EXPORTS.add([signal, "ok"], 1),
            Err(why) => {
                TELEMETRY_EXPORTS.add([signal, "error"], 1);
                TELEMETRY_DROPPED.add([signal], number);
                tracing::warn!(signal, number, %why, "telemetry was dropped: check telemetry.endpoint and its headers");
            }
        }
    }
}
