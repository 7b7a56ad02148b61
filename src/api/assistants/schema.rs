//! Requests of assistants.

use assist::data::Schema;
use domain::assistants::AssistantInput;
use serde::Serialize;
use serde_json::{Map, Value};
use storage::records::{AssistantType, Grant, Recovery, ToolServer, Visibility};
use utoipa::ToSchema;
use uuid::Uuid;
use workflow::graph::Plan;

use crate::api::workflow_graph::WorkflowGraph;

use super::tool_servers;
use crate::api::knowledge_bases::schema::address;
use crate::http::{Faults, Patch, Validate, record_requests};

/// Maximum length of a conversation starter, in characters.
const STARTER: usize = 500;
/// Maximum size of a schema or of the model parameters, in bytes of JSON.
const JSON: usize = 512 * 1024;

/// Confirmation of an operation.
#[derive(Debug, Serialize, ToSchema)]
pub struct MessageResponse {
    /// Confirmation in words.
    pub message: String,
}

record_requests! {
    create {
        /// A new assistant. Fields that are omitted take their default.
        CreateAssistantRequest
    }
    replace {
        /// All fields of an assistant. Fields that are omitted are reset to their default.
        UpdateAssistantRequest
    }
    patch {
        /// A change to an assistant. Fields that are omitted stay unchanged; `null` restores the default.
        PatchAssistantRequest
    } into AssistantInput {
        required {
            /// Name of the assistant, shown to users.
            #[schema(min_length = 1, max_length = 100)]
            name: String,
        }
        default {
            #[schema(max_length = 2000)]
            description: String,
            /// Whether the assistant is a chat or a workflow.
            #[serde(rename = "type")]
            kind: AssistantType,
            /// Instructions that precede every conversation.
            #[schema(max_length = 100000)]
            system_prompt: String,
            /// First messages that are offered to users.
            #[schema(max_items = 12)]
            conversation_starters: Vec<String>,
            /// Ids of skills that the assistant may use.
            #[schema(max_items = 100)]
            skills: Vec<Uuid>,
            /// Names of built-in tools that the assistant may use.
            #[schema(max_items = 100)]
            tools: Vec<String>,
            /// Tool servers that the assistant is connected to. Each is used only if `mcp:<name>` is approved.
            #[schema(max_items = 10)]
            tool_servers: Vec<ToolServer>,
            /// Ids of knowledge bases that the assistant searches.
            #[schema(max_items = 100)]
            knowledge_bases: Vec<Uuid>,
            /// Who may see the assistant.
            visibility: Visibility,
            /// Access rights of other users, groups and teams.
            #[schema(max_items = 100)]
            grants: Vec<Grant>,
        }
        objects {
            /// Parameters that are passed to the model.
            model_parameters: Map<String, Value>,
        }
        optional {
            /// Id of the model. If omitted, the default model of the user or the tenant is used.
            model: String,
            /// What happens to a response if the server stops while it is generated.
            recovery: Recovery,
            /// Category under which the assistant is listed.
            #[schema(max_length = 50)]
            category: String,
        }
        optional_as {
            /// The graph of a workflow assistant.
            workflow: Value as WorkflowGraph,
        }
        optional_objects {
            /// JSON Schema of the assistant's data items.
            data_schema: Value,
        }
        separate {
            /// Addresses of web pages that the assistant knows.
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
            faults.add(["data_schema"], format!("is not a JSON Schema: {why}"), "malformed");
        }
        // An invalid graph is not stored. A workflow without a graph is a draft.
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

/// Adds a fault for each conversation starter with an invalid length. Each starter comes with its position in the list.
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
