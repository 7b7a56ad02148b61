//! What responses are asked with, and how they are shown.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};

use super::input;
use crate::api::chat::messages;
use crate::http::{Fault, Faults, PathValues, Validate};

/// A request of the Responses interface. Fields that are not named here go to the provider under the names of
/// the chat interface.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct CreateResponseRequest {
    /// The model. `default` and nothing at all leave the choice to the assistant, the user and the tenant.
    pub model: Option<String>,
    /// A text, or items: messages, calls of functions and what these gave.
    #[schema(value_type = Value)]
    pub input: Value,
    /// Instructions that stand above the input; those of an earlier response do not.
    pub instructions: Option<String>,
    /// The response that this one goes on from.
    pub previous_response_id: Option<String>,
    /// Whether the answer is a stream.
    pub stream: Option<bool>,
    /// Whether the answer comes at once, and the response goes on by itself.
    pub background: Option<bool>,
    /// Whether it is stored for as long as other streams, which is the default; else for ten minutes.
    pub store: Option<bool>,
    /// Functions that the client calls.
    #[schema(value_type = Option<Vec<Object>>, max_items = 1000)]
    pub tools: Option<Vec<Value>>,
    /// All else.
    #[serde(flatten)]
    #[schema(value_type = Object)]
    pub rest: Map<String, Value>,
}

/// Fields that refer to objects stored only at api.openai.com, and what to use instead: ignoring them would change
/// the answer.
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
    /// What the response repeats of it.
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

/// The response that a path names by its last parameter, and the assistant below which it names it, if it does.
#[derive(Clone, Debug)]
pub struct ResponseId {
    pub id: String,
    /// Only a response of this assistant is meant.
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

/// The run of a response's id.
pub fn run_of(id: &str) -> Option<uuid::Uuid> {
    id.strip_prefix("resp_").and_then(|hex| uuid::Uuid::try_parse(hex).ok())
}

/// How a response is read again.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct HowToRetrieve {
    /// Whether as a stream, from its beginning or
    pub stream: bool,
    /// after the event of this sequence number.
    pub starting_after: Option<u64>,
}

impl Validate for HowToRetrieve {}

/// Which items are listed.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct HowToList {
    /// `asc`, the oldest first, or `desc`, which it is unless said otherwise.
    #[param(inline)]
    pub order: ItemOrder,
    /// How many there are at most, from 1 to 100.
    #[param(minimum = 1, maximum = 100, default = 20)]
    pub limit: Option<usize>,
    /// Those that follow the item of this id.
    pub after: Option<String>,
}

/// Which items come first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ItemOrder {
    /// The oldest.
    Asc,
    /// The newest.
    #[default]
    Desc,
}

impl HowToList {
    /// How many items there are at most.
    pub fn limit(&self) -> usize {
        self.limit.unwrap_or(20)
    }
}

impl Validate for HowToList {}

/// A response. What else it has is in the terms of the Responses interface.
#[derive(Debug, Serialize, ToSchema)]
pub struct ResponseObject {
    /// Its id, `resp_` and 32 hexadecimal digits.
    pub id: String,
    /// `response`.
    pub object: String,
    /// `queued`, `in_progress`, `completed`, `incomplete`, `cancelled`, `failed`.
    pub status: String,
    /// What was said, as items.
    #[schema(value_type = Vec<Object>)]
    pub output: Vec<Value>,
    /// All else.
    #[serde(flatten)]
    #[schema(value_type = Object)]
    pub rest: Map<String, Value>,
}

/// What a response was asked with.
#[derive(Debug, Serialize, ToSchema)]
pub struct ResponseItemList {
    /// `list`.
    pub object: &'static str,
    #[schema(value_type = Vec<Object>)]
    pub data: Vec<Value>,
    /// Id of the first of them.
    pub first_id: Option<String>,
    /// Id of the last of them.
    pub last_id: Option<String>,
    /// Whether there are more behind the last of them.
    pub has_more: bool,
}

/// A response that is gone.
#[derive(Debug, Serialize, ToSchema)]
pub struct DeletedResponse {
    pub id: String,
    /// `response`.
    pub object: &'static str,
    /// `true`.
    pub deleted: bool,
}
