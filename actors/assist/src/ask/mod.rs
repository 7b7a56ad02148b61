//! One question to a model, outside of any run: asked, answered, and put on the bill.
//!
//! What it took is recorded whether something came of it or not, and also where the caller does not
//! wait for the answer: the call is ended then.

mod bill;
mod hear;
mod json;

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

/// The provider whose models do not think.
const BUILTIN: &str = "builtin";

/// On whose behalf a model is asked, and who pays for it.
#[derive(Clone, Copy, Debug)]
pub struct Requester {
    pub tenant: TenantId,
    /// Who they are.
    pub user: Uuid,
    /// The API token that was used.
    pub token_id: Option<Uuid>,
}

impl From<&Caller> for Requester {
    fn from(caller: &Caller) -> Self {
        Self { tenant: caller.tenant, user: caller.user, token_id: caller.token_id }
    }
}

/// A question.
pub struct Ask {
    /// Who asks.
    pub requester: Requester,
    /// What the bill calls it, for example `utils`.
    pub kind: &'static str,
    /// The model; see [`model`].
    pub model: Arc<Model>,
    /// The caller's own keys.
    pub keys: Keys,
    /// Where the price of a model is found that answers in its place.
    pub models: Arc<Models>,
    /// The instructions that stand above the question.
    pub system: String,
    /// The question.
    pub prompt: String,
    /// A JSON Schema of the answer, where it is to be JSON. Models that cannot be held to one are only
    /// told of it; what comes is to be checked in any case.
    pub schema: Option<Value>,
    /// How long the model may take.
    pub patience: Duration,
}

/// What a model answered.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// Its words.
    pub text: String,
    /// The JSON in them, where JSON was asked for.
    pub json: Option<Value>,
    /// Tokens.
    pub usage: Usage,
    /// What they cost, in thousand-millionths of a dollar.
    pub cost_nanos: u64,
    /// Whether the tokens were estimated.
    pub estimated: bool,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum NoAnswer {
    /// There is no such model.
    #[error("there is no model {0:?}{omission}", omission = providers::omission(.0))]
    UnknownModel(String),
    /// Nothing more may be spent on models.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// The provider gave none.
    #[error(transparent)]
    Upstream(#[from] ProviderError),
    /// What the model says is of no use: why.
    #[error("the model's answer is of no use: {0}")]
    Unusable(&'static str),
    /// It is us.
    #[error(transparent)]
    Storage(#[from] storage::Error),
}

impl NoAnswer {
    /// A stable name for machines.
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnknownModel(_) => "unknown_model",
            Self::OverBudget(_) => OverBudget::CODE,
            Self::Upstream(why) => why.stable_code(),
            Self::Unusable(_) => "unusable_answer",
            Self::Storage(_) => "storage",
        }
    }

    /// The name that the provider itself has for its failure.
    pub fn provider_code(&self) -> Option<&str> {
        match self {
            Self::Upstream(why) => why.code.as_deref(),
            _ => None,
        }
    }

    /// Whether the model took longer than it may.
    pub fn is_timeout(&self) -> bool {
        matches!(self, Self::Upstream(why) if why.kind == ProviderErrorKind::Timeout)
    }
}

/// The model that answers: the one that is named, else the user's, the tenant's, the installation's; and
/// the keys to ask it with.
///
/// # Errors
/// [`NoAnswer::UnknownModel`] where the named model is not available to the caller, and
/// [`NoAnswer::OverBudget`] where they may spend no more.
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

/// Whether a model is one of those that do not think, so that a question which needs that is better
/// answered in another way; see [`answered`].
pub fn is_builtin(model: &Model) -> bool {
    model.info.provider == BUILTIN
}

/// Asks. Dropping the future ends the call; what it took until then is recorded all the same.
///
/// # Errors
/// Whatever kept the model from answering, and an answer without JSON where that was asked for.
pub async fn ask(store: &Store, ask: Ask) -> Result<Answer, NoAnswer> {
    let (gone, store) = (CancellationToken::new(), store.clone());
    let _guard = gone.clone().drop_guard();
    let answer = async move { answer_within(&store, ask, gone).await };
    trace::spawn(trace::current(), answer)
        .await
        .map_err(|why| storage::Error::Io(std::io::Error::other(why)))?
}

async fn answer_within(store: &Store, ask: Ask, gone: CancellationToken) -> Result<Answer, NoAnswer> {
    let mut bill = Bill::new(&ask);
    let mut request = request(&ask);
    let said = tokio::time::timeout(ask.patience, async {
        let said = hear::hear(&ask.model, request.clone(), &mut bill, &gone).await;
        if !said.as_ref().is_err_and(|why| dislikes_the_shape(why, &request)) {
            return said;
        }
        request.parameters.remove("response_format");
        hear::hear(&ask.model, request.clone(), &mut bill, &gone).await
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

/// Records an answer that was found without asking the model, at the words of question and answer; it
/// costs nothing.
///
/// # Errors
/// Those of the store.
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

/// Whether a provider may have refused because it cannot hold a model to a shape.
fn dislikes_the_shape(why: &ProviderError, request: &ChatRequest) -> bool {
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
