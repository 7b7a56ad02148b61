//! Detects whether the last user message asks for a tool.

use serde_json::{Map, Value};

use super::split::sentences;
use crate::chat::{ChatRequest, Role, ToolCall};

/// The tool that stores the user's memories. It can also be requested without its name.
const REMEMBER: &str = "remember";

/// The decision about tool calls.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ToolDecision {
    Nothing,
    Calls(Vec<ToolCall>),
    /// A tool was requested in a way that cannot be followed, for this reason.
    Unclear(String),
}

/// Determines the tool calls from the last user message and from `tool_choice`. After a tool result, no tool is
/// called until the next user message.
pub(super) fn tool_decision(request: &ChatRequest) -> ToolDecision {
    let Some(question) = request.messages.iter().rposition(|m| m.role == Role::User) else {
        return ToolDecision::Nothing;
    };
    let answered = request.messages[question..].iter().any(|m| m.role == Role::Tool);
    let choice = Choice::parse(request.tool_choice.as_ref());
    if answered || choice == Choice::Never {
        return ToolDecision::Nothing;
    }
    let text = request.messages[question].plain_text();
    let names = request.tools.iter().map(|tool| tool.name.as_str());
    let mut mentions: Vec<_> = names.clone().filter_map(|name| mention(&text, name)).collect();
    mentions.sort_by_key(|m| m.at);
    let forced = match choice {
        Choice::This(name) => {
            mentions.retain(|m| m.name == name);
            names.clone().find(|n| *n == name)
        }
        Choice::Any => names.clone().next(),
        Choice::Free | Choice::Never => None,
    };
    if mentions.is_empty() && names.clone().any(|name| name == REMEMBER) && choice.admits(REMEMBER) {
        mentions.extend(remembered(&text));
    }
    if mentions.is_empty() {
        mentions.extend(forced.map(|name| Mention { at: 0, name, arguments: Ok(Map::new()) }));
    }
    let earlier = request.messages.iter().map(|m| m.tool_calls.len()).sum::<usize>();
    let mut calls = Vec::new();
    for (number, mention) in (earlier + 1..).zip(mentions) {
        match mention.arguments {
            Ok(arguments) => calls.push(ToolCall {
                // The same request always gets the same ids, and later requests of the conversation get different
                // ones.
                call_id: format!("call_scribe_{number}"),
                name: mention.name.to_owned(),
                arguments: Value::Object(arguments).to_string(),
            }),
            Err(why) => {
                let name = mention.name;
                return ToolDecision::Unclear(format!(
                    "You asked for {name}, but what follows its name is not a JSON object: {why}."
                ));
            }
        }
    }
    if calls.is_empty() { ToolDecision::Nothing } else { ToolDecision::Calls(calls) }
}

/// The meaning of `tool_choice`.
#[derive(Debug, PartialEq, Eq)]
enum Choice<'a> {
    Free,
    Never,
    Any,
    This(&'a str),
}

impl<'a> Choice<'a> {
    fn parse(choice: Option<&'a Value>) -> Self {
        match choice {
            Some(Value::String(word)) if word == "none" => Self::Never,
            Some(Value::String(word)) if word == "required" => Self::Any,
            Some(object) => {
                let name = object.pointer("/function/name").or_else(|| object.get("name"));
                name.and_then(Value::as_str).map_or(Self::Free, Self::This)
            }
            None => Self::Free,
        }
    }
}

impl Choice<'_> {
    fn admits(&self, name: &str) -> bool {
        match self {
            Self::Free | Self::Any => true,
            Self::This(this) => *this == name,
            Self::Never => false,
        }
    }
}

/// Returns the call for a sentence such as `Please remember that …`.
fn remembered(text: &str) -> Option<Mention<'static>> {
    const BEGINNINGS: [&str; 4] =
        ["please remember that ", "please remember ", "remember that ", "remember: "];
    let sentence_to_remember = sentences(text).into_iter().find_map(|sentence| {
        let after = |beginning: &&str| {
            let (head, rest) = sentence.split_at_checked(beginning.len())?;
            head.eq_ignore_ascii_case(beginning).then(|| rest.trim())
        };
        BEGINNINGS.iter().find_map(after).filter(|rest| rest.chars().any(char::is_alphanumeric))
    })?;
    let arguments = Map::from_iter([("content".to_owned(), Value::from(sentence_to_remember))]);
    Some(Mention { at: 0, name: REMEMBER, arguments: Ok(arguments) })
}

