//! Requests and responses of the Responses API.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};

use super::input;
use crate::api::chat::messages;
use crate::http::{Fault, Faults, PathValues, Validate};

/// A request of the Responses API. Fields that are not listed here are passed to the provider under their chat completions names.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct CreateResponseRequest {
    /// Id of the model. If omitted or `default`, the model of the assistant, the user or the tenant is used.
    pub model: Option<String>,
    /// A text, or a list of items: messages, function calls and function call outputs.
    #[schema(value_type = Value)]
    pub input: Value,
    /// Instructions that precede the input. Those of the previous response are not used.
    pub instructions: Option<String>,
    /// Id of the response that this one continues.
    pub previous_response_id: Option<String>,
    /// Whether the response is a stream.
    pub stream: Option<bool>,
    /// Whether to respond immediately, while the run continues in the background.
    pub background: Option<bool>,
    /// Whether the response is stored for as long as other streams, which is the default. Otherwise it is stored for ten minutes.
    pub store: Option<bool>,
    /// Functions that the client executes.
    #[schema(value_type = Option<Vec<Object>>, max_items = 1000)]
    pub tools: Option<Vec<Value>>,
    /// All other fields, which are passed to the provider.
    #[serde(flatten)]
    #[schema(value_type = Object)]
    pub rest: Map<String, Value>,
}

/// Fields that refer to objects stored only at api.openai.com, with the alternative to report. Ignoring them would change the answer.
const NOT_TAKEN: [(&str, &str); 2] = [
    ("conversation", "is not supported; use previous_response_id"),
    ("prompt", "is not supported, as no prompts are stored here; send its text as instructions and input"),
];

impl Validate for CreateResponseRequest {
    fn validate(&self, faults: &mut Faults) {
        input::input(&self.input, faults);
        messages::tools(&input::tools(self.tools.as_deref().unwrap_or_default()), faults);
        if let Some(id) = self.previous_response_id.as_deref().filter(|id| run_of(id).is_none()) {
            faults.add(["previous_response_id"], format!("{id:?} is not the id of a response"), "malformed");
        }
        if self.background == Some(true) && self.store == Some(false) {
            faults.add(["store"], "a response in the background must be stored", "invalid");
        }
        for (name, msg) in NOT_TAKEN {
            if self.rest.get(name).is_some_and(|value| !value.is_null()) {
                faults.add([name], msg, "unsupported");
            }
        }
    }
}

impl CreateResponseRequest {
    /// Returns the fields of the request that the response repeats, with defaults for those that are missing.
    pub fn echo(&self) -> Map<String, Value> {
        let mut echo: Map<String, Value> = self.rest.clone();
        for (name, value) in [
            ("instructions", self.instructions.clone().into()),
            ("previous_response_id", self.previous_response_id.clone().into()),
            ("background", self.background.unwrap_or_default().into()),
            ("store", self.store.unwrap_or(true).into()),
            ("tools", self.tools.clone().unwrap_or_default().into()),
        ] {
            echo.insert(name.into(), value);
        }
        for (name, value) in [
            ("parallel_tool_calls", Value::Bool(true)),
            ("tool_choice", "auto".into()),
            ("metadata", Value::Object(Map::new())),
            ("temperature", Value::Null),
            ("top_p", Value::Null),
            ("truncation", "disabled".into()),
            ("text", serde_json::json!({"format": {"type": "text"}})),
            ("reasoning", serde_json::json!({"effort": null, "summary": null})),
            ("max_output_tokens", Value::Null),
        ] {
            echo.entry(name).or_insert(value);
        }
        echo
    }
}

/// The id of a response in a path, with the id of the assistant if the path contains one.
#[derive(Clone, Debug)]
pub struct ResponseId {
    pub id: String,
    /// If set, only a response of this assistant matches.
    pub assistant: Option<uuid::Uuid>,
}

impl PathValues for ResponseId {
    fn read(pairs: &[(String, String)], faults: &mut Vec<Fault>) -> Option<Self> {
        let (_, id) = pairs.last()?;
        let assistant = match pairs.iter().find(|(name, _)| name == "assistant_id") {
            None => None,
            Some((name, text)) => match text.parse() {
                Ok(assistant) => Some(assistant),
                Err(_) => {
                    faults.push(Fault::new("path", [name.as_str()], "is not a UUID", "malformed"));
                    return None;
                }
            },
        };
        Some(Self { id: id.clone(), assistant })
    }
}

/// Returns the run id that a response id contains.
pub fn run_of(id: &str) -> Option<uuid::Uuid> {
    id.strip_prefix("resp_").and_then(|hex| uuid::Uuid::try_parse(hex).ok())
}

/// Query parameters for reading a response.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct HowToRetrieve {
    /// Whether to return the stream of the response, from its beginning unless `starting_after` is set.
    pub stream: bool,
    /// Sequence number of the event after which the stream begins.
    pub starting_after: Option<u64>,
}

impl Validate for HowToRetrieve {}

/// Query parameters of a list of items.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct HowToList {
    /// Order of the items: `asc` for oldest first, or `desc`, the default, for newest first.
    #[param(inline)]
    pub order: ItemOrder,
    /// Maximum number of items, from 1 to 100.
    #[param(minimum = 1, maximum = 100, default = 20)]
    pub limit: Option<usize>,
    /// Only items that follow the item with this id.
    pub after: Option<String>,
}

/// Order of a list of items.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ItemOrder {
    /// Oldest items first.
    Asc,
    /// Newest items first.
    #[default]
    Desc,
}

impl HowToList {
    /// Returns the maximum number of items, with its default.
    pub fn limit(&self) -> usize {
        self.limit.unwrap_or(20)
    }
}

impl Validate for HowToList {}

/// A response. All other fields are those of the Responses API.
#[derive(Debug, Serialize, ToSchema)]
pub struct ResponseObject {
    /// Id of the response: `resp_` and 32 hexadecimal digits.
    pub id: String,
    /// Always `response`.
    pub object: String,
    /// One of `queued`, `in_progress`, `completed`, `incomplete`, `cancelled` and `failed`.
    pub status: String,
    /// The output, as items.
    #[schema(value_type = Vec<Object>)]
    pub output: Vec<Value>,
    /// All other fields of the Responses API.
    #[serde(flatten)]
    #[schema(value_type = Object)]
    pub rest: Map<String, Value>,
}

/// A page of the input items of a response.
#[derive(Debug, Serialize, ToSchema)]
pub struct ResponseItemList {
    /// Always `list`.
    pub object: &'static str,
    #[schema(value_type = Vec<Object>)]
    pub data: Vec<Value>,
    /// Id of the first item of the page.
    pub first_id: Option<String>,
    /// Id of the last item of the page.
    pub last_id: Option<String>,
    /// Whether more items follow.
    pub has_more: bool,
}

/// Confirmation that a response was deleted.
#[derive(Debug, Serialize, ToSchema)]
pub struct DeletedResponse {
    pub id: String,
    /// Always `response`.
    pub object: &'static str,
    /// Always `true`.
    pub deleted: bool,
}
