//! What assistants are asked for with.

use assist::data::Schema;
use domain::assistants::AssistantInput;
use serde::Serialize;
use serde_json::{Map, Value};
use storage::records::{AssistantType, Grant, Recovery, ToolServer, Visibility};
use utoipa::ToSchema;
use uuid::Uuid;
use workflow::graph::Plan;

use super::tool_servers;
use crate::api::knowledge_bases::schema::address;
use crate::http::{Faults, Patch, Validate, record_requests};

/// Longest conversation starter, in characters.
const STARTER: usize = 500;
/// Largest schema or set of parameters, in bytes of JSON.
const JSON: usize = 512 * 1024;

/// What was done.
#[derive(Debug, Serialize, ToSchema)]
pub struct MessageResponse {
    /// In words.
    pub message: String,
}

record_requests! {
    create {
        /// A new assistant. What is left out takes its default.
        CreateAssistantRequest
    }
    replace {
        /// All of an assistant. What is left out takes its default.
        UpdateAssistantRequest
    }
    patch {
        /// A change to an assistant. What is left out stays; `null` brings back the default.
        PatchAssistantRequest
    } into AssistantInput {
        required {
            /// The name shown to users.
            #[schema(min_length = 1, max_length = 100)]
            name: String,
        }
        default {
            #[schema(max_length = 2000)]
            description: String,
            /// Chat or workflow.
            #[serde(rename = "type")]
            kind: AssistantType,
            /// The instructions that every conversation begins with.
            #[schema(max_length = 100000)]
            system_prompt: String,
            /// First messages offered to users.
            #[schema(max_items = 12)]
            conversation_starters: Vec<String>,
            /// Skills it may use.
            #[schema(max_items = 100)]
            skills: Vec<Uuid>,
            /// Built-in tools it may use.
            #[schema(max_items = 100)]
            tools: Vec<String>,
            /// Tool servers it is connected to; each is used once `mcp:<name>` is approved.
            #[schema(max_items = 10)]
            tool_servers: Vec<ToolServer>,
            /// Knowledge bases it searches.
            #[schema(max_items = 100)]
            knowledge_bases: Vec<Uuid>,
            /// Who may see it.
            visibility: Visibility,
            /// Rights of others.
            #[schema(max_items = 100)]
            grants: Vec<Grant>,
        }
        objects {
            /// Parameters passed to the model.
            model_parameters: Map<String, Value>,
        }
        optional {
            /// The model; without one, the user's or the tenant's default.
            model: String,
            /// What happens to its responses when the server stops while they are generated.
            recovery: Recovery,
            /// The category it is listed under.
            #[schema(max_length = 50)]
            category: String,
        }
        optional_objects {
            /// The graph of a workflow assistant.
            workflow: Value,
            /// The JSON Schema of its data items.
            data_schema: Value,
        }
        separate {
            /// Pages it knows.
            #[schema(max_items = 100)]
            web_links: Vec<String>,
        }
    }
}

impl Validate for PatchAssistantRequest {
    const TRIMMED: &'static [&'static str] = &["name"];

    fn validate(&self, faults: &mut Faults) {
        if let Some(name) = self.name.as_set() {
            faults.name("name", name.trim());
        }
        if matches!(self.name, Patch::Clear) {
            faults.add(["name"], "cannot be empty", "missing");
        }
        self.validate_lists(faults);
        let json = [
            ("model_parameters", self.model_parameters.as_set().map(serde_json::to_vec)),
            ("data_schema", self.data_schema.as_set().map(serde_json::to_vec)),
        ];
        for (field, json) in json {
            if json.and_then(Result::ok).is_some_and(|json| json.len() > JSON) {
                faults.add([field], "is larger than 512 KiB", "too_long");
            }
        }
        for (field, value) in [("workflow", &self.workflow), ("data_schema", &self.data_schema)] {
            if value.as_set().is_some_and(|value| !value.is_object()) {
                faults.add([field], "must be an object", "wrong_type");
            }
        }
        if let Some(schema) = self.data_schema.as_set().filter(|schema| schema.is_object())
            && let Err(why) = Schema::read(schema)
        {
            faults.add(["data_schema"], format!("is no JSON Schema: {why}"), "malformed");
        }
        // A graph that would not run is not kept; a workflow without any graph is a draft.
        if let Some(graph) = self.workflow.as_set().filter(|graph| graph.is_object()) {
            for fault in Plan::read(graph).err().into_iter().flatten() {
                let loc = std::iter::once("workflow").chain(fault.loc.iter().map(String::as_str));
                faults.add(loc, fault.msg.as_str(), fault.kind);
            }
        }
    }

    fn validate_refused(body: &Value, faults: &mut Faults) {
        let starters = body["conversation_starters"].as_array().into_iter().flatten().enumerate();
        check_starters(starters.filter_map(|(at, starter)| Some((at, starter.as_str()?))), faults);
    }
}

/// Adds a fault for each conversation starter of a wrong length. Each has its position in the list.
fn check_starters<'a>(starters: impl Iterator<Item = (usize, &'a str)>, faults: &mut Faults) {
    for (at, starter) in starters {
        if !(1..=STARTER).contains(&starter.chars().count()) {
            let why = format!("starters have 1 to {STARTER} characters");
            faults.add(["conversation_starters", &at.to_string()], why, "wrong_length");
        }
    }
}

impl PatchAssistantRequest {
    fn validate_lists(&self, faults: &mut Faults) {
        let starters = self.conversation_starters.as_set().into_iter().flatten();
        check_starters(starters.map(String::as_str).enumerate(), faults);
        if let Some(servers) = self.tool_servers.as_set() {
            tool_servers::validate(servers, faults);
        }
        for (at, link) in self.web_links.as_set().into_iter().flatten().enumerate() {
            if let Err(why) = address(link) {
                faults.add(["web_links", &at.to_string()], why, "malformed");
            }
        }
    }
}
