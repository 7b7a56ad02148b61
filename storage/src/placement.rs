//! Placement of conversations in projects.

use uuid::Uuid;

use crate::error::Result;
use crate::ids::TenantId;
use crate::record::Row;
use crate::records::{Conversation, Project, ProjectCount};
use crate::scan::Scan;
use crate::tx::Tx;

impl Tx {
    /// Moves a conversation that is about to be written into a project, or out of its project. The caller checks that
    /// the project exists and that the move is allowed. Rights of users who can read the conversation through the
    /// project that it leaves are evaluated again.
    pub fn place_conversation(
        &mut self,
        tenant: TenantId,
        conversation: &mut Conversation,
        project: Option<Uuid>,
    ) -> Result<()> {
        let before = std::mem::replace(&mut conversation.project_id, project);
        if before == project {
            return Ok(());
        }
        if let Some(before) = before {
            self.change_rights();
            self.count_conversations(tenant, before, |count| count.saturating_sub(1))?;
        }
        match project {
            Some(project) => self.count_conversations(tenant, project, |count| count + 1),
            None => Ok(()),
        }
    }

    fn count_conversations(
        &mut self,
        tenant: TenantId,
        project: Uuid,
        change: impl FnOnce(u64) -> u64,
    ) -> Result<()> {
        match self.get::<ProjectCount>(tenant, &project)? {
            Some(mut row) => {
                row.conversations = change(row.conversations);
                self.update(tenant, row).map(drop)
            }
            None => {
                let count = ProjectCount { conversations: change(0) };
                self.insert(tenant, project, count).map(drop)
            }
        }
    }

    /// Deletes a project. Its conversations are retained, outside any project. Returns their number; `None` if the
    /// project does not exist.
    pub fn delete_project(&mut self, tenant: TenantId, id: Uuid) -> Result<Option<u64>> {
        let Some(_) = self.get::<Project>(tenant, &id)? else { return Ok(None) };
        // Read first: if a conversation is added from here on, this transaction runs again.
        self.get::<ProjectCount>(tenant, &id)?;
        let conversations: Vec<Row<Conversation>> =
            self.scan(tenant, Scan::index("by_project").prefix(id.as_bytes()))?.items;
        let count = conversations.len() as u64;
        for mut conversation in conversations {
            conversation.project_id = None;
            self.update(tenant, conversation)?;
        }
        self.delete::<ProjectCount>(tenant, &id)?;
        self.delete::<Project>(tenant, &id)?;
        Ok(Some(count))
    }
}
