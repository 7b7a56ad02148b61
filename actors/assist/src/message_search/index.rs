//! Bringing the index of a tenant up to date with storage.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::Path;

use domain::conversations::searched_text;
use knowledge::{MessageChange, MessageKey};
use storage::records::{Conversation, Message, MessageRole, MessageStatus};
use storage::{Reader, Row, TenantId};
use uuid::Uuid;

use super::{Inner, MessageSearchError, Turn, build};

/// The file that states that the index was built completely.
const COMPLETE: &str = "complete";
/// Maximum number of messages that are added together.
pub(super) const BATCH: usize = 2_000;
/// Bytes of messages after which a batch ends.
pub(super) const BATCH_BYTES: usize = 8 << 20;

impl Inner {
    /// Adds all changes that were committed before the call to the index of a tenant. Builds the index if it is missing
    /// or incomplete.
    pub(super) async fn bring_up(&self, tenant: TenantId, turn: &Turn) -> Result<(), MessageSearchError> {
        let _turn = turn.lock.lock().await;
        // Opening recreates a damaged index, without the file.
        self.index.open(tenant.0).await?;
        let folder = self.index.folder(tenant.0);
        let (complete, of_index) = (folder.join(COMPLETE), folder.clone());
        if on_disk(move || of_index.join(COMPLETE).try_exists()).await? {
            return self.add_changes(tenant).await;
        }
        let added = self.build(tenant, turn).await?;
        self.add_changes(tenant).await?;
        build::forget_position(folder).await?;
        on_disk(move || std::fs::File::create(complete)?.sync_all()).await?;
        tracing::info!(%tenant, messages = added, "built the index of messages");
        Ok(())
    }

    async fn add_changes(&self, tenant: TenantId) -> Result<(), MessageSearchError> {
        loop {
            let read = self.store.read(move |reader| {
                let (mut owners, mut changes, mut bytes) = (HashMap::new(), Vec::new(), 0);
                let mut pending = reader.unindexed(tenant, BATCH)?;
                let is_last = pending.len() < BATCH;
                for message in &pending {
                    let row = reader.get::<Message>(tenant, &message.id)?;
                    bytes += row.as_ref().map_or(0, |row| storage::json_bytes(&row.body));
                    changes.push(change(reader, tenant, &mut owners, message.id, row.as_ref())?);
                    if bytes >= BATCH_BYTES {
                        break;
                    }
                }
                let is_last = is_last && changes.len() == pending.len();
                pending.truncate(changes.len());
                Ok::<_, storage::Error>((pending, changes, is_last))
            });
            let (pending, changes, is_last) = read.await?;
            self.index.apply(tenant.0, changes).await?;
            if !pending.is_empty() {
                let note = move |tx: &mut storage::Tx| tx.note_indexed(tenant, &pending);
                self.store.run(note).await?;
            }
            if is_last {
                return Ok(());
            }
        }
    }
}

/// The change that makes the index agree with a message, or with its absence. A message that is being written is added
/// when it is complete.
pub(super) fn change(
    reader: &Reader,
    tenant: TenantId,
    owners: &mut HashMap<Uuid, Option<Uuid>>,
    id: (Uuid, Uuid),
    row: Option<&Row<Message>>,
) -> storage::Result<MessageChange> {
    let key = MessageKey { conversation: id.0, message: id.1 };
    let owner = match owners.entry(id.0) {
        Entry::Occupied(known) => *known.get(),
        Entry::Vacant(free) => *free.insert(reader.get::<Conversation>(tenant, &id.0)?.map(|row| row.owner)),
    };
    let row = row.filter(|row| row.status != MessageStatus::Streaming);
    let (Some(owner), Some(row)) = (owner, row) else { return Ok(MessageChange::Remove(key)) };
    Ok(MessageChange::Put {
        key,
        owner,
        created_at: row.created_at.as_millis(),
        role: number(row.role),
        text: searched_text(row),
    })
}

/// The number that stands for an author in the index.
pub(super) fn number(role: MessageRole) -> u64 {
    match role {
        MessageRole::System => 0,
        MessageRole::User => 1,
        MessageRole::Assistant => 2,
        MessageRole::Tool => 3,
    }
}

/// Whether a folder contains an index of all messages, apart from the latest changes.
pub(super) fn is_complete(folder: &Path) -> bool {
    folder.join(COMPLETE).exists()
}

pub(super) async fn on_disk<T: Send + 'static>(
    work: impl FnOnce() -> std::io::Result<T> + Send + 'static,
) -> Result<T, MessageSearchError> {
    let failed = |why: &dyn std::fmt::Display| knowledge::IndexError(why.to_string());
    let done = tasks::blocking(work).await.map_err(|why| failed(&why))?;
    Ok(done.map_err(|why| failed(&why))?)
}