/// A request for a tool in the text.
struct Mention<'a> {
    /// The offset in the text, in bytes.
    at: usize,
    name: &'a str,
    arguments: Result<Map<String, Value>, String>,
}

/// Returns the first position at which the text asks for this tool.
fn mention<'a>(text: &str, name: &'a str) -> Option<Mention<'a>> {
    let mut from = 0;
    while let Some(found) = text.get(from..)?.find(name) {
        let at = from + found;
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        let part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        let whole = !before.ends_with(part) && !after.starts_with(part);
        if whole && asks(before) {
            return Some(Mention { at, name, arguments: arguments(after) });
        }
        from = at + name.len().max(1);
    }
    None
}

/// Whether the words before a name ask for the tool: `use`, `please call the`, but not `do not use`.
fn asks(before: &str) -> bool {
    const VERBS: [&str; 9] = ["use", "using", "call", "calling", "run", "invoke", "execute", "try", "ask"];
    const BETWEEN: [&str; 4] = ["the", "tool", "function", "and"];
    const NEGATIONS: [&str; 5] = ["not", "don't", "don’t", "never", "without"];
    let mut words = before.rsplit(char::is_whitespace).filter_map(|word| {
        let word = word.trim_matches(|c: char| "`\"'“”*_(:".contains(c)).to_lowercase();
        (!word.is_empty()).then_some(word)
    });
    let verb = words.find(|word| !BETWEEN.contains(&word.as_str()));
    verb.is_some_and(|verb| VERBS.contains(&verb.as_str()))
        && !words.next().is_some_and(|word| NEGATIONS.contains(&word.as_str()))
}

