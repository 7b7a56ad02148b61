//! The skills of assistants, and direct calls of their functions.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use actix_web::web::Data;
use assist::library::Vectors;
use assist::skills::{self, Bill, FunctionError, FunctionRan, LoadedFunction};
use assist::toolbox;
use runs::Caller as OnBehalf;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use storage::records::{Assistant, SkillUsableIn};
use storage::{Row, Tx};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::data::bill;
use crate::App;
use crate::api::conversations::skills::{SkillSummaryResponseList, summaries};
use crate::http::encodings::ProgressGuard;
use crate::http::scopes::{AssistantsRead, LlmUse};
use crate::http::{Api, Caller, Code, Fault, Json, Loaded, Path, Query, Refusal, Validate, operations};
use domain::assistants::access;

/// A function of an assistant's skills.
#[derive(Debug, Serialize, ToSchema)]
pub struct AssistantCustomFunction {
    /// Name by which the function is called. If two skills have a function with the same name, it is prefixed with the name of the skill.
    pub name: String,
    /// Purpose of the function, as models see it.
    pub description: String,
    /// JSON Schema of the arguments, which are an object.
    #[schema(value_type = Object)]
    pub parameters: Map<String, Value>,
    pub skill_id: Uuid,
    /// Name of the skill that contains the function.
    pub skill_name: String,
}

/// The functions of an assistant's skills.
#[derive(Debug, Serialize, ToSchema)]
pub struct AssistantCustomFunctionsResponse {
    /// The functions, in the order of the skills.
    pub items: Vec<AssistantCustomFunction>,
}

/// A call of a function.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct ExecuteSkillFunctionRequest {
    /// Arguments of the call, which must match the function's schema.
    #[schema(value_type = Object)]
    pub arguments: Map<String, Value>,
}

impl Validate for ExecuteSkillFunctionRequest {}

/// Query parameters of a call.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct ExecuteSkillFunction {
    /// Id of a conversation of the caller. Its feed shows the call while it is running.
    pub conversation_id: Option<Uuid>,
    /// Seconds to wait before the call.
    #[param(minimum = 0, maximum = 60, default = 0)]
    pub delay: u64,
    /// Name under which the feed shows the call. Defaults to the name of the function.
    #[param(max_length = 200)]
    pub file_progress_name: Option<String>,
}

impl Validate for ExecuteSkillFunction {}

/// Result of a call.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExecuteSkillFunctionResponse {
    /// Return value of the function.
    #[schema(value_type = Value)]
    pub result: Value,
    /// Console output of the function, one entry per logging call.
    pub logs: Vec<String>,
    /// Duration of the call, in milliseconds.
    pub elapsed_ms: u64,
}

/// List the skills of an assistant.
///
/// Only skills that the caller may see are included.
#[utoipa::path(get, path = "/api/assistants/{assistant_id}/skills")]
async fn get_assistant_skills(
    assistant: Loaded<Row<Assistant>, AssistantsRead>,
    app: Data<App>,
) -> Api<Json<SkillSummaryResponseList>> {
    let (caller, skills) = (assistant.auth.caller(), assistant.skills.clone());
    app.store.read(move |reader| summaries(reader, &caller, &skills)).await.map(Json)
}

/// List the functions of an assistant's skills.
#[utoipa::path(get, path = "/api/assistants/{assistant_id}/functions")]
async fn get_assistant_skill_functions(
    assistant: Loaded<Row<Assistant>, AssistantsRead>,
    app: Data<App>,
) -> Api<Json<AssistantCustomFunctionsResponse>> {
    let items = functions(&app, &assistant).await?.into_iter().map(shown).collect();
    Ok(Json(AssistantCustomFunctionsResponse { items }))
}

/// Call a function of an assistant's skills.
///
/// Every user of the assistant may call its functions. The call waits `delay` seconds, then runs for at most 30 seconds. It is aborted when
/// the assistant is disabled. The function can reach only services that its skill requests and for which the assistant is approved. While
/// the call is running, the feed of `conversation_id` reports it (`function.started`, `function.ended`). All faults of the arguments are
/// reported together.
#[utoipa::path(post, path = "/api/assistants/{assistant_id}/functions/{function_name}",
    params(("assistant_id" = Uuid, Path), ("function_name" = String, Path), ExecuteSkillFunction),
    responses((status = 504, description = "The function timed out.")))]
async fn execute_assistant_skill_function(
    assistant: Loaded<Row<Assistant>, LlmUse>,
    app: Data<App>,
    path: Path<(Uuid, String)>,
    Query(params): Query<ExecuteSkillFunction>,
    Json(body): Json<ExecuteSkillFunctionRequest>,
) -> Api<Json<ExecuteSkillFunctionResponse>> {
    let Path((_, name)) = path;
    let ran = call(&app, &assistant, &name, params, body.arguments).await?;
    let FunctionRan { result, logs, elapsed_ms, .. } = ran;
    Ok(Json(ExecuteSkillFunctionResponse { result, logs, elapsed_ms }))
}

type Usable<S> = Loaded<Row<Assistant>, S>;

