//! Settings with which coding agents use this server. There is never a key in them.

mod cline;
mod opencode;

use std::collections::BTreeMap;

use actix_web::HttpRequest;
use actix_web::http::header::HOST;
use actix_web::web::Data;
use assist::offer::offer;
use providers::ModelInfo;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};

use crate::App;
use crate::config::Config;
use crate::http::scopes::Any;
use crate::http::{Api, Auth, Caller, Code, Json, Query, Refusal, Validate, operations};

/// The variable from which an agent takes the key.
const KEY: &str = "UNDERSTUDY_API_KEY";

/// The models to export; by default all.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct ExportCodingAgentConfig {
    /// These models; may be repeated.
    #[param(max_items = 200)]
    pub model_ids: Option<Vec<String>>,
    /// Only those that the caller marked.
    pub only_favorites: bool,
}

impl Validate for ExportCodingAgentConfig {}

/// A file of settings for a coding agent.
#[derive(Debug, Serialize, ToSchema)]
pub struct CodingAgentConfigExportResponse {
    /// The name of the file.
    pub filename: String,
    /// Where it belongs.
    pub target_path: String,
    pub media_type: String,
    pub content: String,
    /// Environment variables that the agent needs, with their descriptions.
    pub env: BTreeMap<String, String>,
    /// The remaining steps, as text.
    pub instructions: String,
}

/// What the settings of an agent are made from.
struct AgentSettings {
    base_url: String,
    /// Never empty.
    models: Vec<ModelInfo>,
    /// The one to begin with.
    default: String,
}

/// Export settings for the coding agent opencode.
#[utoipa::path(
    get,
    path = "/api/chat/partner_compatible/export/coding_agent_a",
    params(ExportCodingAgentConfig)
)]
async fn export_coding_agent_a_config(
    auth: Auth<Any>,
    app: Data<App>,
    request: HttpRequest,
    Query(query): Query<ExportCodingAgentConfig>,
) -> Api<Json<CodingAgentConfigExportResponse>> {
    agent_settings(&app, &auth, &request, query).await.map(|agent| Json(opencode::settings(&agent)))
}

/// Export settings for the coding agent Cline.
#[utoipa::path(
    get,
    path = "/api/chat/partner_compatible/export/coding_agent_b",
    params(ExportCodingAgentConfig)
)]
async fn export_coding_agent_b_config(
    auth: Auth<Any>,
    app: Data<App>,
    request: HttpRequest,
    Query(query): Query<ExportCodingAgentConfig>,
) -> Api<Json<CodingAgentConfigExportResponse>> {
    agent_settings(&app, &auth, &request, query).await.map(|agent| Json(cline::settings(&agent)))
}

async fn agent_settings(
    app: &App,
    caller: &Caller,
    request: &HttpRequest,
    query: ExportCodingAgentConfig,
) -> Api<AgentSettings> {
    let offer = offer(&app.store, &app.models, caller.tenant, caller.user).await?;
    let mut models = offer.models();
    if let Some(named) = &query.model_ids {
        let mut ids = Vec::with_capacity(named.len());
        for name in named {
            let found = offer.find(name).map(|model| model.info.id.clone());
            let missing = || Refusal::new(Code::ModelNotFound).detail(format!("there is no model {name:?}"));
            ids.push(found.ok_or_else(missing)?);
        }
        models.retain(|model| ids.contains(&model.id));
    }
    if query.only_favorites {
        models.retain(|model| offer.terms().favourites.contains(&model.id));
    }
    let usual = models.iter().find(|model| model.is_default).or(models.first());
    let Some(default) = usual.map(|model| model.id.clone()) else {
        let field = if query.only_favorites { "only_favorites" } else { "model_ids" };
        return Err(Refusal::invalid("query", [field], "matches no model", "empty"));
    };
    Ok(AgentSettings { base_url: base_url(&app.config, request), models, default })
}

/// Where agents find the OpenAI-compatible interface: below the address that is configured, or else the one at which
/// this request was asked.
fn base_url(config: &Config, request: &HttpRequest) -> String {
    let origin = match &config.server.public_url {
        Some(url) => url.trim_end_matches('/').to_owned(),
        None if config.server.trust_forwarded => {
            let connection = request.connection_info();
            format!("{}://{}", connection.scheme(), connection.host())
        }
        None => {
            let host = request.headers().get(HOST).and_then(|host| host.to_str().ok());
            format!("http://{}", host.map_or_else(|| config.server.listen.to_string(), str::to_owned))
        }
    };
    format!("{origin}/api/chat/partner_compatible/v1")
}

/// The variables of the environment that agents need.
fn env() -> BTreeMap<String, String> {
    let what = "An API token with the scope llm:use; create one with POST /api/auth/api-tokens.";
    BTreeMap::from([(KEY.to_owned(), what.to_owned())])
}

/// Dollars a million tokens.
fn per_million(nanos_per_token: u64) -> Value {
    json!(nanos_per_token as f64 / 1_000.0)
}

fn can(model: &ModelInfo, tag: &str) -> bool {
    model.capability_tags.iter().any(|known| known == tag)
}

fn text(settings: &Value) -> String {
    format!("{settings:#}\n")
}

operations!(export_coding_agent_a_config, export_coding_agent_b_config);
