//! Code nodes written by a model.

use std::collections::BTreeMap;

use actix_web::web::Data;
use serde::{Deserialize, Serialize};
use storage::Row;
use storage::records::{Assistant, Usage};
use utoipa::ToSchema;
use workflow::code_box::{self, Built, Check, CodeBoxExample, CodeBoxRequest, OnBehalf};
use workflow::graph::ValueType;

use super::declared::{Declared, types};
use crate::App;
use crate::api::chat::default_model::choose;
use crate::http::scopes::WorkflowsRun;
use crate::http::{Api, Code, Faults, Json, Loaded, Refusal, ToEdit, Validate, operations};
use domain::assistants::access;

/// Most inputs, and most outputs.
const FIELDS: usize = 50;
/// Most examples.
const EXAMPLES: usize = 20;
/// Longest name of an input, an output or a node, in characters.
const NAME: usize = 64;

/// A request for code.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct AiCodeBoxBuildRequestBody {
    /// The node it is for: without examples, it is tried on the inputs of that node in the caller's latest runs.
    #[schema(min_length = 1, max_length = 64)]
    pub node_id: Option<String>,
    /// What the code is to do, in words.
    #[schema(min_length = 1, max_length = 20000)]
    pub instruction: String,
    /// The inputs: names with their types, such as `"string"`, or as in a graph, `{"type": "string"}`.
    #[serde(default)]
    #[schema(value_type = BTreeMap<String, ValueType>, example = json!({"text": "string"}))]
    pub inputs: BTreeMap<String, Declared>,
    /// The outputs: names with their types, also in the form of a node's `out`.
    #[schema(value_type = BTreeMap<String, ValueType>, example = json!({"text": "string"}))]
    pub outputs: BTreeMap<String, Declared>,
    /// What it is tried on.
    #[schema(max_items = 20)]
    pub examples: Option<Vec<CodeBoxExample>>,
}

impl Validate for AiCodeBoxBuildRequestBody {
    const TRIMMED: &'static [&'static str] = &["instruction"];

    fn validate(&self, faults: &mut Faults) {
        names("inputs", &self.inputs, faults);
        names("outputs", &self.outputs, faults);
        if self.outputs.is_empty() {
            faults.add(["outputs"], "needs at least one", "too_short");
        }
        let examples = self.examples.as_deref().unwrap_or_default();
        for (at, example) in examples.iter().take(EXAMPLES).enumerate() {
            self.example(&at.to_string(), example, faults);
        }
    }
}

impl AiCodeBoxBuildRequestBody {
    fn example(&self, at: &str, example: &CodeBoxExample, faults: &mut Faults) {
        for name in self.inputs.keys().filter(|name| !example.inputs.contains_key(*name)) {
            faults.add(["examples", at, "inputs", name], "is missing", "missing");
        }
        let outputs = example.outputs.iter().flatten();
        let all = example.inputs.iter().map(|field| ("inputs", &self.inputs, field));
        for (part, declared, (name, value)) in
            all.chain(outputs.map(|field| ("outputs", &self.outputs, field)))
        {
            match declared.get(name) {
                None => faults.add(["examples", at, part, name], "is not declared", "extra"),
                Some(Declared(kind)) if !kind.admits(value) => {
                    let wanted = format!("is not of the type {}", kind.name());
                    faults.add(["examples", at, part, name], wanted, "type_mismatch");
                }
                Some(_) => {}
            }
        }
    }
}

fn names(field: &str, all: &BTreeMap<String, Declared>, faults: &mut Faults) {
    faults.at_most(field, all.len(), FIELDS);
    let good = |name: &str| {
        let begins_well = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        begins_well && name.len() <= NAME && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    for name in all.keys().filter(|name| !good(name)) {
        faults.add([field, name], "names are letters, digits and _, and begin with no digit", "malformed");
    }
}

/// Code that passed every check.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AiCodeBoxBuildResponse {
    /// The code, with a function `main(inputs)`.
    pub code: String,
    /// What it is given.
    #[schema(value_type = Object)]
    pub inputs: BTreeMap<String, ValueType>,
    /// What it gives.
    #[schema(value_type = Object)]
    pub outputs: BTreeMap<String, ValueType>,
    /// What it was tried on, and what came of it.
    pub checks: Vec<Check>,
    /// How often it was written.
    pub attempts: u32,
    /// The model that wrote it.
    pub model: String,
    /// The tokens that took.
    pub usage: Usage,
    /// What they cost, in billionths of a dollar.
    pub cost_nanos: u64,
}

/// Have a model write the code of a node.
///
/// The code is run on the examples; without any, on the inputs of the node in the caller's latest runs; else on generated
/// inputs. Its outputs must have their types and, where an example has expected outputs, equal them. Failures are sent to
/// the model, which may correct the code up to three times. 422 `code_never_passed` has the last failure, with the code
/// and its checks. The built-in model writes no code: it responds with code that passes inputs on.
#[utoipa::path(post, path = "/api/workflows/assistants/{assistant_id}/ai_code_box/build")]
async fn build_ai_code_box(
    assistant: Loaded<Row<Assistant>, WorkflowsRun, ToEdit>,
    app: Data<App>,
    Json(body): Json<AiCodeBoxBuildRequestBody>,
) -> Api<Json<AiCodeBoxBuildResponse>> {
    build(app, assistant, body).await.map(Json)
}

async fn build(
    app: Data<App>,
    assistant: Loaded<Row<Assistant>, WorkflowsRun, ToEdit>,
    body: AiCodeBoxBuildRequestBody,
) -> Api<AiCodeBoxBuildResponse> {
    let Loaded { auth, it: assistant } = assistant;
    access::require_enabled(&assistant)?;
    let caller = auth.caller();
    let who = OnBehalf {
        tenant: caller.tenant,
        user: caller.user,
        token_id: caller.token_id,
        assistant_id: assistant.id,
    };
    let AiCodeBoxBuildRequestBody { node_id, instruction, inputs, outputs, examples } = body;
    let (inputs, outputs) = (types(inputs), types(outputs));
    let (models, id) = (app.models.clone(), assistant.id);
    let own = assistant.body.model;
    let chosen = app.store.read(move |reader| {
        let recorded = match &node_id {
            Some(node) => code_box::recorded(reader, caller.tenant, caller.user, id, node)?,
            None => Vec::new(),
        };
        Ok::<_, Refusal>((choose(reader, &caller, &models, own)?.0.id, recorded))
    });
    let (model, recorded) = chosen.await?;
    let examples = examples.unwrap_or_default();
    let request = CodeBoxRequest { instruction, inputs, outputs, examples, recorded, model };
    // A task of its own: what a model costs is recorded even if the client does not wait for it.
    let built = tasks::spawn(async move {
        let built = code_box::build_for(who, &app.store, &app.models, &app.sandbox, &request).await;
        built.map(|built| response(built, request)).map_err(Refusal::from)
    });
    built.await.map_err(|why| Refusal::new(Code::Internal).because(why))?
}

fn response(built: Built, request: CodeBoxRequest) -> AiCodeBoxBuildResponse {
    let Built { code, checks, attempts, model, spent } = built;
    let CodeBoxRequest { inputs, outputs, .. } = request;
    let (usage, cost_nanos) = (spent.usage, spent.cost_nanos);
    AiCodeBoxBuildResponse { code, inputs, outputs, checks, attempts, model, usage, cost_nanos }
}

operations!(build_ai_code_box);
