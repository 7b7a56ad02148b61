//! A single question to a model outside of any run: it is asked, answered and billed.
//!
//! Usage is recorded whether or not the question is answered, and also if the caller stops waiting, which ends the
//! call.

mod bill;
mod json;
mod receive;

use domain::{Caller, Code, Refusal};
use std::sync::Arc;
use std::time::Duration;

use providers::{ChatMessage, ChatRequest, Keys, Model, Models, ProviderError, ProviderErrorKind, Role};
use runs::OverBudget;
use serde_json::{Map, Value, json};
use storage::records::Usage;
use storage::{Store, TenantId};
use telemetry::trace;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::offer::offer;
use crate::run_context::RunContext;
use bill::Bill;
pub use json::json_in;

/// The provider of the built-in models, which do not reason.
const BUILTIN: &str = "builtin";

/// The user on whose behalf a model is called, and who is billed for it.
#[derive(Clone, Copy, Debug)]
pub struct Requester {
    pub tenant: TenantId,
    /// The user who asks.
    pub user: Uuid,
    /// The API token that was used.
    pub token_id: Option<Uuid>,
}

impl From<&Caller> for Requester {
    fn from(caller: &Caller) -> Self {
        Self { tenant: caller.tenant, user: caller.user, token_id: caller.token_id }
    }
}

/// A question to a model, with all parameters of the call.
pub struct Ask {
    /// The user who asks.
    pub requester: Requester,
    /// Purpose in the usage record, for example `utils`.
    pub kind: &'static str,
    /// The model; see [`model`].
    pub model: Arc<Model>,
    /// The caller's own API keys.
    pub keys: Keys,
    /// All models, to find the price of a model that answers in place of the requested one.
    pub models: Arc<Models>,
    /// System prompt that precedes the question.
    pub system: String,
    /// Text of the question.
    pub prompt: String,
    /// A JSON Schema of the answer, if JSON is wanted. Models without support for schemas are only instructed to follow
    /// it, so the answer has to be validated in any case.
    pub schema: Option<Value>,
    /// Maximum time for the answer.
    pub patience: Duration,
}

