//! The stored parts of debugging: the session, its conversation and its newest run.

use storage::records::{Assistant, Conversation, DebugSession, Run, RunKind, TitleSource};
use storage::{Reader, Row, Scan, Store, TenantId, Tx, new_id};
use uuid::Uuid;

/// The user who debugs a workflow.
#[derive(Clone, Debug)]
pub struct DebugCaller {
    pub tenant: TenantId,
    pub user: Uuid,
    /// The API token, if the request was made with one.
    pub token_id: Option<Uuid>,
    /// The assistant that defines the workflow.
    pub assistant: Row<Assistant>,
}

impl DebugCaller {
    fn id(&self) -> (Uuid, Uuid) {
        (self.user, self.assistant.id)
    }

    /// Returns the stored session, or a new one. A deleted conversation is removed from the session.
    pub(super) fn session(&self, reader: &Reader) -> storage::Result<DebugSession> {
        let row = reader.get::<DebugSession>(self.tenant, &self.id())?;
        let mut session = row.map(|row| row.body).unwrap_or_default();
        if let Some(conversation) = session.conversation_id {
            let there = reader.get::<Conversation>(self.tenant, &conversation)?;
            session.conversation_id = there.filter(|row| row.owner == self.user).map(|row| row.id);
        }
        Ok(session)
    }

    /// Returns the newest run of the session, whether it is live or has ended.
    pub(super) fn newest(
        &self,
        reader: &Reader,
        session: &DebugSession,
    ) -> storage::Result<Option<Row<Run>>> {
        let Some(conversation) = session.conversation_id else { return Ok(None) };
        newest_run(reader, self.tenant, conversation, self.assistant.id)
    }

    /// Returns the conversation of the session, and creates it if necessary. Concurrent callers get the same conversation.
    pub(super) async fn conversation(&self, store: &Store) -> storage::Result<Uuid> {
        let caller = self.clone();
        store
            .run(move |tx| {
                let session = caller.session(tx)?;
                match session.conversation_id {
                    Some(conversation) => Ok(conversation),
                    None => caller.make_conversation(tx, session),
                }
            })
            .await
    }

    fn make_conversation(&self, tx: &mut Tx, session: DebugSession) -> storage::Result<Uuid> {
        let conversation = Conversation {
            title: Some(format!("Debugging {}", self.assistant.name)),
            title_source: TitleSource::Given,
            assistant_id: Some(self.assistant.id),
            owner: self.user,
            is_system: true,
            ..Conversation::default()
        };
        let row = tx.insert(self.tenant, new_id(), conversation)?;
        self.store(tx, DebugSession { conversation_id: Some(row.id), ..session })?;
        Ok(row.id)
    }

    pub(super) fn store(&self, tx: &mut Tx, session: DebugSession) -> storage::Result<()> {
        match tx.get::<DebugSession>(self.tenant, &self.id())? {
            Some(row) if row.body == session => {}
            Some(row) => drop(tx.update(self.tenant, Row { body: session, ..row })?),
            None => drop(tx.insert(self.tenant, self.id(), session)?),
        }
        Ok(())
    }

    pub(super) fn forget(&self, tx: &mut Tx) -> storage::Result<()> {
        tx.delete::<DebugSession>(self.tenant, &self.id()).map(drop)
    }
}

/// Returns the newest run of an assistant's workflow in a conversation.
pub fn newest_run(
    reader: &Reader,
    tenant: TenantId,
    conversation: Uuid,
    assistant: Uuid,
) -> storage::Result<Option<Row<Run>>> {
    let of_conversation = || Scan::index("by_conversation").prefix(conversation.as_bytes()).reverse();
    let mut page = reader.scan::<Run>(tenant, of_conversation().limit(8))?;
    loop {
        let of_workflow =
            |row: &Row<Run>| row.kind == RunKind::Workflow && row.assistant_id == Some(assistant);
        if let Some(row) = page.items.into_iter().find(of_workflow) {
            return Ok(Some(row));
        }
        let Some(next) = page.next else { return Ok(None) };
        page = reader.scan::<Run>(tenant, of_conversation().limit(64).after(next))?;
    }
}
