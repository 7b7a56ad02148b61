//! Embeddings in the format of the OpenAI API.

use actix_web::web::Data;
use assist::library::{EmbedError, Vectors};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use providers::EmbedPurpose;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use storage::accounting;
use storage::records::{Assistant, UsageRecord};
use storage::{Row, Timestamp};
use utoipa::ToSchema;

use super::partner::chosen;
use crate::App;
use crate::http::scopes::LlmUse;
use crate::http::{Api, Auth, Caller, Code, Faults, Json, LargeJson, Loaded, Refusal, Validate, operations};
use domain::assistants::access;

/// Maximum number of texts in one request.
const TEXTS: usize = 2_048;

/// Texts to embed.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CreateEmbeddingRequest {
    /// Id of the embedding model. If omitted or `default`, the tenant's embedding model is used.
    pub model: Option<String>,
    /// One text or several. Each text may also be a list of `cl100k_base` tokens.
    #[schema(value_type = Value)]
    pub input: Value,
    /// Encoding of the vectors. Defaults to `float`.
    #[serde(default)]
    pub encoding_format: EncodingFormat,
    /// Number of dimensions, at most that of the model. The vector is cut to its first dimensions and scaled to length 1. Only for models
    /// that support it.
    #[schema(minimum = 1, maximum = 65536)]
    pub dimensions: Option<usize>,
    /// Other fields (such as `user`), which are ignored.
    #[serde(flatten)]
    #[schema(value_type = Object)]
    _rest: Map<String, Value>,
}

/// Encoding of a vector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EncodingFormat {
    /// As JSON numbers.
    #[default]
    Float,
    /// As base64 of little-endian 32-bit floating-point numbers.
    Base64,
}

/// The embeddings of the requested texts.
#[derive(Debug, Serialize, ToSchema)]
pub struct CreateEmbeddingResponse {
    /// Always `list`.
    pub object: &'static str,
    /// One vector per text, scaled to length 1.
    pub data: Vec<EmbeddingObject>,
    /// Full id of the model.
    pub model: String,
    /// Token usage: `{prompt_tokens, total_tokens}`.
    #[schema(value_type = Object)]
    pub usage: Value,
}

/// The vector of one text.
#[derive(Debug, Serialize, ToSchema)]
pub struct EmbeddingObject {
    /// Always `embedding`.
    pub object: &'static str,
    /// Position of the text in the request, from 0.
    pub index: usize,
    /// The vector, as numbers or in base64.
    #[schema(value_type = Value)]
    pub embedding: Written,
}

/// A vector in the requested encoding.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Written {
    /// As JSON numbers, with the fewest digits that identify each value.
    Numbers(Vec<f32>),
    /// As base64 of the bytes.
    Base64(String),
}

impl Validate for CreateEmbeddingRequest {
    fn validate(&self, faults: &mut Faults) {
        if let Err(msg) = texts(&self.input) {
            faults.add(["input"], msg, "invalid");
        }
    }
}

/// Embed texts, as in the OpenAI API.
#[utoipa::path(post, path = "/api/chat/partner_compatible/embeddings",
    request_body = CreateEmbeddingRequest)]
async fn create_embedding(
    auth: Auth<LlmUse>,
    app: Data<App>,
    LargeJson(body): LargeJson<CreateEmbeddingRequest>,
) -> Api<Json<CreateEmbeddingResponse>> {
    embed(&app, &auth.caller(), body).await.map(Json)
}

/// Embed texts, under the address of an assistant.
///
/// Works like the address without an assistant, for clients whose base URL points to an assistant. Refused if the assistant is disabled.
#[utoipa::path(post, path = "/api/chat/partner_compatible/{assistant_id}/embeddings", params(("assistant_id" = Uuid, Path)),
    request_body = CreateEmbeddingRequest)]
async fn create_embedding_with_assistant(
    assistant: Loaded<Row<Assistant>, LlmUse>,
    app: Data<App>,
    LargeJson(body): LargeJson<CreateEmbeddingRequest>,
) -> Api<Json<CreateEmbeddingResponse>> {
    access::require_feature(&assistant, &assistant.auth)?;
    access::require_enabled(&assistant)?;
    embed(&app, &assistant.auth.caller(), body).await.map(Json)
}

async fn embed(app: &App, caller: &Caller, body: CreateEmbeddingRequest) -> Api<CreateEmbeddingResponse> {
    let named = chosen(body.model, None);
    let offer = assist::offer::offer(&app.store, &app.models, caller.tenant, caller.user).await?;
    let embedder = offer.embedder(named.as_deref()).ok_or_else(|| {
        let model = named.as_deref().unwrap_or_default();
        Refusal::new(Code::ModelNotFound).detail(format!("there is no embedding model {model:?}"))
    })?;
    let texts = texts(&body.input).map_err(|msg| Refusal::invalid("body", ["input"], msg, "invalid"))?;
    let who = (caller.tenant, caller.user);
    let embedding_result =
        app.run_context.library.embed(who, &embedder.info.id, texts, EmbedPurpose::Document).await;
    let spent = match &embedding_result {
        Ok(vectors) => Some(vectors),
        Err(EmbedError::Provider { spent, .. }) => Some(&**spent),
        Err(_) => None,
    };
    if let Some(spent) = spent {
        bill(app, caller, &embedder.info.provider, spent).await?;
    }
    let vectors = embedding_result.map_err(refusal)?;
    long_enough(&vectors, body.dimensions)?;
    let write = |(index, vector): (usize, &Vec<f32>)| {
        let vector = shortened(vector, body.dimensions, embedder.info.provider == "builtin");
        EmbeddingObject { object: "embedding", index, embedding: written(vector, body.encoding_format) }
    };
    let tokens = vectors.usage.input_tokens;
    Ok(CreateEmbeddingResponse {
        object: "list",
        data: vectors.vectors.iter().enumerate().map(write).collect(),
        model: vectors.model,
        usage: json!({"prompt_tokens": tokens, "total_tokens": tokens}),
    })
}

