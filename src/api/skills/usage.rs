//! What uses a skill.

use actix_web::web::Data;
use serde::Serialize;
use serde_json::json;
use storage::records::{Assistant, AssistantType, Conversation, Skill};
use storage::{Reader, Row, Scan, TenantId};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::App;
use crate::http::scopes::SkillsRead;
use crate::http::{Api, Area, Caller, Code, Found, Json, Refusal, list_of, operations};
use domain::sharing;

/// Conversations that are read together.
const TOGETHER: usize = 500;

/// An assistant that uses a skill.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SkillUserResponse {
    /// Its id.
    pub id: Uuid,
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Chat or workflow.
    #[serde(rename = "type")]
    pub kind: AssistantType,
    /// Whose it is.
    pub owner: Uuid,
}

impl From<Row<Assistant>> for SkillUserResponse {
    fn from(row: Row<Assistant>) -> Self {
        let Assistant { name, description, kind, owner, .. } = row.body;
        Self { id: row.id, name, description, kind, owner }
    }
}

list_of! {
    /// Assistants that use a skill.
    #[derive(Debug)]
    pub SkillUserResponseList of SkillUserResponse
}

/// List the assistants that use a skill.
///
/// Only those that the caller may see. `total` counts the others, too.
#[utoipa::path(get, path = "/api/skills/global/{skill_id}/assistants",
    operation_id = "skills.get_assistants_using_skill",
    responses((status = 200, description = "The assistants.", body = SkillUserResponseList)))]
async fn get_assistants_using_skill(
    skill: Found<Row<Skill>, SkillsRead>,
    app: Data<App>,
) -> Api<Json<SkillUserResponseList>> {
    let (caller, id) = (skill.auth.caller(), skill.id);
    app.store.read(move |reader| using(reader, &caller, id)).await.map(Json)
}

fn using(reader: &Reader, caller: &Caller, skill: Uuid) -> Api<SkillUserResponseList> {
    let all = assistants(reader, caller.tenant, skill)?;
    let total = Some(all.len() as u64);
    let seen = all.into_iter().filter(|row| sharing::level(&row.body, caller).is_some());
    Ok(SkillUserResponseList { items: seen.map(Into::into).collect(), total, next_cursor: None })
}

/// Assistants that have a skill, or whose workflow names it; those in the bin do not count.
pub fn assistants(reader: &Reader, tenant: TenantId, skill: Uuid) -> storage::Result<Vec<Row<Assistant>>> {
    let all = reader.scan::<Assistant>(tenant, Scan::table())?.items;
    let name = skill.to_string();
    let uses = |row: &Row<Assistant>| {
        let named = || row.workflow.as_ref().is_some_and(|graph| graph.to_string().contains(&name));
        row.deleted_at.is_none() && (row.skills.contains(&skill) || named())
    };
    Ok(all.into_iter().filter(uses).collect())
}

/// Conversations in which a skill is switched on.
pub fn conversations(
    reader: &Reader,
    tenant: TenantId,
    skill: Uuid,
) -> storage::Result<Vec<Row<Conversation>>> {
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let page = reader.scan::<Conversation>(tenant, Scan::table().after(after).limit(TOGETHER))?;
        found.extend(page.items.into_iter().filter(|row| row.skills.contains(&skill)));
        after = page.next;
        if after.is_none() {
            return Ok(found);
        }
    }
}

/// What uses a skill, as it is told to one caller: what they may not see is only counted.
pub struct Users {
    assistants: Vec<SkillUserResponse>,
    other_assistants: usize,
    conversations: Vec<Uuid>,
    other_conversations: usize,
}

impl Users {
    /// Sorts out what the caller may see.
    pub fn of(caller: &Caller, assistants: Vec<Row<Assistant>>, talks: &[Row<Conversation>]) -> Self {
        let all = assistants.len();
        let seen = assistants.into_iter().filter(|row| sharing::level(&row.body, caller).is_some());
        let assistants: Vec<SkillUserResponse> = seen.map(Into::into).collect();
        let own = talks.iter().filter(|row| row.owner == caller.user).map(|row| row.id);
        let conversations: Vec<Uuid> = own.collect();
        let other_conversations = talks.len() - conversations.len();
        Self { other_assistants: all - assistants.len(), assistants, conversations, other_conversations }
    }

    /// Whether nothing uses it.
    pub fn is_empty(&self) -> bool {
        self.assistants.len() + self.other_assistants + self.conversations.len() + self.other_conversations
            == 0
    }

    /// 409 that names them.
    pub fn refusal(&self) -> Refusal {
        Refusal::new(Code::InUse)
            .detail("the skill is in use; take it out there first")
            .extra("assistants", json!(self.assistants))
            .extra("other_assistants", self.other_assistants)
            .extra("conversations", json!(self.conversations))
            .extra("other_conversations", self.other_conversations)
    }
}

/// The operations of this file.
pub fn operations(area: &mut Area) {
    operations!(area; get_assistants_using_skill);
}