/// Parses the JSON object after a name; returns an empty object if there is none.
fn arguments(after: &str) -> Result<Map<String, Value>, String> {
    const BETWEEN: [&str; 6] = ["with", "tool", "function", "arguments", "args", "the"];
    let gap = |c: char| c.is_whitespace() || "`\"'“”*(:,".contains(c);
    let mut rest = after.trim_start_matches(gap);
    while let Some(next) = BETWEEN.iter().find_map(|word| rest.strip_prefix(word)) {
        if !next.starts_with(gap) {
            break;
        }
        rest = next.trim_start_matches(gap);
    }
    if !rest.starts_with('{') {
        return Ok(Map::new());
    }
    let first = serde_json::Deserializer::from_str(rest).into_iter().next();
    first.unwrap_or_else(|| Ok(Map::new())).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::{ChatMessage, ToolSpec};
    use serde_json::json;

    fn request(text: &str) -> ChatRequest {
        let tool = |name: &str| ToolSpec {
            name: name.into(),
            description: String::new(),
            parameters: json!({"type": "object"}),
            ..ToolSpec::default()
        };
        ChatRequest {
            messages: vec![ChatMessage::text(Role::User, text)],
            tools: vec![tool("current_time"), tool("calc")],
            ..ChatRequest::default()
        }
    }

    /// Returns the names and arguments of the calls for a text.
    fn calls(text: &str) -> Vec<(String, String)> {
        match tool_decision(&request(text)) {
            ToolDecision::Calls(calls) => calls.into_iter().map(|c| (c.name, c.arguments)).collect(),
            ToolDecision::Nothing => Vec::new(),
            ToolDecision::Unclear(note) => panic!("{note}"),
        }
    }

    fn call(name: &str, arguments: &str) -> (String, String) {
        (name.to_owned(), arguments.to_owned())
    }

    #[test]
    fn tool_decision_calls_a_tool_requested_by_name() {
        let expected = [call("current_time", "{\"timezone\":\"UTC\"}")];
        for text in [
            "call `current_time` with {\"timezone\":\"UTC\"}",
            "Please use the current_time tool with the arguments: {\"timezone\": \"UTC\"}, ok?",
            "Run **current_time**({\"timezone\":\"UTC\"})",
        ] {
            assert_eq!(calls(text), expected, "{text}");
        }
        assert_eq!(calls("use current_time"), [call("current_time", "{}")]);
    }

    #[test]
    fn tool_decision_calls_tools_in_the_order_of_the_text() {
        let text = "call calc with {\"a\":[1,{}]} and then use current_time.";
        assert_eq!(calls(text), [call("calc", "{\"a\":[1,{}]}"), call("current_time", "{}")]);
    }

    #[test]
    fn tool_decision_ignores_mere_mentions() {
        for text in [
            "What does current_time do?",
            "do not use current_time",
            "use current_times, use my_calc, use calc-2",
            "use it",
            "",
        ] {
            assert_eq!(calls(text), [], "{text}");
        }
    }

    #[test]
    fn tool_decision_calls_remember_if_available() {
        let with = |text: &str, tool: &str, choice: Value| {
            let mut request = request(text);
            request.tools[0].name = tool.to_owned();
            request.tool_choice = Some(choice);
            match tool_decision(&request) {
                ToolDecision::Calls(calls) => {
                    calls.into_iter().map(|call| (call.name, call.arguments)).collect()
                }
                _ => Vec::new(),
            }
        };
        let expected = [call("remember", "{\"content\":\"I live in Bergen.\"}")];
        for text in [
            "Remember that I live in Bergen.",
            "Hello! Please remember that I live in Bergen. What is there to see?",
            "please remember I live in Bergen.",
            "REMEMBER: I live in Bergen.",
        ] {
            assert_eq!(with(text, "remember", json!("auto")), expected, "{text}");
            assert_eq!(with(text, "current_time", json!("auto")), [], "{text}");
            assert_eq!(with(text, "remember", json!("none")), [], "{text}");
        }
        for text in ["I remember that day.", "Do you remember that?", "Remember that ?!", "Please remember"] {
            assert_eq!(with(text, "remember", json!("auto")), [], "{text}");
        }
    }

    #[test]
    fn tool_decision_reports_invalid_arguments() {
        let ToolDecision::Unclear(note) = tool_decision(&request("use calc with {\"a\":")) else { panic!() };
        assert!(note.contains("calc") && note.contains("JSON"), "{note}");
    }

    #[test]
    fn tool_decision_respects_tool_choice() {
        let with = |text: &str, choice: Value| {
            let request = ChatRequest { tool_choice: Some(choice), ..request(text) };
            match tool_decision(&request) {
                ToolDecision::Calls(calls) => calls.into_iter().map(|c| c.name).collect(),
                _ => Vec::new(),
            }
        };
        assert_eq!(with("use calc", json!("none")), Vec::<String>::new());
        assert_eq!(with("hello", json!("required")), ["current_time"]);
        assert_eq!(with("use calc", json!("required")), ["calc"]);
        let this = json!({"type": "function", "function": {"name": "calc"}});
        assert_eq!(with("use current_time", this), ["calc"]);
        assert_eq!(with("hello", json!("auto")), Vec::<String>::new());
    }

    #[test]
    fn tool_decision_calls_nothing_after_a_result() {
        let mut request = request("use calc");
        let ToolDecision::Calls(tool_calls) = tool_decision(&request) else { panic!() };
        assert_eq!(tool_calls[0].call_id, "call_scribe_1");
        request.messages.push(ChatMessage { tool_calls, ..ChatMessage::text(Role::Assistant, "") });
        request.messages.push(ChatMessage::tool_result("call_scribe_1", "4"));
        assert_eq!(tool_decision(&request), ToolDecision::Nothing);
        request.messages.push(ChatMessage::text(Role::User, "use calc again"));
        let ToolDecision::Calls(again) = tool_decision(&request) else { panic!() };
        assert_eq!(again[0].call_id, "call_scribe_2");
    }
}
