//! Configures extended thinking.

use serde_json::{Map, Value, json};

use super::version::Version;
use crate::chat::{ChatMessage, ChatRequest, Role};
use crate::thoughts;

/// The smallest accepted thinking budget in tokens.
const MIN_BUDGET: u64 = 1_024;

/// The thinking settings of a request.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Thinking {
    pub(super) field: Option<Value>,
    pub(super) effort: Option<&'static str>,
    /// The tokens for response and thinking together; set if the caller sets no limit and space for thinking is
    /// required.
    pub(super) room: Option<u64>,
}

impl Thinking {
    pub(super) fn is_on(&self) -> bool {
        self.field.as_ref().is_some_and(|field| field["type"] != "disabled")
    }

    /// Determines the settings. `forced` means that a tool must be called, which rules out thinking. `limit` is the
    /// caller's token limit, and `usual` the default limit.
    pub(super) fn new(request: &ChatRequest, forced: bool, limit: Option<u64>, usual: u64) -> Self {
        let version = Version::parse(&request.model);
        if let Some(thinking) = request.parameters.get("thinking").filter(|thinking| thinking.is_object()) {
            return Self { field: Some(thinking.clone()), ..Self::default() };
        }
        let Some(effort) = effort(&request.parameters) else {
            return Self::default();
        };
        if version.adapts() {
            return Self::adaptive(version, effort, forced);
        }
        if forced || effort == "none" || lacks_reasoning(&request.messages) {
            return Self::default();
        }
        let wanted = match effort {
            "minimal" => MIN_BUDGET,
            "low" => 2_048,
            "medium" => 8_192,
            "high" => 16_384,
            _ => 32_768,
        };
        let budget = wanted.min(limit.map_or(u64::MAX, |limit| limit.saturating_sub(1)));
        if budget < MIN_BUDGET {
            return Self::default();
        }
        let field = json!({ "type": "enabled", "budget_tokens": budget });
        Self { field: Some(field), effort: None, room: limit.is_none().then_some(usual + budget) }
    }

    fn adaptive(version: Version, effort: &str, forced: bool) -> Self {
        let tried = match effort {
            "none" | "minimal" | "low" => "low",
            "medium" => "medium",
            "high" => "high",
            "xhigh" if !version.hides_thoughts() => "high",
            "xhigh" => "xhigh",
            _ => "max",
        };
        let mut field = json!({ "type": "adaptive" });
        if version.hides_thoughts() {
            field["display"] = Value::from("summarized");
        }
        let on = !forced && effort != "none";
        Self { field: on.then_some(field), effort: Some(tried), room: None }
    }
}

/// Returns the requested effort, in either of two parameter formats.
fn effort(parameters: &Map<String, Value>) -> Option<&str> {
    const KNOWN: [&str; 7] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];
    let nested = || parameters.get("reasoning")?.get("effort");
    let effort = parameters.get("reasoning_effort").or_else(nested)?.as_str()?;
    KNOWN.into_iter().find(|known| *known == effort)
}

/// Whether the model would have to continue from a tool call whose reasoning is missing. Models with a thinking
/// budget reject this.
fn lacks_reasoning(messages: &[ChatMessage]) -> bool {
    let last = messages.iter().rev().find(|message| message.role != Role::Tool);
    last.is_some_and(|message| {
        message.role == Role::Assistant
            && !message.tool_calls.is_empty()
            && thoughts::in_format(message, thoughts::ANTHROPIC).next().is_none()
    })
}
