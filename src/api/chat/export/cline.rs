//! Settings for Cline: the `OpenAiCompatible` part of an organisation's remote configuration.

use providers::ModelInfo;
use serde_json::{Map, Value, json};

use super::{AgentSettings, CodingAgentConfigExportResponse, can, env, per_million, text};

pub(super) fn settings(agent: &AgentSettings) -> CodingAgentConfigExportResponse {
    let models: Vec<Value> = agent.models.iter().map(|info| Value::Object(model(info))).collect();
    let content = json!({
        "version": "v1",
        "providerSettings": {"OpenAiCompatible": {"openAiBaseUrl": agent.base_url, "models": models}},
    });
    CodingAgentConfigExportResponse {
        filename: "cline-remote-config.json".to_owned(),
        target_path: "remote configuration of the organisation in Cline's admin console".to_owned(),
        media_type: "application/json".to_owned(),
        content: text(&content),
        env: env(),
        instructions: format!(
            "As an administrator, add `providerSettings` to the remote configuration of your organisation. Each user \
             then enters an API token with the scope llm:use as the key of the provider. Without an organisation: in \
             Cline's settings, choose the provider \"OpenAI Compatible\", the base URL {}, the token as the key, and \
             the model {}.",
            agent.base_url, agent.default
        ),
    }
}

/// The entry of a model in Cline's settings. Prices are in dollars per million tokens.
fn model(info: &ModelInfo) -> Map<String, Value> {
    let mut model = Map::from_iter([("id".to_owned(), json!(info.id))]);
    let mut set = |field: &str, value: Option<Value>| {
        if let Some(value) = value {
            model.insert(field.to_owned(), value);
        }
    };
    set("contextWindow", info.context_window.map(Value::from));
    set("maxTokens", info.max_output_tokens.map(Value::from));
    set("supportsImages", can(info, "vision").then_some(json!(true)));
    let prices = &info.prices;
    let known = prices.input_nanos_per_token + prices.output_nanos_per_token > 0;
    set("inputPrice", known.then(|| per_million(prices.input_nanos_per_token)));
    set("outputPrice", known.then(|| per_million(prices.output_nanos_per_token)));
    model
}
