//! Observes model calls for metrics and traces: outcome, duration and usage.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Instant;

use futures::Stream;
use telemetry::metrics::table;
use telemetry::trace::{self, Span};

use super::Model;
use super::span::{self, RecordedAnswer};
use crate::chat::{ChatDelta, ChatRequest, ChatStream, ProviderError};

impl Model {
    /// Sends a request to the model or its fallbacks and records the call's outcome, time to first piece and
    /// duration.
    ///
    /// Every model call on behalf of a user goes through this method. Dropping the future or the stream counts as a
    /// cancelled call.
    ///
    /// # Errors
    /// Same as [`ChatModel::stream`](crate::ChatModel::stream).
    pub async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ProviderError> {
        let mut call = Call::begin(self, &request);
        let began = match call.span.context() {
            // Boxed, so that the future does not grow when nothing is traced.
            Some(context) => Box::pin(trace::within(context, self.chat.stream(request))).await,
            None => self.chat.stream(request).await,
        };
        match began {
            Ok(inner) => Ok(Box::pin(Observed { inner, call })),
            Err(why) => {
                call.failed(&why);
                Err(why)
            }
        }
    }
}

/// A call in progress. Recorded in the metrics when dropped.
struct Call {
    provider: String,
    model: String,
    began: Instant,
    began_to_answer: bool,
    /// The outcome; `None` for a call that has not ended or was cancelled.
    outcome: Option<&'static str>,
    span: Span,
    /// The response so far, if spans may contain it.
    recorded: Option<RecordedAnswer>,
}

impl Call {
    fn begin(model: &Model, request: &ChatRequest) -> Self {
        let span = if trace::enabled() { span::begin(model, request) } else { Span::none() };
        let recorded = trace::content_limit().filter(|_| span.is_recording()).map(RecordedAnswer::up_to);
        Self {
            span,
            recorded,
            provider: model.info.provider.clone(),
            model: model.info.id.clone(),
            began: Instant::now(),
            began_to_answer: false,
            outcome: None,
        }
    }

    fn failed(&mut self, why: &ProviderError) {
        if self.outcome.is_none() {
            self.outcome = Some(why.stable_code());
            // The provider's message may repeat the prompt, so it is not recorded.
            self.span.fail(why.stable_code(), None);
        }
    }

    fn record_delta(&mut self, delta: &ChatDelta) {
        if self.span.is_recording() {
            span::record_delta(&mut self.span, delta);
            if let Some(recorded) = &mut self.recorded {
                recorded.add(delta);
            }
        }
        match delta {
            // Sent before all other deltas; from here on this provider bills the call.
            ChatDelta::Answering { model } => {
                self.provider = model.split('/').next().unwrap_or_default().to_owned();
                self.model.clone_from(model);
            }
            ChatDelta::Finish(_) => {
                self.outcome.get_or_insert("ok");
            }
            _ if !self.began_to_answer => {
                self.began_to_answer = true;
                self.span.event("gen_ai.first_piece");
                table::MODEL_FIRST.record([&self.provider, &self.model], self.began.elapsed().as_secs_f64());
            }
            _ => {}
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        let outcome = self.outcome.unwrap_or("cancelled");
        if self.outcome.is_none() {
            self.span.fail(outcome, None);
        }
        if let Some(recorded) = self.recorded.take() {
            recorded.write_to(&mut self.span);
        }
        table::MODEL_CALLS.add([&self.provider, &self.model, outcome], 1);
        if outcome == "ok" {
            table::MODEL_DURATION.record([&self.provider, &self.model], self.began.elapsed().as_secs_f64());
        }
    }
}

/// The response of an observed call.
struct Observed {
    inner: ChatStream,
    call: Call,
}

impl Stream for Observed {
    type Item = Result<ChatDelta, ProviderError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let polled = self.inner.as_mut().poll_next(context);
        match &polled {
            Poll::Ready(Some(Ok(delta))) => self.call.record_delta(delta),
            Poll::Ready(Some(Err(why))) => self.call.failed(why),
            Poll::Ready(None) if self.call.outcome.is_none() => {
                self.call.outcome = Some("upstream_protocol");
                self.call.span.fail("upstream_protocol", None);
            }
            Poll::Ready(None) => {}
            Poll::Pending => {}
        }
        polled
    }
}
