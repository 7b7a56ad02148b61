//! The skills that are switched on in a conversation.

use actix_web::web::Data;
use serde::Serialize;
use storage::records::{Conversation, Skill, SkillUsableIn};
use storage::{Reader, Row, Tx};
use utoipa::ToSchema;
use uuid::Uuid;

use super::reach::Readable;
use crate::App;
use crate::api::{images, skills};
use crate::http::scopes::{ConversationsRead, ConversationsWrite};
use crate::http::{Api, Caller, Json, Loaded, Path, operations};
use domain::conversations;
use domain::sharing;

/// Summary of a skill.
#[derive(Debug, Serialize, ToSchema)]
pub struct SkillSummary {
    pub id: Uuid,
    pub name: String,
    pub description: String,
    /// Where the skill can be used.
    pub usable_in: SkillUsableIn,
    /// Names of the skill's functions.
    pub functions: Vec<String>,
    /// Address of the skill's picture.
    pub avatar_url: Option<String>,
}

/// A list of skill summaries.
#[derive(Debug, Serialize, ToSchema)]
pub struct SkillSummaryResponseList {
    /// The skills, in the order in which they were switched on.
    pub items: Vec<SkillSummary>,
}

/// List the skills of a conversation.
#[utoipa::path(get, path = "/api/conversations/{conversation_id}/skills")]
async fn list_conversation_skills(
    conversation: Loaded<Readable, ConversationsRead>,
    app: Data<App>,
) -> Api<Json<SkillSummaryResponseList>> {
    let (caller, skills) = (conversation.auth.caller(), conversation.skills.clone());
    app.store.read(move |reader| summaries(reader, &caller, &skills)).await.map(Json)
}

/// Switch a skill on in a conversation.
///
/// The operation is idempotent.
#[utoipa::path(post, path = "/api/conversations/{conversation_id}/skills/{skill_id}",
    params(("conversation_id" = Uuid, Path), ("skill_id" = Uuid, Path)))]
async fn add_skill_to_conversation(
    conversation: Loaded<Row<Conversation>, ConversationsWrite>,
    app: Data<App>,
    path: Path<(Uuid, Uuid)>,
) -> Api<Json<SkillSummaryResponseList>> {
    let (caller, Path((id, skill))) = (conversation.auth.caller(), path);
    let add = move |tx: &mut Tx| {
        let row = conversations::add_skill(tx, &caller, id, skill)?;
        summaries(tx, &caller, &row.skills)
    };
    app.store.run(add).await.map(Json)
}

/// Switch a skill off in a conversation.
///
/// The response is 404 if the skill is not switched on.
#[utoipa::path(delete, path = "/api/conversations/{conversation_id}/skills/{skill_id}",
    params(("conversation_id" = Uuid, Path), ("skill_id" = Uuid, Path)))]
async fn remove_skill_from_conversation(
    conversation: Loaded<Row<Conversation>, ConversationsWrite>,
    app: Data<App>,
    path: Path<(Uuid, Uuid)>,
) -> Api<Json<SkillSummaryResponseList>> {
    let (caller, Path((id, skill))) = (conversation.auth.caller(), path);
    let remove = move |tx: &mut Tx| {
        let row = conversations::remove_skill(tx, &caller, id, skill)?;
        summaries(tx, &caller, &row.skills)
    };
    app.store.run(remove).await.map(Json)
}

/// Returns summaries of skills. Skills that were deleted, or that the caller may no longer see, are left out.
pub fn summaries(reader: &Reader, caller: &Caller, ids: &[Uuid]) -> Api<SkillSummaryResponseList> {
    let rows = ids.iter().map(|id| sharing::visible::<Skill>(reader, caller, *id));
    let rows = rows.collect::<storage::Result<Vec<_>>>()?;
    Ok(SkillSummaryResponseList { items: rows.into_iter().flatten().map(summary).collect() })
}

fn summary(row: Row<Skill>) -> SkillSummary {
    let Skill { name, description, usable_in, functions, avatar, .. } = row.body;
    let avatar_url = images::address(skills::PATH, row.id, avatar.as_ref());
    SkillSummary { id: row.id, name, description, usable_in, functions, avatar_url }
}

operations!(list_conversation_skills, add_skill_to_conversation, remove_skill_from_conversation);
