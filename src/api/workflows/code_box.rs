//! Generation of the code of workflow nodes by a model.

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

/// Maximum number of inputs, and of outputs.
const FIELDS: usize = 50;
/// Maximum number of examples.
const EXAMPLES: usize = 20;
/// Maximum length of the name of an input, an output or a node, in characters.
const NAME: usize = 64;

/// A request to generate the code of a node.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct AiCodeBoxBuildRequestBody {
    /// The node that the code is for. If the request has no examples, the code is tested with the inputs of
    /// this node in the caller's latest runs.
    #[schema(min_length = 1, max_length = 64)]
    pub node_id: Option<String>,
    /// A description of what the code should do.
    #[schema(min_length = 1, max_length = 20000)]
    pub instruction: String,
    /// The inputs by name, with their types: `"string"`, or as in a graph, `{"type": "string"}`.
    #[serde(default)]
    #[schema(value_type = BTreeMap<String, ValueType>, example = json!({"text": "string"}))]
    pub inputs: BTreeMap<String, Declared>,
    /// The outputs by name, with their types. The form of a node's `out` is accepted as well.
    #[schema(value_type = BTreeMap<String, ValueType>, example = json!({"text": "string"}))]
    pub outputs: BTreeMap<String, Declared>,
    /// The examples that the code is tested with.
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
        faults.add(
            [field, name],
            "names consist of letters, digits and _, and do not begin with a digit",
            "malformed",
        );
    }
}

/// Generated code that passed every check.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AiCodeBoxBuildResponse {
    /// The code, which defines a function `main(inputs)`.
    pub code: String,
    /// The declared inputs and their types.
    #[schema(value_type = Object)]
    pub inputs: BTreeMap<String, ValueType>,
    /// The declared outputs and their types.
    #[schema(value_type = Object)]
    pub outputs: BTreeMap<String, ValueType>,
    /// The inputs that the code was tested with, and the results.
    pub checks: Vec<Check>,
    /// The number of versions that the model wrote.
    pub attempts: u32,
    /// The model that wrote the code.
    pub model: String,
    /// The tokens used.
    pub usage: Usage,
    /// The cost, in billionths of a dollar.
    pub cost_nanos: u64,
}

/// Generate the code of a node with a model.
///
/// The code is tested with the examples. Without examples, it is tested with the inputs of the node in the
/// caller's latest runs, or if there are none, with generated inputs. The outputs must have the declared types
/// and equal the expected outputs of an example that has any. The model is sent each failure and may correct
/// the code up to three times. The response 422 `code_never_passed` contains the last failure, with the code
/// and its checks. The built-in model writes no code: it returns code that passes its inputs on.
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
    // Spawned as a separate task, so that the cost of the model is recorded even if the client disconnects.
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
