//! The assistants that use a skill.

use actix_web::web::Data;
use domain::sharing;
use domain::skills::assistants_using;
use serde::Serialize;
use storage::records::{Assistant, AssistantType, Skill};
use storage::{Reader, Row};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::App;
use crate::http::scopes::SkillsRead;
use crate::http::{Api, Caller, Json, Loaded, list_of, operations, record_view};

record_view! {
    /// An assistant that uses a skill.
    #[derive(Clone, Debug, Serialize, ToSchema)]
    pub struct SkillUserResponse from row: Row<Assistant>, row.body => {
        /// The assistant's id.
        id: Uuid = row.id,
        /// The name shown to users.
        name: String,
        description: String,
        /// Whether it is a chat or a workflow assistant.
        #[serde(rename = "type")]
        kind: AssistantType,
        /// The user who owns the assistant.
        owner: Uuid,
    }
}

list_of! {
    /// The assistants that use a skill.
    #[derive(Debug)]
    pub SkillUserResponseList of SkillUserResponse
}

/// List the assistants that use a skill.
///
/// Returns only the assistants that the caller can see. `total` also counts the others.
#[utoipa::path(get, path = "/api/skills/global/{skill_id}/assistants")]
async fn get_assistants_using_skill(
    skill: Loaded<Row<Skill>, SkillsRead>,
    app: Data<App>,
) -> Api<Json<SkillUserResponseList>> {
    let (caller, id) = (skill.auth.caller(), skill.id);
    app.store.read(move |reader| using(reader, &caller, id)).await.map(Json)
}

fn using(reader: &Reader, caller: &Caller, skill: Uuid) -> Api<SkillUserResponseList> {
    let all = assistants_using(reader, caller.tenant, skill)?;
    let total = Some(all.len() as u64);
    let seen = all.into_iter().filter(|row| sharing::level(&row.body, caller).is_some());
    Ok(SkillUserResponseList { items: seen.map(Into::into).collect(), total, next_cursor: None })
}

operations!(get_assistants_using_skill);
