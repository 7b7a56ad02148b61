//! Settings with which coding agents use this server. They never contain an API key.

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

/// Environment variable from which an agent reads the API key.
const KEY: &str = "UNDERSTUDY_API_KEY";

/// Selects the models to export; by default all models.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct ExportCodingAgentConfig {
    /// Only these models. May be repeated.
    #[param(max_items = 200)]
    pub model_ids: Option<Vec<String>>,
    /// Only the caller's favourite models.
    pub only_favorites: bool,
}

impl Validate for ExportCodingAgentConfig {}

/// A settings file for a coding agent.
#[derive(Debug, Serialize, ToSchema)]
pub struct CodingAgentConfigExportResponse {
    /// Name of the file.
    pub filename: String,
    /// Where the file belongs.
    pub target_path: String,
    pub media_type: String,
    pub content: String,
    /// Environment variables that the agent needs, with their descriptions.
    pub env: BTreeMap<String, String>,
    /// The remaining setup steps, as text.
    pub instructions: String,
}

/// The values from which the settings of an agent are built.
struct AgentSettings {
    base_url: String,
    /// The selected models; never empty.
    models: Vec<ModelInfo>,
    /// Id of the model that the agent uses first.
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

/// Returns the base URL of the OpenAI-compatible API: under the configured public URL, otherwise under the address that this request used.
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

/// Returns the environment variables that agents need.
fn env() -> BTreeMap<String, String> {
    let what = "An API token with the scope llm:use; create one with POST /api/auth/api-tokens.";
    BTreeMap::from([(KEY.to_owned(), what.to_owned())])
}

/// Converts a price to dollars per million tokens.
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
