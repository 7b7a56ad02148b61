//! The model list: `GET /models`.

use serde::Deserialize;
use serde_json::Value;

use crate::chat::ProviderError;
use crate::upstream::{Ask, Line, ModelListing};

/// Maximum size of a model list in bytes.
const LIST: usize = 8 << 20;

/// Returns the models of the server, in its order.
pub(crate) async fn list(line: &Line) -> Result<Vec<ModelListing>, ProviderError> {
    let body = line.ask(Ask::get(line.url("models")).once().unguarded()).await?.whole(LIST).await?;
    read(&body).ok_or_else(|| line.rubbish(&body))
}

fn read(body: &[u8]) -> Option<Vec<ModelListing>> {
    let entries = match serde_json::from_slice(body).ok()? {
        List::Bare(entries) => entries,
        List::Named { data } => data.unwrap_or_default(),
    };
    Some(entries.into_iter().filter(|model| !model.id.is_empty()).map(ModelListing::from).collect())
}

/// Most servers wrap the list in an object; those without models send null in it.
#[derive(Deserialize)]
#[serde(untagged)]
enum List {
    Bare(Vec<Entry>),
    Named { data: Option<Vec<Entry>> },
}

/// A model, with the field names that various servers use for the context size and the capabilities.
#[derive(Deserialize)]
struct Entry {
    id: String,
    #[serde(default)]
    max_model_len: Option<u64>,
    #[serde(default)]
    context_length: Option<u64>,
    #[serde(default)]
    context_window: Option<u64>,
    #[serde(default)]
    max_context_length: Option<u64>,
    /// `{input_modalities: ["text", "image"]}`; sent by a gateway to many providers.
    #[serde(default)]
    architecture: Value,
    /// The parameters that the model supports; sent by the same gateway.
    #[serde(default)]
    supported_parameters: Value,
    /// `{vision, function_calling, completion_chat}`; sent by other servers.
    #[serde(default)]
    capabilities: Value,
}

impl From<Entry> for ModelListing {
    fn from(entry: Entry) -> Self {
        let context =
            [entry.max_model_len, entry.context_length, entry.context_window, entry.max_context_length];
        let tags = entry.tags();
        Self { context_window: context.into_iter().flatten().next(), tags, ..Self::id(entry.id) }
    }
}

impl Entry {
    /// Returns the model's capabilities, or nothing unless the server reports whether it supports images: a model
    /// with any tag besides `chat` is assumed to have only the listed capabilities.
    fn tags(&self) -> Vec<String> {
        let has = |list: &Value, word: &str| {
            list.as_array().is_some_and(|words| words.iter().any(|other| other.as_str() == Some(word)))
        };
        let seen = &self.architecture["input_modalities"];
        let says = |ability: &str| self.capabilities.get(ability).and_then(Value::as_bool);
        if !seen.is_array() && (says("vision").is_none() || says("completion_chat") == Some(false)) {
            return Vec::new();
        }
        let can = [
            ("chat", true),
            ("tools", has(&self.supported_parameters, "tools") || says("function_calling") == Some(true)),
            ("vision", has(seen, "image") || says("vision") == Some(true)),
            ("reasoning", has(&self.supported_parameters, "reasoning") || says("reasoning") == Some(true)),
        ];
        can.into_iter().filter(|(_, can)| *can).map(|(tag, _)| tag.to_owned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::read;

    fn tags(entry: Value) -> Vec<String> {
        let listed = read(json!({ "data": [entry] }).to_string().as_bytes()).unwrap();
        listed.into_iter().next().unwrap().tags
    }

    #[test]
    fn tags_are_read_if_the_server_reports_capabilities() {
        let gateway = json!({"id": "a/b", "architecture": {"input_modalities": ["text", "image"]},
            "supported_parameters": ["tools", "reasoning", "seed"]});
        assert_eq!(tags(gateway), ["chat", "tools", "vision", "reasoning"]);
        let blind = json!({"id": "a", "architecture": {"input_modalities": ["text"]}});
        assert_eq!(tags(blind), ["chat"]);
        let maker = json!({"id": "m", "capabilities":
            {"completion_chat": true, "function_calling": true, "vision": false}});
        assert_eq!(tags(maker), ["chat", "tools"]);
        // A model that does not support chat is recognized by its name, like all others.
        let embeds = json!({"id": "m-embed", "capabilities": {"completion_chat": false, "vision": false}});
        assert_eq!(tags(embeds), [""; 0]);
        for silent in [
            json!({"id": "x"}),
            json!({"id": "x", "capabilities": ["completion"]}),
            json!({"id": "x", "architecture": "transformer", "supported_parameters": ["tools"]}),
        ] {
            assert_eq!(tags(silent), [""; 0]);
        }
    }

    #[test]
    fn read_accepts_wrapped_and_bare_lists() {
        for body in
            [r#"{"data": [{"id": "a", "max_context_length": 9}]}"#, r#"[{"id": "a", "context_length": 9}]"#]
        {
            let listed = read(body.as_bytes()).unwrap();
            assert_eq!((listed[0].id.as_str(), listed[0].context_window), ("a", Some(9)));
        }
        assert_eq!(read(br#"{"data": null}"#), Some(Vec::new()));
        assert_eq!(read(b"{\"data\": 5}"), None);
    }
}
