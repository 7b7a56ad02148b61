//! What assistants are asked for with.

use assist::data::Schema;
use domain::assistants::AssistantInput;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use storage::records::{AssistantType, Grant, Recovery, ToolServer, Visibility};
use utoipa::ToSchema;
use uuid::Uuid;
use workflow::graph::Plan;

use super::tool_servers;
use crate::api::knowledge_bases::schema::address;
use crate::http::{Faults, Patch, Validate};

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

/// The requests that say all of an assistant: each field is written down once.
macro_rules! whole {
    ($($(#[$about:meta])* $name:ident { $($(#[$also:meta])* $more:ident: $type:ty)? })+) => { $(
        $(#[$about])*
        #[derive(Clone, Debug, Deserialize, ToSchema)]
        pub struct $name {
            /// Its name.
            #[schema(min_length = 1, max_length = 100)]
            pub name: String,
            /// What it is for.
            #[serde(default)]
            #[schema(max_length = 2000)]
            pub description: String,
            /// Chat or workflow.
            #[serde(default, rename = "type")]
            pub kind: AssistantType,
            /// The model; without one, the user's or the tenant's default.
            pub model: Option<String>,
            /// Parameters passed to the model.
            #[serde(default)]
            #[schema(value_type = Object)]
            pub model_parameters: Map<String, Value>,
            /// The instructions that every conversation begins with.
            #[serde(default)]
            #[schema(max_length = 100000)]
            pub system_prompt: String,
            /// First messages offered to users.
            #[serde(default)]
            #[schema(max_items = 12)]
            pub conversation_starters: Vec<String>,
            /// Skills it may use.
            #[serde(default)]
            #[schema(max_items = 100)]
            pub skills: Vec<Uuid>,
            /// Built-in tools it may use.
            #[serde(default)]
            #[schema(max_items = 100)]
            pub tools: Vec<String>,
            /// Tool servers it is connected to; each is used once `mcp:<name>` is approved.
            #[serde(default)]
            #[schema(max_items = 10)]
            pub tool_servers: Vec<ToolServer>,
            /// Knowledge bases it searches.
            #[serde(default)]
            #[schema(max_items = 100)]
            pub knowledge_bases: Vec<Uuid>,
            /// Pages it knows.
            #[serde(default)]
            #[schema(max_items = 100)]
            pub web_links: Vec<String>,
            /// The graph of a workflow assistant.
            #[schema(value_type = Option<Object>)]
            pub workflow: Option<Value>,
            /// What becomes of its answers when the server stops in their midst.
            pub recovery: Option<Recovery>,
            /// The shelf it stands on.
            #[schema(max_length = 50)]
            pub category: Option<String>,
            /// Who may see it.
            #[serde(default)]
            pub visibility: Visibility,
            /// Rights of others.
            #[serde(default)]
            #[schema(max_items = 100)]
            pub grants: Vec<Grant>,
            /// The JSON Schema of its data items.
            #[schema(value_type = Option<Object>)]
            pub data_schema: Option<Value>,
            $($(#[$also])* pub $more: $type,)?
        }

        impl From<$name> for PatchAssistantRequest {
            fn from(new: $name) -> Self {
                Self {
                    name: Patch::Set(new.name),
                    description: Patch::Set(new.description),
                    kind: Patch::Set(new.kind),
                    model: new.model.map_or(Patch::Clear, Patch::Set),
                    model_parameters: Patch::Set(new.model_parameters),
                    system_prompt: Patch::Set(new.system_prompt),
                    conversation_starters: Patch::Set(new.conversation_starters),
                    skills: Patch::Set(new.skills),
                    tools: Patch::Set(new.tools),
                    tool_servers: Patch::Set(new.tool_servers),
                    knowledge_bases: Patch::Set(new.knowledge_bases),
                    web_links: Patch::Set(new.web_links),
                    workflow: new.workflow.map_or(Patch::Clear, Patch::Set),
                    recovery: new.recovery.map_or(Patch::Clear, Patch::Set),
                    category: new.category.map_or(Patch::Clear, Patch::Set),
                    visibility: Patch::Set(new.visibility),
                    grants: Patch::Set(new.grants),
                    data_schema: new.data_schema.map_or(Patch::Clear, Patch::Set),
                    ..Self::default()
                }$(.only_at(new.$more))?
            }
        }

        impl Validate for $name {
            const TRIMMED: &'static [&'static str] = PatchAssistantRequest::TRIMMED;

            fn validate(&self, faults: &mut Faults) {
                PatchAssistantRequest::from(self.clone()).validate(faults);
            }

            fn validate_refused(body: &Value, faults: &mut Faults) {
                PatchAssistantRequest::validate_refused(body, faults);
            }
        }
    )+ };
}

whole! {
    /// A new assistant. What is left out takes its default.
    CreateAssistantRequest {}

    /// All of an assistant. What is left out takes its default.
    UpdateAssistantRequest {
        /// The version that is changed; if it is another by now, the answer is 412. `If-Match` does
        /// the same.
        version: Option<u64>
    }
}

/// A change to an assistant. What is left out stays; `null` brings back the default.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct PatchAssistantRequest {
    /// Its name.
    #[schema(value_type = Option<String>, min_length = 1, max_length = 100)]
    pub name: Patch<String>,
    /// What it is for.
    #[schema(value_type = Option<String>, max_length = 2000)]
    pub description: Patch<String>,
    /// Chat or workflow.
    #[serde(rename = "type")]
    #[schema(value_type = Option<AssistantType>)]
    pub kind: Patch<AssistantType>,
    /// The model; without one, the user's or the tenant's default.
    #[schema(value_type = Option<String>)]
    pub model: Patch<String>,
    /// Parameters passed to the model.
    #[schema(value_type = Option<Object>)]
    pub model_parameters: Patch<Map<String, Value>>,
    /// The instructions that every conversation begins with.
    #[schema(value_type = Option<String>, max_length = 100000)]
    pub system_prompt: Patch<String>,
    /// First messages offered to users.
    #[schema(value_type = Option<Vec<String>>, max_items = 12)]
    pub conversation_starters: Patch<Vec<String>>,
    /// Skills it may use.
    #[schema(value_type = Option<Vec<Uuid>>, max_items = 100)]
    pub skills: Patch<Vec<Uuid>>,
    /// Built-in tools it may use.
    #[schema(value_type = Option<Vec<String>>, max_items = 100)]
    pub tools: Patch<Vec<String>>,
    /// Tool servers it is connected to; each is used once `mcp:<name>` is approved.
    #[schema(value_type = Option<Vec<ToolServer>>, max_items = 10)]
    pub tool_servers: Patch<Vec<ToolServer>>,
    /// Knowledge bases it searches.
    #[schema(value_type = Option<Vec<Uuid>>, max_items = 100)]
    pub knowledge_bases: Patch<Vec<Uuid>>,
    /// Pages it knows.
    #[schema(value_type = Option<Vec<String>>, max_items = 100)]
    pub web_links: Patch<Vec<String>>,
    /// The graph of a workflow assistant.
    #[schema(value_type = Option<Object>)]
    pub workflow: Patch<Value>,
    /// What becomes of its answers when the server stops in their midst.
    #[schema(value_type = Option<Recovery>)]
    pub recovery: Patch<Recovery>,
    /// The shelf it stands on.
    #[schema(value_type = Option<String>, max_length = 50)]
    pub category: Patch<String>,
    /// Who may see it.
    #[schema(value_type = Option<Visibility>)]
    pub visibility: Patch<Visibility>,
    /// Rights of others.
    #[schema(value_type = Option<Vec<Grant>>, max_items = 100)]
    pub grants: Patch<Vec<Grant>>,
    /// The JSON Schema of its data items.
    #[schema(value_type = Option<Object>)]
    pub data_schema: Patch<Value>,
    /// The version that is changed; if it is another by now, the answer is 412. `If-Match` does
    /// the same.
    pub version: Option<u64>,
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
    fn only_at(self, version: Option<u64>) -> Self {
        Self { version, ..self }
    }

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

/// Without the pages, which are set after the change itself, and without the version.
impl From<PatchAssistantRequest> for AssistantInput {
    fn from(request: PatchAssistantRequest) -> Self {
        Self {
            name: request.name,
            description: request.description,
            kind: request.kind,
            model: request.model,
            model_parameters: request.model_parameters,
            system_prompt: request.system_prompt,
            conversation_starters: request.conversation_starters,
            skills: request.skills,
            tools: request.tools,
            tool_servers: request.tool_servers,
            knowledge_bases: request.knowledge_bases,
            workflow: request.workflow,
            recovery: request.recovery,
            category: request.category,
            visibility: request.visibility,
            grants: request.grants,
            data_schema: request.data_schema,
        }
    }
}

impl From<CreateAssistantRequest> for AssistantInput {
    fn from(request: CreateAssistantRequest) -> Self {
        PatchAssistantRequest::from(request).into()
    }
}
