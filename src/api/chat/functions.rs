//! What models may be given to call.

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

/// Where a function comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FunctionSource {
    /// Every installation has it; it is requested by its name in `tools`.
    BuiltIn,
    /// It belongs to a skill.
    Skill,
}

/// A function that models may call.
#[derive(Debug, Serialize, ToSchema)]
pub struct AvailableFunction {
    /// Its name. Where several skills have a function of one name, it begins with the skill's.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The JSON Schema of its arguments, an object.
    #[schema(value_type = Object)]
    pub parameters: Value,
    /// Where it comes from.
    pub source: FunctionSource,
    /// Its skill, where it has one.
    pub skill_id: Option<Uuid>,
    /// Its skill's name.
    pub skill_name: Option<String>,
}

/// The functions that models may call.
#[derive(Debug, Serialize, ToSchema)]
pub struct AvailableFunctionsResponse {
    /// The installation's own, then those of skills in the order of the skills' names.
    pub items: Vec<AvailableFunction>,
}

/// List the functions that the caller may let models call.
///
/// The installation's own, and those of the skills that the caller may see and that can be used in chats; the latter
/// only with the scope `skills:read`.
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
