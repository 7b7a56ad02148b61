//! Code for `code` nodes that is written by a model: the model writes, the sandbox tests, and failures are reported to the model.

mod ask;
mod check;
mod pass_through;
mod recorded;
mod words;

use domain::{Code, Refusal};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

use assist::billing::ModelUse;
use assist::offer::{ModelAccess, offer};
use providers::{ChatMessage, Model, Models, ProviderError, ProviderErrorKind, Role};
use runs::OverBudget;
use sandbox::Sandbox;
use serde::{Deserialize, Serialize};
use storage::accounting;
use storage::records::UsageRecord;
use storage::{Store, TenantId, Timestamp, Tx};
use utoipa::ToSchema;
use uuid::Uuid;

use super::graph::ValueType;
use super::nodes::Fields;
use check::Trial;

pub use check::{Check, CheckError};
pub use recorded::recorded;

/// Maximum number of times that a model may correct its code.
const MAX_REPAIRS: u32 = 3;
/// The provider whose model cannot write code.
const BUILTIN: &str = "builtin";

/// A request to write code for a `code` node.
#[derive(Clone, Debug, Default)]
pub struct CodeBoxRequest {
    /// Describes in words what the code must do.
    pub instruction: String,
    /// The inputs that the code receives.
    pub inputs: BTreeMap<String, ValueType>,
    /// The outputs that the code must return.
    pub outputs: BTreeMap<String, ValueType>,
    /// The cases that the code is tested on.
    pub examples: Vec<CodeBoxExample>,
    /// Inputs of the node in earlier runs. Used as test cases if there are no examples.
    pub recorded: Vec<Fields>,
    /// The model that writes the code.
    pub model: String,
}

/// A test case: inputs, and the outputs that the code must return for them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CodeBoxExample {
    /// The inputs that the code receives.
    #[schema(value_type = Object)]
    pub inputs: Fields,
    /// The outputs that the code must return. Outputs that are not listed may have any value of their type.
    #[schema(value_type = Option<Object>)]
    pub outputs: Option<Fields>,
}

/// The principal on whose behalf code is written.
#[derive(Clone, Debug)]
pub struct OnBehalf {
    pub tenant: TenantId,
    /// The user who makes the request.
    pub user: Uuid,
    /// The API token of the request, if one was used.
    pub token_id: Option<Uuid>,
    /// The assistant for whose workflow the code is written.
    pub assistant_id: Uuid,
}

/// Generated code and the results of its checks.
#[derive(Clone, Debug)]
pub struct Built {
    pub code: String,
    /// The test cases and their results.
    pub checks: Vec<Check>,
    /// Number of times that the model wrote code.
    pub attempts: u32,
    /// Full id of the model that wrote the code.
    pub model: String,
    /// The usage of all model calls.
    pub spent: ModelUse,
}

/// The usage of each model that answered, by the full id of the model.
type Spending = BTreeMap<String, ModelUse>;

