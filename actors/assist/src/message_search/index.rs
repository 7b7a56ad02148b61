//! Bringing the index of a tenant up to date with storage.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::PathBuf;

use domain::conversations::searched_text;
use knowledge::{MessageChange, MessageKey};
use storage::records::{Conversation, Message, MessageRole, MessageStatus};
use storage::{Reader, Row, Scan, TenantId};
use uuid::Uuid;

use super::{Inner, MessageSearchError};

/// The file that states that the index was built completely.
const COMPLETE: &str = "complete";
/// Maximum number of messages that are added together.
const BATCH: usize = 2_000;
/// Bytes of messages after which a batch ends.
const BATCH_BYTES: usize = 8 << 20;

impl Inner {
    /// Adds all changes that were committed before the call to the index of a tenant. Builds the index if it is missing
    /// or incomplete.
    pub(super) async fn bring_up(&self, tenant: TenantId) -> Result<(), MessageSearchError> {
        let turn = self.turns.lock().entry(tenant).or_default().clone();
        let _turn = turn.lock().await;
        // Opening recreates a damaged index, without the file.
        self.index.open(tenant.0).await?;
        let complete = self.index.folder(tenant.0).join(COMPLETE);
        if !exists(complete.clone()).await? {
            self.build(tenant).await?;
            self.add_changes(tenant).await?;
            return write(complete).await;
        }
        self.add_changes(tenant).await
    }

    /// Adds all messages to an index that contains only some. Changes that are made during the scan are noted, and are
    /// added afterwards. Earlier notes are not needed: if the scan does not end, another one begins.
    async fn build(&self, tenant: TenantId) -> Result<(), MessageSearchError> {
        self.index.apply(tenant.0, vec![MessageChange::Clear]).await?;
        loop {
            let pending = self.store.read(move |reader| reader.unindexed(tenant, BATCH)).await?;
            if pending.is_empty() {
                break;
            }
            self.store.run(move |tx: &mut storage::Tx| tx.note_indexed(tenant, &pending)).await?;
        }
        let (mut after, mut added) = (None, 0);
        loop {
            let scan = Scan::table().limit(BATCH).bytes(BATCH_BYTES).after(after);
            let read = self.store.read(move |reader| {
                let mut owners = HashMap::new();
                let page = reader.scan::<Message>(tenant, scan)?;
                let change = |row: &Row<Message>| change(reader, tenant, &mut owners, row.id, Some(row));
                let changes = page.items.iter().map(change).collect::<storage::Result<Vec<_>>>()?;
                Ok::<_, storage::Error>((changes, page.next))
            });
            let (changes, next) = read.await?;
            added += changes.len();
            self.index.apply(tenant.0, changes).await?;
            after = next;
            if after.is_none() {
                tracing::info!(%tenant, messages = added, "built the index of messages");
                return Ok(());
            }
        }
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
fn change(
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

async fn exists(path: PathBuf) -> Result<bool, MessageSearchError> {
    on_disk(move || path.try_exists()).await
}

async fn write(path: PathBuf) -> Result<(), MessageSearchError> {
    on_disk(move || std::fs::File::create(path)?.sync_all()).await
}

async fn on_disk<T: Send + 'static>(
    work: impl FnOnce() -> std::io::Result<T> + Send + 'static,
) -> Result<T, MessageSearchError> {
    let failed = |why: &dyn std::fmt::Display| knowledge::IndexError(why.to_string());
    let done = tasks::blocking(work).await.map_err(|why| failed(&why))?;
    Ok(done.map_err(|why| failed(&why))?)
}