/// Returns the functions of an assistant's skills, with the names by which they are called.
async fn functions<S: crate::http::scopes::ScopeTag>(
    app: &App,
    assistant: &Usable<S>,
) -> Api<Vec<(String, LoadedFunction)>> {
    let (tenant, ids) = (assistant.auth.tenant, assistant.skills.clone());
    let any = SkillUsableIn::Both;
    let found = app.store.read(move |reader| skills::functions(reader, tenant, &ids, any)).await;
    Ok(found.map(|found| toolbox::named(found, Vec::new()))?)
}

fn shown((name, loaded): (String, LoadedFunction)) -> AssistantCustomFunction {
    let LoadedFunction { skill_id, skill_name, function, .. } = loaded;
    let skills::SkillFunction { description, parameters, .. } = function;
    AssistantCustomFunction { name, description, parameters, skill_id, skill_name }
}

async fn call(
    app: &Data<App>,
    assistant: &Usable<LlmUse>,
    name: &str,
    params: ExecuteSkillFunction,
    arguments: Map<String, Value>,
) -> Api<FunctionRan> {
    access::require_enabled(assistant)?;
    let all = functions(app, assistant).await?;
    let found = all.into_iter().find(|(known, _)| known == name);
    let (_, loaded) = found.ok_or_else(|| Refusal::not_found("function"))?;
    let _shown = show(app, assistant, name, &params).await?;
    let caller = OnBehalf {
        tenant: assistant.auth.tenant,
        user: assistant.auth.user,
        assistant_id: Some(assistant.id),
        conversation_id: params.conversation_id,
        run_id: None,
        place: SkillUsableIn::Both,
        fence: None,
    };
    let arguments = Value::Object(arguments);
    let (skill, name) = (Some(loaded.skill_id), &loaded.function.name);
    let spent = Bill::default();
    let run = async {
        tokio::time::sleep(Duration::from_secs(params.delay)).await;
        usable(app, &assistant.auth.caller(), assistant.id).await?;
        let ran =
            skills::execute(&app.run_context, &caller, skill, &loaded.content, name, &arguments, &spent);
        ran.await.map_err(refusal)
    };
    let ran = tokio::select! {
        biased;
        // Dropping the call kills the function's process.
        why = lost(app, assistant) => Err(why),
        ran = run => ran,
    };
    record(app, assistant, spent.into_inner()).await?;
    ran
}

/// Returns an error if the caller may no longer use the assistant, or if the assistant has been disabled.
async fn usable(app: &App, caller: &Arc<Caller>, id: Uuid) -> Api<()> {
    let caller = caller.clone();
    let row = app.store.read(move |reader| access::visible(reader, &caller, id)).await?;
    access::require_enabled(&*row.ok_or_else(|| Refusal::not_found("assistant"))?)
}

/// Waits until the assistant is disabled, and returns the error for the caller.
async fn lost(app: &App, assistant: &Usable<LlmUse>) -> Refusal {
    loop {
        let mut rung = pin!(app.disabled.notified());
        // Subscribes before the check, so that no notification between the check and the wait is missed.
        rung.as_mut().enable();
        if let Err(why) = usable(app, &assistant.auth.caller(), assistant.id).await {
            return why;
        }
        rung.await;
    }
}

/// Shows the call in the feed of the conversation, if one is named. The conversation must belong to the caller.
async fn show(
    app: &App,
    assistant: &Usable<LlmUse>,
    function: &str,
    params: &ExecuteSkillFunction,
) -> Api<Option<ProgressGuard>> {
    let Some(id) = params.conversation_id else { return Ok(None) };
    let caller = assistant.auth.caller();
    let tenant = caller.tenant;
    app.store.read(move |reader| domain::conversations::own(reader, &caller, id)).await?;
    let name = params.file_progress_name.clone().unwrap_or_else(|| function.to_owned());
    Ok(Some(app.progress.show(&app.store, tenant, id, name, function.to_owned())))
}

/// Records the usage of the function's searches.
async fn record(app: &Data<App>, assistant: &Usable<LlmUse>, spent: Vec<Vectors>) -> Api<()> {
    if spent.iter().all(|spent| spent.usage == Default::default()) {
        return Ok(());
    }
    let (caller, id, shared) = (assistant.auth.caller(), assistant.id, app.clone());
    let write = move |tx: &mut Tx| spent.iter().try_for_each(|it| bill(tx, &shared, &caller, id, Some(it)));
    Ok(app.store.run(write).await?)
}

/// Converts the failure of a function to an error.
fn refusal(why: FunctionError) -> Refusal {
    let detail = why.to_string();
    match why {
        FunctionError::NotFound(_) => Refusal::not_found("function"),
        FunctionError::InvalidArguments(faults) => {
            let fault = |fault: assist::data::Fault| {
                let loc = std::iter::once("arguments").chain(fault.loc.iter().map(String::as_str));
                Fault::new("body", loc, fault.msg, fault.kind)
            };
            Refusal::faulty(faults.into_iter().map(fault).collect())
        }
        FunctionError::Timeout { logs, .. } => {
            Refusal::new(Code::FunctionTimeout).detail(detail).extra("logs", logs)
        }
        FunctionError::Failed { message, file, line, logs } => {
            let error = Refusal::new(Code::FunctionFailed).detail(message);
            error.extra("file", file).extra("line", line).extra("logs", logs)
        }
        FunctionError::Unavailable(why) => Refusal::new(Code::Overloaded).because(why).retry_after(1),
    }
}

operations!(get_assistant_skills, get_assistant_skill_functions, execute_assistant_skill_function);