async fn bill(app: &App, caller: &Caller, provider: &str, spent: &Vectors) -> Api<()> {
    if spent.usage == Default::default() && spent.cost_nanos == 0 {
        return Ok(());
    }
    let record = UsageRecord {
        ts: Timestamp::now(),
        user: caller.user,
        model: spent.model.clone(),
        provider: provider.to_owned(),
        kind: "embedding".to_owned(),
        usage: spent.usage,
        cost_nanos: i64::try_from(spent.cost_nanos).unwrap_or(i64::MAX),
        billable: true,
        estimated: spent.estimated,
        token_id: caller.token_id,
        ..UsageRecord::default()
    };
    let tenant = caller.tenant;
    Ok(app.store.run(move |tx| accounting::book(tx, tenant, record.clone())).await?)
}

fn refusal(why: EmbedError) -> Refusal {
    match why {
        EmbedError::OverBudget(over) => over.into(),
        EmbedError::Storage(why) => why.into(),
        EmbedError::UnknownModel(model) => {
            Refusal::new(Code::ModelNotFound).detail(format!("there is no embedding model {model:?}"))
        }
        EmbedError::Provider { why: ref failure, .. } => {
            let code = match why.code() {
                "upstream_timeout" => Code::UpstreamTimeout,
                "upstream_refused" => Code::UpstreamRefused,
                "upstream_rate_limited" => Code::UpstreamRateLimited,
                _ => Code::UpstreamFailed,
            };
            let pause = failure.retry_after_s().or((code == Code::UpstreamRateLimited).then_some(1));
            Refusal::new(code)
                .detail(why.to_string())
                .provider_code(failure.code.as_deref())
                .retry_after_if(pause)
        }
    }
}

/// Returns the texts to embed; token lists are decoded.
fn texts(input: &Value) -> Result<Vec<String>, String> {
    let several = match input {
        Value::String(_) => std::slice::from_ref(input),
        Value::Array(items) if items.first().is_some_and(Value::is_u64) => std::slice::from_ref(input),
        Value::Array(items) => items.as_slice(),
        _ => return Err("must be a string or a list".to_owned()),
    };
    if several.is_empty() || several.len() > TEXTS {
        return Err(format!("must contain 1 to {TEXTS} texts"));
    }
    several
        .iter()
        .enumerate()
        .map(|(at, text)| one(text).map_err(|why| format!("text {at}: {why}")))
        .collect()
}

fn one(text: &Value) -> Result<String, &'static str> {
    match text {
        Value::String(text) if text.is_empty() => Err("it is empty"),
        Value::String(text) => Ok(text.clone()),
        Value::Array(tokens) if !tokens.is_empty() => {
            let tokens =
                tokens.iter().map(|token| token.as_u64().and_then(|token| u32::try_from(token).ok()));
            let tokens: Option<Vec<u32>> = tokens.collect();
            let tokens = tokens.ok_or("a token must be a number")?;
            knowledge::text_of_tokens(&tokens).ok_or("the tokens are not tokens of cl100k_base")
        }
        _ => Err("it must be a string or a list of tokens"),
    }
}

/// Cuts a vector to its first dimensions and scales it to length 1. The dimensions of hashed words are all equally significant, so in such
/// vectors the remaining dimensions are folded into the first ones.
fn shortened(vector: &[f32], dimensions: Option<usize>, hashed: bool) -> Vec<f32> {
    let Some(few) = dimensions.filter(|few| *few < vector.len()) else { return vector.to_vec() };
    let mut cut = vector[..few].to_vec();
    if hashed {
        for (at, number) in vector.iter().enumerate().skip(few) {
            cut[at % few] += number;
        }
    }
    let length = cut.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>().sqrt();
    match length > 0.0 {
        true => cut.iter().map(|x| (f64::from(*x) / length) as f32).collect(),
        false => cut,
    }
}

/// Refuses a request for more dimensions than the model has: a client that allocates space for them would fail later.
fn long_enough(vectors: &Vectors, wanted: Option<usize>) -> Api<()> {
    let length = vectors.vectors.first().map_or(0, Vec::len);
    match wanted.filter(|wanted| *wanted > length) {
        None => Ok(()),
        Some(_) => {
            let msg = format!("{} has {length} dimensions", vectors.model);
            Err(Refusal::invalid("body", ["dimensions"], msg, "out_of_range"))
        }
    }
}

fn written(vector: Vec<f32>, format: EncodingFormat) -> Written {
    match format {
        EncodingFormat::Float => Written::Numbers(vector),
        EncodingFormat::Base64 => {
            let bytes: Vec<u8> = vector.iter().flat_map(|x| x.to_le_bytes()).collect();
            Written::Base64(STANDARD.encode(bytes))
        }
    }
}

operations!(create_embedding with v1, create_embedding_with_assistant with v1);
