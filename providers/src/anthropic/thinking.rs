//! How much a model is to think.

use serde_json::{Map, Value, json};

use super::version::Version;
use crate::chat::{ChatMessage, ChatRequest, Role};
use crate::thoughts;

/// The smallest number of tokens that may be given for thoughts.
const LEAST: u64 = 1_024;

/// What the request says of thinking.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Thinking {
    pub(super) field: Option<Value>,
    pub(super) effort: Option<&'static str>,
    /// The tokens of the answer and its thoughts together, where the caller named no limit and there must be
    /// room for the thoughts.
    pub(super) room: Option<u64>,
}

impl Thinking {
    pub(super) fn is_on(&self) -> bool {
        self.field.as_ref().is_some_and(|field| field["type"] != "disabled")
    }

    /// `forced` tells that a tool must be called, which leaves no room for thoughts. `limit` are the tokens
    /// that the caller allows the answer, and `usual` those it has otherwise.
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
        if forced || effort == "none" || thoughtless(&request.messages) {
            return Self::default();
        }
        let wanted = match effort {
            "minimal" => LEAST,
            "low" => 2_048,
            "medium" => 8_192,
            "high" => 16_384,
            _ => 32_768,
        };
        let budget = wanted.min(limit.map_or(u64::MAX, |limit| limit.saturating_sub(1)));
        if budget < LEAST {
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

/// The effort that is asked for, as either of two interfaces spells it.
fn effort(parameters: &Map<String, Value>) -> Option<&str> {
    const KNOWN: [&str; 7] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];
    let nested = || parameters.get("reasoning")?.get("effort");
    let effort = parameters.get("reasoning_effort").or_else(nested)?.as_str()?;
    KNOWN.into_iter().find(|known| *known == effort)
}

/// Whether a model would have to go on from a call of a tool whose thoughts are not there any more, which a
/// model that is given tokens for thoughts refuses to.
fn thoughtless(messages: &[ChatMessage]) -> bool {
    let last = messages.iter().rev().find(|message| message.role != Role::Tool);
    last.is_some_and(|message| {
        message.role == Role::Assistant
            && !message.tool_calls.is_empty()
            && thoughts::in_format(message, thoughts::ANTHROPIC).next().is_none()
    })
}
