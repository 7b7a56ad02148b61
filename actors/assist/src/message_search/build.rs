//! Building the index of a tenant from its messages.

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::time::Instant;

use knowledge::MessageChange;
use storage::records::Message;
use storage::{Cursor, Row, Scan, TenantId};
use uuid::Uuid;

use super::index::{BATCH, BATCH_BYTES, change, on_disk};
use super::{BuildProgress, Inner, MessageSearchError, Turn};

/// The file that states which messages an unfinished build has added: all up to this one. Contains the ids of a
/// conversation and of its message.
const POSITION: &str = "position";

impl Inner {
    /// Adds all messages to an index that contains only some, and returns the number of those that were added. A build
    /// that was interrupted continues where it was.
    ///
    /// Changes that are made from the beginning of the build on are noted, and have to be added afterwards. The notes of
    /// earlier changes are not needed.
    pub(super) async fn build(&self, tenant: TenantId, turn: &Turn) -> Result<usize, MessageSearchError> {
        let folder = self.index.folder(tenant.0);
        let last = last_added(folder.clone()).await?;
        if last.is_none() {
            self.begin_build(tenant).await?;
        }
        let of_build = last.map(|id| Cursor::after_row::<Message>(&id));
        let progress = self.store.read(move |reader| {
            let total = reader.count::<Message>(tenant, Scan::table())?;
            let missing = reader.count::<Message>(tenant, Scan::table().after(of_build))?;
            Ok::<_, storage::Error>(BuildProgress { added: total.saturating_sub(missing), total })
        });
        *turn.build.lock() = Some(progress.await?);
        let added = self.add_all(tenant, turn, (folder, last)).await;
        *turn.build.lock() = None;
        added
    }

    /// Adds all messages after `last`.
    async fn add_all(
        &self,
        tenant: TenantId,
        turn: &Turn,
        (folder, mut last): (PathBuf, Option<(Uuid, Uuid)>),
    ) -> Result<usize, MessageSearchError> {
        let mut added = 0;
        loop {
            let began = Instant::now();
            let scan = Scan::table().limit(BATCH).bytes(BATCH_BYTES);
            let scan = scan.after(last.map(|id| Cursor::after_row::<Message>(&id)));
            let read = self.store.read(move |reader| {
                let mut owners = HashMap::new();
                let page = reader.scan::<Message>(tenant, scan)?;
                let change = |row: &Row<Message>| change(reader, tenant, &mut owners, row.id, Some(row));
                let changes = page.items.iter().map(change).collect::<storage::Result<Vec<_>>>()?;
                let last = page.items.last().map(|row| row.id).filter(|_| page.next.is_some());
                Ok::<_, storage::Error>((changes, last))
            });
            let changes;
            (changes, last) = read.await?;
            let count = changes.len();
            added += count;
            self.index.apply(tenant.0, changes).await?;
            turn.build.lock().iter_mut().for_each(|build| build.added += count as u64);
            let Some(last) = last else { return Ok(added) };
            // After the index is on disk. If this is lost, the same messages are added again.
            write_position(folder.clone(), last).await?;
            turn.pause(began).await;
        }
    }

    async fn begin_build(&self, tenant: TenantId) -> Result<(), MessageSearchError> {
        self.index.apply(tenant.0, vec![MessageChange::Clear]).await?;
        loop {
            let pending = self.store.read(move |reader| reader.unindexed(tenant, BATCH)).await?;
            if pending.is_empty() {
                return Ok(());
            }
            self.store.run(move |tx: &mut storage::Tx| tx.note_indexed(tenant, &pending)).await?;
        }
    }
}

/// The last message that a build added before it was interrupted.
async fn last_added(folder: PathBuf) -> Result<Option<(Uuid, Uuid)>, MessageSearchError> {
    let text = on_disk(move || match std::fs::read_to_string(folder.join(POSITION)) {
        Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(None),
        text => text.map(Some),
    });
    let text = text.await?.unwrap_or_default();
    let ids = text.split_once(' ').map(|(home, id)| Some((home.parse().ok()?, id.parse().ok()?)));
    // Without a valid one, the build begins again.
    Ok(ids.flatten())
}

async fn write_position(folder: PathBuf, (home, id): (Uuid, Uuid)) -> Result<(), MessageSearchError> {
    let text = format!("{home} {id}");
    on_disk(move || {
        let new = folder.join("position.new");
        std::fs::write(&new, text)?;
        std::fs::rename(new, folder.join(POSITION))
    })
    .await
}

/// Forgets the position before the index is complete. Later, it would state too much: the notes of changes are then removed
/// as soon as they have been added.
pub(super) async fn forget_position(folder: PathBuf) -> Result<(), MessageSearchError> {
    on_disk(move || match std::fs::remove_file(folder.join(POSITION)) {
        Err(why) if why.kind() != io::ErrorKind::NotFound => Err(why),
        _ => Ok(()),
    })
    .await
}
