//! Encodes a request for `generateContent`.

use serde_json::{Map, Value, json};

use super::{parts, schema};
use crate::chat::{ChatRequest, ProviderError, ToolSpec};

/// Returns the body of a streaming request.
///
/// # Errors
/// Returns an error if the API cannot express the content.
pub(super) fn body(request: &ChatRequest) -> Result<Vec<u8>, ProviderError> {
    let mut body = Map::new();
    let mut set = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            body.insert(key.to_owned(), value);
        }
    };
    let messages = request.with_a_turn();
    set("systemInstruction", parts::system(&messages)?);
    // Names without a version, such as `gemini-flash-latest`, denote the newest models; older models ignore
    // signatures.
    let signed = request.model.contains("gemini-") && !(1..=2).contains(&generation(&request.model));
    set("contents", Some(parts::turns(&messages, signed)?.into()));
    if !request.tools.is_empty() {
        let functions: Vec<Value> = request.tools.iter().map(function).collect();
        set("tools", Some(json!([{ "functionDeclarations": functions }])));
        set("toolConfig", request.tool_choice.as_ref().and_then(tool_config));
    }
    set("generationConfig", Some(config(request)));
    for key in ["safetySettings", "cachedContent"] {
        set(key, request.parameters.get(key).cloned());
    }
    serde_json::to_vec(&body).map_err(|error| ProviderError::refused(error.to_string()))
}

/// The generation of a model: 2 for `gemini-2.5-pro`. Returns 0 for names without a version.
fn generation(model: &str) -> u32 {
    let name = model.rsplit('/').next().unwrap_or(model);
    let number = name.strip_prefix("gemini-").and_then(|rest| rest.split(['.', '-']).next());
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}

fn function(tool: &ToolSpec) -> Value {
    let mut function = json!({ "name": tool.name });
    if !tool.description.is_empty() {
        function["description"] = Value::from(tool.description.as_str());
    }
    // The API rejects an object without properties, but accepts a function without parameters.
    let parameters = schema::supported(&tool.parameters);
    if parameters.get("properties").and_then(Value::as_object).is_some_and(|all| !all.is_empty()) {
        function["parameters"] = parameters;
    }
    function
}

fn tool_config(choice: &Value) -> Option<Value> {
    let name = choice["function"]["name"].as_str().or_else(|| choice["name"].as_str());
    let config = match (choice.as_str(), name) {
        (Some("none"), _) => json!({ "mode": "NONE" }),
        (Some("required" | "any"), _) => json!({ "mode": "ANY" }),
        (None, Some(name)) => json!({ "mode": "ANY", "allowedFunctionNames": [name] }),
        (Some("auto"), _) => json!({ "mode": "AUTO" }),
        _ => return None,
    };
    Some(json!({ "functionCallingConfig": config }))
}

fn config(request: &ChatRequest) -> Value {
    let parameters = &request.parameters;
    let wants = |key: &str| parameters.get(key).filter(|value| !value.is_null());
    let number = |key: &str| wants(key).filter(|value| value.is_number()).cloned();
    let mut config = Map::from_iter([("candidateCount".to_owned(), Value::from(1))]);
    let mut set = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            config.insert(key.to_owned(), value);
        }
    };
    set("temperature", number("temperature"));
    set("topP", number("top_p"));
    set("topK", number("top_k"));
    set("seed", number("seed"));
    set("presencePenalty", number("presence_penalty"));
    set("frequencyPenalty", number("frequency_penalty"));
    set("maxOutputTokens", number("max_completion_tokens").or_else(|| number("max_tokens")));
    set("stopSequences", wants("stop").and_then(stop));
    if wants("logprobs").is_some_and(|wanted| *wanted == true) {
        set("responseLogprobs", Some(true.into()));
        set("logprobs", number("top_logprobs").filter(|n| *n != 0));
    }
    if let Some(format) = wants("response_format") {
        let json = format["type"] == "json_schema" || format["type"] == "json_object";
        set("responseMimeType", json.then(|| "application/json".into()));
        let response_schema = format["json_schema"].get("schema").filter(|_| format["type"] == "json_schema");
        set("responseSchema", response_schema.map(schema::supported));
    }
    set("thinkingConfig", thinking(request));
    Value::Object(config)
}

fn stop(value: &Value) -> Option<Value> {
    let words: Vec<&str> = match value {
        Value::String(word) => vec![word],
        Value::Array(words) => words.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    (!words.is_empty()).then(|| words.into())
}

/// Configures thinking. Generation 3 accepts a level, earlier generations a token budget.
fn thinking(request: &ChatRequest) -> Option<Value> {
    let parameters = &request.parameters;
    if let Some(own_config) = parameters.get("thinkingConfig").filter(|own_config| own_config.is_object()) {
        return Some(own_config.clone());
    }
    let nested = || parameters.get("reasoning")?.get("effort");
    let effort = parameters.get("reasoning_effort").or_else(nested)?.as_str()?;
    let mut config = json!({ "includeThoughts": effort != "none" });
    if generation(&request.model) >= 3 {
        let level = match effort {
            "none" | "minimal" => "minimal",
            "low" => "low",
            "medium" => "medium",
            _ => "high",
        };
        // The Pro models do not support this level.
        let level = if level == "minimal" && request.model.contains("pro") { "low" } else { level };
        config["thinkingLevel"] = Value::from(level);
        return Some(config);
    }
    let budget = match effort {
        // The minimum budget of the Pro models.
        "none" if request.model.contains("pro") => 128,
        "none" => 0,
        "minimal" => 512,
        "low" => 1_024,
        "medium" => 8_192,
        _ => 24_576,
    };
    config["thinkingBudget"] = Value::from(budget);
    Some(config)
}

#[cfg(test)]
#[path = "encode_tests.rs"]
mod tests;