/// Why no code was generated.
#[derive(Debug, thiserror::Error)]
pub enum BuildFailure {
    /// The requested model does not exist.
    #[error("there is no model {0:?}")]
    UnknownModel(String),
    /// The budget for models is exhausted.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// The model did not answer.
    #[error(transparent)]
    Upstream(ProviderError),
    /// No sandbox is available to test the code.
    #[error("{0}")]
    NoSandbox(String),
    /// The code failed its checks even after corrections.
    #[error("{message}")]
    NeverPassed {
        /// Describes the last failure.
        message: String,
        /// The last version of the code, with its checks.
        last: Box<Built>,
    },
    /// The usage could not be recorded.
    #[error(transparent)]
    Storage(#[from] storage::Error),
}

/// Writes code and records the usage of models, whether or not the code passes.
pub async fn build_for(
    who: OnBehalf,
    store: &Store,
    models: &Arc<Models>,
    sandbox: &Sandbox,
    request: &CodeBoxRequest,
) -> Result<Built, BuildFailure> {
    let mut spending = Spending::new();
    let offer = offer(store, models, who.tenant, who.user).await?;
    offer.within_budget()?;
    let built = build(&offer, models, sandbox, request, &mut spending).await;
    let taken = spending.iter().filter(|(_, spent)| **spent != ModelUse::default());
    let records: Vec<_> = taken.map(|(model, spent)| usage_record(&who, model, *spent)).collect();
    if !records.is_empty() {
        let write = move |tx: &mut Tx| {
            records.iter().try_for_each(|record| accounting::book(tx, who.tenant, record.clone()))
        };
        store.run(write).await?;
    }
    built
}

/// Writes code. Adds the usage of models to `spending`, even on failure.
async fn build(
    offer: &ModelAccess,
    models: &Models,
    sandbox: &Sandbox,
    request: &CodeBoxRequest,
    spending: &mut Spending,
) -> Result<Built, BuildFailure> {
    let model = offer.find(&request.model);
    let model = model.ok_or_else(|| BuildFailure::UnknownModel(request.model.clone()))?;
    let trial = Trial::new(sandbox, request);
    if model.info.provider == BUILTIN {
        let code = pass_through::write(&request.inputs, &request.outputs);
        let checks = trial.run(&code).await?;
        return verdict(code, checks, 1, &model, spending);
    }
    let mut messages = vec![
        ChatMessage::text(Role::System, words::RULES),
        ChatMessage::text(Role::User, words::task(request, &trial)),
    ];
    let mut attempts = 0;
    loop {
        attempts += 1;
        let answer = ask::ask(&model, models, &messages, offer.keys(), spending).await;
        let answer = answer.map_err(BuildFailure::Upstream)?;
        let code = words::code_in(&answer);
        let checks = trial.run(&code).await?;
        if attempts > MAX_REPAIRS || checks.iter().all(|check| check.passed) {
            return verdict(code, checks, attempts, &model, spending);
        }
        messages.push(ChatMessage::text(Role::Assistant, answer));
        messages.push(ChatMessage::text(Role::User, words::complaint(&checks)));
    }
}

fn verdict(
    code: String,
    checks: Vec<Check>,
    attempts: u32,
    model: &Model,
    spending: &Spending,
) -> Result<Built, BuildFailure> {
    let mut spent = ModelUse::default();
    spending.values().for_each(|used| spent += used);
    let failed = checks.iter().find(|check| !check.passed).map(Check::complaint);
    let built = Built { code, checks, attempts, model: model.info.id.clone(), spent };
    match failed {
        None => Ok(built),
        Some(message) => Err(BuildFailure::NeverPassed { message, last: Box::new(built) }),
    }
}

fn usage_record(who: &OnBehalf, model: &str, spent: ModelUse) -> UsageRecord {
    UsageRecord {
        ts: Timestamp::now(),
        user: who.user,
        assistant_id: Some(who.assistant_id),
        model: model.to_owned(),
        provider: model.split('/').next().unwrap_or_default().to_owned(),
        kind: "code_box".to_owned(),
        usage: spent.usage,
        cost_nanos: i64::try_from(spent.cost_nanos).unwrap_or(i64::MAX),
        billable: true,
        estimated: spent.estimated,
        token_id: who.token_id,
        ..UsageRecord::default()
    }
}

impl From<BuildFailure> for Refusal {
    fn from(why: BuildFailure) -> Self {
        let message = why.to_string();
        match why {
            BuildFailure::OverBudget(over) => over.into(),
            BuildFailure::UnknownModel(_) => Self::new(Code::ModelNotFound).detail(message),
            BuildFailure::Upstream(why) if why.kind == ProviderErrorKind::Timeout => {
                Self::new(Code::UpstreamTimeout).detail(message)
            }
            BuildFailure::Upstream(why) => {
                Self::new(Code::UpstreamFailed).detail(message).provider_code(why.code.as_deref())
            }
            BuildFailure::NoSandbox(_) => Self::new(Code::Overloaded).detail(message).retry_after(1),
            BuildFailure::NeverPassed { last, .. } => Self::new(Code::CodeNeverPassed)
                .detail(message)
                .extra("code_written", last.code)
                .extra("checks", json!(last.checks))
                .extra("attempts", last.attempts)
                .extra("usage", json!(last.spent.usage))
                .extra("cost_nanos", Value::from(last.spent.cost_nanos)),
            BuildFailure::Storage(why) => why.into(),
        }
    }
}