/// The answer of a model.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// Text that the model wrote.
    pub text: String,
    /// The JSON value in the text, if JSON was requested.
    pub json: Option<Value>,
    /// Tokens used.
    pub usage: Usage,
    /// Cost of the tokens in billionths of a dollar.
    pub cost_nanos: u64,
    /// Whether the tokens were estimated.
    pub estimated: bool,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum NoAnswer {
    /// The model does not exist for the caller.
    #[error("there is no model {0:?}{omission}", omission = providers::omission(.0))]
    UnknownModel(String),
    /// The budget for models is exhausted.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// The provider returned no answer.
    #[error(transparent)]
    Upstream(#[from] ProviderError),
    /// The model's answer cannot be used, for the given reason.
    #[error("the model's answer is of no use: {0}")]
    Unusable(&'static str),
    /// The underlying storage operation failed.
    #[error(transparent)]
    Storage(#[from] storage::Error),
}

impl NoAnswer {
    /// Stable machine-readable error code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnknownModel(_) => "unknown_model",
            Self::OverBudget(_) => OverBudget::CODE,
            Self::Upstream(why) => why.stable_code(),
            Self::Unusable(_) => "unusable_answer",
            Self::Storage(_) => "storage",
        }
    }

    /// The provider's own error code.
    pub fn provider_code(&self) -> Option<&str> {
        match self {
            Self::Upstream(why) => why.code.as_deref(),
            _ => None,
        }
    }

    /// Whether the model exceeded its time limit.
    pub fn is_timeout(&self) -> bool {
        matches!(self, Self::Upstream(why) if why.kind == ProviderErrorKind::Timeout)
    }
}

/// Selects the model: the named one, or otherwise the default of the user, the tenant or the installation. Returns it
/// with the API keys for the call.
///
/// # Errors
/// [`NoAnswer::UnknownModel`] if the named model is not available to the caller, and [`NoAnswer::OverBudget`] if the
/// caller's budget is exhausted.
pub async fn model(
    run_context: &RunContext,
    requester: Requester,
    named: Option<String>,
) -> Result<(Arc<Model>, Keys), NoAnswer> {
    let offer = offer(&run_context.store, &run_context.models, requester.tenant, requester.user).await?;
    let model = match named {
        Some(named) => offer.find(&named).ok_or(NoAnswer::UnknownModel(named))?,
        None => offer.default(),
    };
    offer.within_budget()?;
    Ok((model, offer.keys()))
}

/// Whether a model is a built-in one without reasoning, so that a question that requires reasoning is better answered
/// in another way; see [`answered`].
pub fn is_builtin(model: &Model) -> bool {
    model.info.provider == BUILTIN
}

/// Asks a question. Dropping the future ends the call; the usage up to then is recorded.
///
/// # Errors
/// The error that prevented an answer, or an answer without JSON although JSON was requested.
pub async fn ask(store: &Store, ask: Ask) -> Result<Answer, NoAnswer> {
    let (dropped, store) = (CancellationToken::new(), store.clone());
    let _guard = dropped.clone().drop_guard();
    let answer = async move { answer_within(&store, ask, dropped).await };
    trace::spawn(trace::current(), answer)
        .await
        .map_err(|why| storage::Error::Io(std::io::Error::other(why)))?
}

async fn answer_within(store: &Store, ask: Ask, dropped: CancellationToken) -> Result<Answer, NoAnswer> {
    let mut bill = Bill::new(&ask);
    let mut request = request(&ask);
    let said = tokio::time::timeout(ask.patience, async {
        let said = receive::receive_answer(&ask.model, request.clone(), &mut bill, &dropped).await;
        if !said.as_ref().is_err_and(|why| may_lack_response_format(why, &request)) {
            return said;
        }
        request.parameters.remove("response_format");
        receive::receive_answer(&ask.model, request.clone(), &mut bill, &dropped).await
    });
    let late = || ProviderError::new(ProviderErrorKind::Timeout, "the model took too long to answer");
    let said = said.await.unwrap_or_else(|_| Err(late()));
    let answer = bill.settle(store).await?;
    let text = said?;
    let json = match ask.schema {
        Some(_) => Some(json_in(&text).ok_or(NoAnswer::Unusable("it holds no JSON"))?),
        None => None,
    };
    Ok(Answer { text, json, ..answer })
}

/// Records the usage of an answer that was found without calling the model: one token per word of the question and the
/// answer, at no cost.
///
/// # Errors
/// Returns an error if the store fails.
pub async fn answered(store: &Store, ask: Ask, text: String) -> Result<Answer, NoAnswer> {
    let words = |text: &str| text.split_whitespace().count() as u64;
    let mut bill = Bill::new(&ask);
    bill.add_usage(providers::Usage {
        input_tokens: words(&ask.prompt),
        output_tokens: words(&text),
        ..providers::Usage::default()
    });
    let answer = bill.settle(store).await?;
    Ok(Answer { text, ..answer })
}

fn request(ask: &Ask) -> ChatRequest {
    let mut system = ask.system.clone();
    let mut parameters = Map::new();
    if let Some(schema) = &ask.schema {
        system.push_str("\n\nAnswer with one JSON value that fits this JSON Schema and with nothing else:\n");
        system.push_str(&schema.to_string());
        let format = json!({"name": "answer", "schema": schema});
        let format = json!({"type": "json_schema", "json_schema": format});
        parameters.insert("response_format".to_owned(), format);
    }
    let messages =
        vec![ChatMessage::text(Role::System, system), ChatMessage::text(Role::User, ask.prompt.clone())];
    let model = ask.model.upstream_id.clone();
    ChatRequest { model, messages, parameters, keys: ask.keys.clone(), ..ChatRequest::default() }
}

/// Whether a provider may have refused the request because it does not support response formats.
fn may_lack_response_format(why: &ProviderError, request: &ChatRequest) -> bool {
    let refused = matches!(why.kind, ProviderErrorKind::Refused | ProviderErrorKind::Status(400..=499));
    refused && request.parameters.contains_key("response_format")
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;

impl From<NoAnswer> for Refusal {
    fn from(why: NoAnswer) -> Self {
        let pause = match &why {
            NoAnswer::Upstream(failure) => failure.retry_after_s(),
            _ => None,
        };
        let named = why.provider_code().map(str::to_owned);
        let code = match why {
            NoAnswer::Storage(why) => return why.into(),
            NoAnswer::OverBudget(over) => return over.into(),
            NoAnswer::UnknownModel(_) => Code::ModelNotFound,
            NoAnswer::Upstream(_) if why.is_timeout() => Code::UpstreamTimeout,
            NoAnswer::Upstream(_) | NoAnswer::Unusable(_) => Code::UpstreamFailed,
        };
        Self::new(code)
            .detail(why.to_string())
            .extra("reason", why.code())
            .provider_code(named.as_deref())
            .retry_after_if(pause)
    }
}
