//! One call of a model as metrics see it: how it ended, and how long it took.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Instant;

use futures::Stream;
use telemetry::metrics::table;

use super::Model;
use crate::chat::{ChatDelta, ChatRequest, ChatStream, ProviderError};

impl Model {
    /// Asks the model, or its fallbacks, and observes the call: outcome, time to the first piece and to the end.
    ///
    /// Everything that calls a model for somebody goes through here. Dropping the future or the stream counts as a
    /// cancelled call.
    ///
    /// # Errors
    /// Those of [`ChatModel::stream`](crate::ChatModel::stream).
    pub async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ProviderError> {
        let mut call = Call::begin(self);
        match self.chat.stream(request).await {
            Ok(inner) => Ok(Box::pin(Observed { inner, call })),
            Err(why) => {
                call.failed(&why);
                Err(why)
            }
        }
    }
}

/// A call that is under way. Counts itself when it is dropped.
struct Call {
    provider: String,
    model: String,
    began: Instant,
    began_to_answer: bool,
    /// How it ended; a call that nobody waits for any more has no end of its own.
    outcome: Option<&'static str>,
}

impl Call {
    fn begin(model: &Model) -> Self {
        Self {
            provider: model.info.provider.clone(),
            model: model.info.id.clone(),
            began: Instant::now(),
            began_to_answer: false,
            outcome: None,
        }
    }

    fn failed(&mut self, why: &ProviderError) {
        self.outcome.get_or_insert(why.stable_code());
    }

    fn heard(&mut self, delta: &ChatDelta) {
        match delta {
            // Comes before all else and says who is paid from here on.
            ChatDelta::Answering { model } => {
                self.provider = model.split('/').next().unwrap_or_default().to_owned();
                self.model.clone_from(model);
            }
            ChatDelta::Finish(_) => {
                self.outcome.get_or_insert("ok");
            }
            _ if !self.began_to_answer => {
                self.began_to_answer = true;
                table::MODEL_FIRST.record([&self.provider, &self.model], self.began.elapsed().as_secs_f64());
            }
            _ => {}
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        let outcome = self.outcome.unwrap_or("cancelled");
        table::MODEL_CALLS.add([&self.provider, &self.model, outcome], 1);
        if outcome == "ok" {
            table::MODEL_DURATION.record([&self.provider, &self.model], self.began.elapsed().as_secs_f64());
        }
    }
}

/// The answer of an observed call.
struct Observed {
    inner: ChatStream,
    call: Call,
}

impl Stream for Observed {
    type Item = Result<ChatDelta, ProviderError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let polled = self.inner.as_mut().poll_next(context);
        match &polled {
            Poll::Ready(Some(Ok(delta))) => self.call.heard(delta),
            Poll::Ready(Some(Err(why))) => self.call.failed(why),
            Poll::Ready(None) => {
                self.call.outcome.get_or_insert("upstream_protocol");
            }
            Poll::Pending => {}
        }
        polled
    }
}
