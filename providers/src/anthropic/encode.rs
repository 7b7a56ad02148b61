//! Encodes a request for the Messages API.

use serde_json::{Map, Value, json};

use super::thinking::Thinking;
use super::version::Version;
use super::{blocks, schema};
use crate::chat::{ChatRequest, ProviderError, ToolSpec};

/// The token limit of a response if neither the caller nor the model's configuration sets one.
const DEFAULT_MAX_TOKENS: u64 = 8_192;
/// The instruction for JSON output without a schema, for which the API has no setting.
const ANY_JSON: &str = "Answer with one JSON object and nothing else: no words around it and no code fence.";

/// Returns the body of a streaming request.
///
/// # Errors
/// Returns an error if the API cannot express the content.
pub(super) fn body(request: &ChatRequest, most: Option<u64>) -> Result<Vec<u8>, ProviderError> {
    let parameters = &request.parameters;
    let wants = |key: &str| parameters.get(key).filter(|value| !value.is_null());
    let choice = tool_choice(request);
    let forced = choice.as_ref().is_some_and(|choice| choice["type"] == "any" || choice["type"] == "tool");
    let usual = most.unwrap_or(DEFAULT_MAX_TOKENS);
    let limit = ["max_completion_tokens", "max_tokens"].into_iter().find_map(|key| wants(key)?.as_u64());
    let limit = limit.map(|limit| limit.max(1));
    let thinking = Thinking::new(request, forced, limit, usual);
    let format = wants("response_format");
    let json = format.is_some_and(|format| format["type"] == "json_object");

    let mut body = Map::new();
    let mut set = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            body.insert(key.to_owned(), value);
        }
    };
    set("model", Some(request.model.as_str().into()));
    let room = thinking.room.map(|room| room.min(most.unwrap_or(u64::MAX)));
    set("max_tokens", Some(limit.or(room).unwrap_or(usual).into()));
    set("stream", Some(true.into()));
    let messages = request.with_a_turn();
    set("system", blocks::system(&messages, json.then_some(ANY_JSON))?);
    set("messages", Some(blocks::turns(&messages)?.into()));
    if !request.tools.is_empty() {
        set("tools", Some(request.tools.iter().map(tool).collect()));
        set("tool_choice", choice);
    }
    set("stop_sequences", wants("stop").and_then(stop));
    for (key, value) in sampling(request, &thinking) {
        set(key, Some(value));
    }
    set("output_config", output_config(parameters, &thinking, format));
    set("thinking", thinking.field);
    set("metadata", user(parameters).map(|user| json!({ "user_id": user })));
    let tier = wants("service_tier").filter(|tier| **tier == "auto" || **tier == "standard_only");
    set("service_tier", tier.cloned());
    serde_json::to_vec(&body).map_err(|error| ProviderError::refused(error.to_string()))
}

fn tool(tool: &ToolSpec) -> Value {
    let mut spec = json!({ "name": tool.name, "input_schema": schema::of_arguments(&tool.parameters) });
    if !tool.description.is_empty() {
        spec["description"] = Value::from(tool.description.as_str());
    }
    for key in ["cache_control", "strict"] {
        if let Some(value) = tool.extra.get(key).filter(|value| !value.is_null()) {
            spec[key] = value.clone();
        }
    }
    spec
}

fn tool_choice(request: &ChatRequest) -> Option<Value> {
    let alone = request.parameters.get("parallel_tool_calls").is_some_and(|parallel| *parallel == false);
    let requested = request.tool_choice.as_ref();
    let mut choice = match requested {
        Some(Value::String(word)) => match word.as_str() {
            "none" => return Some(json!({ "type": "none" })),
            "required" | "any" => json!({ "type": "any" }),
            _ => json!({ "type": "auto" }),
        },
        Some(Value::Object(object)) => {
            let name =
                object.get("function").and_then(|function| function.get("name")).or(object.get("name"));
            match name {
                Some(name) => json!({ "type": "tool", "name": name }),
                None => json!({ "type": "auto" }),
            }
        }
        _ if alone => json!({ "type": "auto" }),
        _ => return None,
    };
    if alone {
        choice["disable_parallel_tool_use"] = Value::Bool(true);
    }
    Some(choice)
}

/// Accepts a word or a list of words; blank ones are dropped because the API rejects them.
fn stop(value: &Value) -> Option<Value> {
    let words: Vec<&str> = match value {
        Value::String(word) => vec![word],
        Value::Array(words) => words.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    let words: Vec<&str> = words.into_iter().filter(|word| !word.trim().is_empty()).collect();
    (!words.is_empty()).then(|| words.into())
}

/// Returns the sampling parameters that the model supports.
fn sampling(request: &ChatRequest, thinking: &Thinking) -> Vec<(&'static str, Value)> {
    /// With thinking enabled, lower values are rejected.
    const MIN_TOP_P: f64 = 0.95;
    let version = Version::parse(&request.model);
    if version.refuses_sampling() {
        return Vec::new();
    }
    let number = |key: &str| request.parameters.get(key).and_then(Value::as_f64);
    let on = thinking.is_on();
    // Other APIs allow values up to 2.
    let temperature = number("temperature").filter(|_| !on).map(|t| t.clamp(0.0, 1.0));
    let top_p = number("top_p").filter(|p| !on || *p >= MIN_TOP_P);
    let top_p = top_p.filter(|_| temperature.is_none() || !version.samples_one_way());
    let top_k = request.parameters.get("top_k").and_then(Value::as_u64).filter(|_| !on);
    let all = [
        ("temperature", temperature.map(Value::from)),
        ("top_p", top_p.map(Value::from)),
        ("top_k", top_k.map(Value::from)),
    ];
    all.into_iter().filter_map(|(key, value)| Some((key, value?))).collect()
}

fn output_config(
    parameters: &Map<String, Value>,
    thinking: &Thinking,
    format: Option<&Value>,
) -> Option<Value> {
    let requested = parameters.get("output_config").and_then(Value::as_object);
    let mut config = requested.cloned().unwrap_or_default();
    if let Some(effort) = thinking.effort {
        config.entry("effort").or_insert(effort.into());
    }
    if let Some(format) = format.filter(|format| format["type"] == "json_schema") {
        let schema = schema::of_answer(&format["json_schema"]["schema"]);
        config.entry("format").or_insert(json!({ "type": "json_schema", "schema": schema }));
    }
    (!config.is_empty()).then_some(Value::Object(config))
}

/// Returns the end user's id from the parameters.
fn user(parameters: &Map<String, Value>) -> Option<&str> {
    let of_metadata = || parameters.get("metadata")?.get("user_id")?.as_str();
    let named = |key: &str| parameters.get(key)?.as_str();
    named("user").or_else(|| named("safety_identifier")).or_else(of_metadata).filter(|user| !user.is_empty())
}

#[cfg(test)]
#[path = "encode_tests.rs"]
mod tests;
