//! The assistants and conversations that use a skill.

use serde_json::json;
use storage::records::{Assistant, Conversation};
use storage::{Reader, Row, Scan, TenantId};
use uuid::Uuid;

use crate::{Caller, Code, Refusal, Result, sharing};

/// Number of conversations that are read at a time.
const CHUNK: usize = 500;

/// Returns the assistants that have a skill or whose graph contains its id, except those in the bin.
pub fn assistants_using(
    reader: &Reader,
    tenant: TenantId,
    skill: Uuid,
) -> storage::Result<Vec<Row<Assistant>>> {
    let all = reader.scan::<Assistant>(tenant, Scan::table())?.items;
    let name = skill.to_string();
    let uses = |row: &Row<Assistant>| {
        let named = || row.workflow.as_ref().is_some_and(|graph| graph.to_string().contains(&name));
        row.deleted_at.is_none() && (row.skills.contains(&skill) || named())
    };
    Ok(all.into_iter().filter(uses).collect())
}

/// Returns the conversations in which a skill is enabled.
pub fn conversations_using(
    reader: &Reader,
    tenant: TenantId,
    skill: Uuid,
) -> storage::Result<Vec<Row<Conversation>>> {
    let (mut using, mut after) = (Vec::new(), None);
    loop {
        let page = reader.scan::<Conversation>(tenant, Scan::table().after(after).limit(CHUNK))?;
        using.extend(page.items.into_iter().filter(|row| row.skills.contains(&skill)));
        after = page.next;
        if after.is_none() {
            return Ok(using);
        }
    }
}

/// The users of a skill, as far as one caller may know them: users that the caller may not see are
/// only counted.
pub(super) struct SkillUsers {
    assistants: Vec<Row<Assistant>>,
    other_assistants: usize,
    conversations: Vec<Uuid>,
    other_conversations: usize,
}

impl SkillUsers {
    pub(super) fn new(
        caller: &Caller,
        assistants: Vec<Row<Assistant>>,
        conversations: &[Row<Conversation>],
    ) -> Self {
        let all = assistants.len();
        let is_visible = |row: &Row<Assistant>| sharing::level(&row.body, caller).is_some();
        let assistants: Vec<_> = assistants.into_iter().filter(is_visible).collect();
        let own = conversations.iter().filter(|row| row.owner == caller.user).map(|row| row.id);
        let own: Vec<Uuid> = own.collect();
        Self {
            other_assistants: all - assistants.len(),
            assistants,
            other_conversations: conversations.len() - own.len(),
            conversations: own,
        }
    }

    /// # Errors
    /// `in_use`, with the users that the caller may know.
    pub(super) fn require_none(&self) -> Result<()> {
        let hidden = self.other_assistants + self.other_conversations;
        if self.assistants.len() + self.conversations.len() + hidden == 0 {
            return Ok(());
        }
        let assistant = |row: &Row<Assistant>| {
            json!({"id": row.id, "name": row.name, "description": row.description, "type": row.kind,
                "owner": row.owner})
        };
        Err(Refusal::new(Code::InUse)
            .detail("the skill is in use; remove it there first")
            .extra("assistants", self.assistants.iter().map(assistant).collect::<Vec<_>>())
            .extra("other_assistants", self.other_assistants)
            .extra("conversations", json!(self.conversations))
            .extra("other_conversations", self.other_conversations))
    }
}
