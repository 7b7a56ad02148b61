//! Makes one call of the model.

use std::time::Duration;

use assist::BilledModel;
use assist::billing::{ModelUse, usage};
use futures::StreamExt;
use providers::{
    ChatDelta, ChatMessage, ChatRequest, Keys, Model, Models, ProviderError, ProviderErrorKind, Usage,
};

use super::Spending;

/// Time limit of one model call.
const TIMEOUT: Duration = Duration::from_secs(120);
/// Maximum size of an answer, in bytes. A longer answer is unlikely to be usable.
const MAX_ANSWER_BYTES: usize = 256 << 10;

/// The part of a model's answer received so far.
#[derive(Default)]
struct PartialAnswer {
    text: String,
    reasoning_chars: u64,
    used: Option<Usage>,
    /// Full id of the fallback model that answers.
    by: Option<String>,
}

/// Calls the model and returns its whole answer. Adds the usage to `spending`, even if the call fails.
pub(super) async fn ask(
    model: &Model,
    models: &Models,
    messages: &[ChatMessage],
    keys: Keys,
    spending: &mut Spending,
) -> Result<String, ProviderError> {
    let request = ChatRequest {
        model: model.upstream_id.clone(),
        messages: messages.to_vec(),
        keys,
        ..ChatRequest::default()
    };
    let (input_chars, mut partial) = (request.input_chars(), PartialAnswer::default());
    let late = || ProviderError::new(ProviderErrorKind::Timeout, "the model took too long to write the code");
    let ended = tokio::time::timeout(TIMEOUT, receive(model, request, &mut partial)).await;
    let PartialAnswer { text, reasoning_chars, used, by } = partial;
    let output_chars = text.chars().count() as u64;
    // An interrupted answer reports no usage, so it is estimated.
    let used = used.or_else(|| {
        let gave_something = output_chars + reasoning_chars > 0;
        gave_something.then(|| Usage::estimate(input_chars, output_chars, reasoning_chars))
    });
    if let Some(used) = used {
        let by = by.map_or_else(|| BilledModel::new(model), |id| BilledModel::named(models, &id));
        let (usage, cost_nanos) = (usage(&used), by.cost_nanos(&used));
        *spending.entry(by.model).or_default() += &ModelUse { usage, cost_nanos, estimated: used.estimated };
    }
    ended.map_err(|_| late())?.map(|()| text)
}

async fn receive(
    model: &Model,
    request: ChatRequest,
    partial: &mut PartialAnswer,
) -> Result<(), ProviderError> {
    let mut stream = model.stream(request).await?;
    while let Some(delta) = stream.next().await {
        match delta? {
            ChatDelta::Text(text) => partial.text.push_str(&text),
            ChatDelta::Reasoning(text) => partial.reasoning_chars += text.chars().count() as u64,
            ChatDelta::Usage(used) => partial.used = Some(used),
            ChatDelta::Answering { model } => partial.by = Some(model),
            ChatDelta::Finish(_) => return Ok(()),
            _ => {}
        }
        if partial.text.len() > MAX_ANSWER_BYTES {
            let kind = ProviderErrorKind::Protocol;
            return Err(ProviderError::new(kind, "the model's answer with the code is too long"));
        }
    }
    Err(ProviderError::new(ProviderErrorKind::Protocol, "the provider's answer ended early"))
}
