//! The functions that models may call.

use actix_web::web::Data;
use assist::toolbox::BUILTIN_TOOLS;
use assist::{skills, toolbox};
use serde::Serialize;
use serde_json::Value;
use storage::records::{Skill, SkillUsableIn};
use storage::{Reader, Scan};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::App;
use crate::http::scopes::Any;
use crate::http::{Api, Auth, Caller, Json, Scope, operations};
use domain::sharing;

/// Origin of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FunctionSource {
    /// Part of every installation. Requested by its name in `tools`.
    BuiltIn,
    /// Part of a skill.
    Skill,
}

/// A function that models may call.
#[derive(Debug, Serialize, ToSchema)]
pub struct AvailableFunction {
    /// Name of the function. If several skills have a function with the same name, it is prefixed with the name of the skill.
    pub name: String,
    /// Purpose of the function, as models see it.
    pub description: String,
    /// JSON Schema of the arguments, which are an object.
    #[schema(value_type = Object)]
    pub parameters: Value,
    /// Origin of the function.
    pub source: FunctionSource,
    /// Id of the skill, if the function belongs to one.
    pub skill_id: Option<Uuid>,
    /// Name of the skill, if the function belongs to one.
    pub skill_name: Option<String>,
}

/// The functions that models may call.
#[derive(Debug, Serialize, ToSchema)]
pub struct AvailableFunctionsResponse {
    /// The built-in functions, followed by those of skills in the order of the skills' names.
    pub items: Vec<AvailableFunction>,
}

/// List the functions that the caller may let models call.
///
/// Includes the built-in functions, and those of skills that the caller may see and that can be used in chats. Functions of skills require
/// the scope `skills:read`.
#[utoipa::path(get, path = "/api/chat/functions")]
async fn get_available_functions(auth: Auth<Any>, app: Data<App>) -> Api<Json<AvailableFunctionsResponse>> {
    let caller = auth.caller();
    let items = app.store.read(move |reader| available(reader, &caller)).await?;
    Ok(Json(AvailableFunctionsResponse { items }))
}

fn available(reader: &Reader, caller: &Caller) -> Api<Vec<AvailableFunction>> {
    let own = BUILTIN_TOOLS.iter().map(|tool| {
        let spec = tool.spec();
        AvailableFunction {
            name: spec.name,
            description: spec.description,
            parameters: spec.parameters,
            source: FunctionSource::BuiltIn,
            skill_id: None,
            skill_name: None,
        }
    });
    let mut all: Vec<_> = own.collect();
    if !caller.may(Scope::SkillsRead) {
        return Ok(all);
    }
    let mut rows = reader.scan::<Skill>(caller.tenant, Scan::table())?.items;
    rows.retain(|row| sharing::level(&row.body, caller).is_some());
    rows.sort_by_cached_key(|row| (row.name.to_lowercase(), row.id));
    let ids: Vec<Uuid> = rows.iter().map(|row| row.id).collect();
    let loaded = skills::functions(reader, caller.tenant, &ids, SkillUsableIn::Chat)?;
    let taken = all.iter().map(|function| function.name.clone()).collect();
    all.extend(toolbox::named(loaded, taken).into_iter().map(|(name, loaded)| AvailableFunction {
        name,
        description: loaded.function.description,
        parameters: Value::Object(loaded.function.parameters),
        source: FunctionSource::Skill,
        skill_id: Some(loaded.skill_id),
        skill_name: Some(loaded.skill_name),
    }));
    Ok(all)
}

operations!(get_available_functions with slash);
