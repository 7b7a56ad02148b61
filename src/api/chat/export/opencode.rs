//! Settings for opencode: a provider of the type `@ai-sdk/openai-compatible`.

use providers::ModelInfo;
use serde_json::{Map, Value, json};

use super::{AgentSettings, CodingAgentConfigExportResponse, KEY, can, env, per_million, text};

/// Name of the provider in the settings.
const PROVIDER: &str = "understudy";

pub(super) fn settings(agent: &AgentSettings) -> CodingAgentConfigExportResponse {
    let models: Map<String, Value> =
        agent.models.iter().map(|info| (info.id.clone(), Value::Object(model(info)))).collect();
    let content = json!({
        "$schema": "https://opencode.ai/config.json",
        "provider": {PROVIDER: {
            "npm": "@ai-sdk/openai-compatible",
            "name": "Understudy",
            "options": {"baseURL": agent.base_url, "apiKey": format!("{{env:{KEY}}}")},
            "models": models,
        }},
        "model": format!("{PROVIDER}/{}", agent.default),
    });
    CodingAgentConfigExportResponse {
        filename: "opencode.json".to_owned(),
        target_path: "~/.config/opencode/opencode.json".to_owned(),
        media_type: "application/json".to_owned(),
        content: text(&content),
        env: env(),
        instructions: format!(
            "Save the file at that path, or as opencode.json at the top of a project; if there is one, add its \
             `provider`. Set {KEY} in the environment to an API token with the scope llm:use, start opencode, \
             and choose a model with /models."
        ),
    }
}

/// The entry of a model in opencode's settings. Contains only what is known, because opencode assumes the best for missing fields.
fn model(info: &ModelInfo) -> Map<String, Value> {
    let mut model = Map::from_iter([("name".to_owned(), json!(info.name))]);
    if let Some(context) = info.context_window {
        let output = info.max_output_tokens.unwrap_or(context / 4);
        model.insert("limit".to_owned(), json!({"context": context, "output": output}));
    }
    for (tag, field) in [("tools", "tool_call"), ("vision", "attachment"), ("reasoning", "reasoning")] {
        if can(info, tag) {
            model.insert(field.to_owned(), json!(true));
        }
    }
    let prices = &info.prices;
    if prices.input_nanos_per_token + prices.output_nanos_per_token > 0 {
        let cost = json!({
            "input": per_million(prices.input_nanos_per_token),
            "output": per_million(prices.output_nanos_per_token),
            "cache_read": per_million(prices.cached_nanos_per_token),
        });
        model.insert("cost".to_owned(), cost);
    }
    model
}
