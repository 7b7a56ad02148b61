//! Receives the answer from the model.

use futures::StreamExt;
use providers::{ChatDelta, ChatRequest, Model, ProviderError, ProviderErrorKind};
use tokio_util::sync::CancellationToken;

use super::bill::Bill;

/// Maximum size of an answer in bytes. A longer one cannot be expected to be useful.
const MAX_ANSWER_BYTES: usize = 512 << 10;

/// Receives a whole answer. Usage is added to the bill as it occurs, so that nothing is lost if the future is dropped.
pub(super) async fn receive_answer(
    model: &Model,
    request: ChatRequest,
    bill: &mut Bill,
    dropped: &CancellationToken,
) -> Result<String, ProviderError> {
    bill.begin_call(request.input_chars());
    // Dropping the call or its stream closes the connection to the provider.
    let mut stream = tokio::select! {
        biased;
        () = dropped.cancelled() => return Err(unheard()),
        stream = model.stream(request) => stream?,
    };
    let mut text = String::new();
    loop {
        let delta = tokio::select! {
            biased;
            () = dropped.cancelled() => return Err(unheard()),
            delta = stream.next() => delta,
        };
        match delta.transpose()? {
            Some(ChatDelta::Text(more)) => {
                bill.add_output(more.chars().count() as u64, 0);
                text.push_str(&more);
            }
            Some(ChatDelta::Reasoning(more)) => bill.add_output(0, more.chars().count() as u64),
            Some(delta) if delta.refusal().is_some() => {
                let refusal = delta.refusal().unwrap_or_default();
                bill.add_output(refusal.chars().count() as u64, 0);
                text.push_str(refusal);
            }
            Some(ChatDelta::Answering { model }) => bill.answering(&model),
            Some(ChatDelta::Usage(used)) => bill.add_usage(used),
            Some(ChatDelta::Finish(_)) => return Ok(text),
            Some(_) => {}
            None => return Err(protocol("the provider's answer ended early")),
        }
        if text.len() > MAX_ANSWER_BYTES {
            return Err(protocol("the model did not come to an end with its answer"));
        }
    }
}

fn protocol(why: &str) -> ProviderError {
    ProviderError::new(ProviderErrorKind::Protocol, why)
}

/// The error for a caller that no longer waits for the answer.
fn unheard() -> ProviderError {
    protocol("the answer is no longer awaited")
}
