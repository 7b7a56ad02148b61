//! Memories: facts to remember about a user, for all assistants or for one. They belong to the user; administrators
//! cannot read them.

mod change;
mod list;

use storage::records::{Memory, User};
use storage::{Reader, Row, Scan, TenantId, Timestamp};
use uuid::Uuid;

pub use change::{MemoryInput, Remembered, create, delete, remember, update};
pub use list::{MemoryFilter, MemoryScope, list, with_ids};

/// Maximum length of a memory, in characters.
pub const MAX_CHARS: usize = 2_000;

/// How models may use a user's memories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permissions {
    /// Whether memories are part of prompts.
    pub read: bool,
    /// Whether models may add memories.
    pub write: bool,
}

/// Returns the permissions from the preferences of a user. By default, models may read memories and may not write them.
///
/// # Errors
/// Returns an error if storage fails.
pub fn permissions(reader: &Reader, user: Uuid) -> storage::Result<Permissions> {
    let user = reader.get_shared::<User>(TenantId::SYSTEM, &user)?;
    let preferences = user.as_ref().map(|row| &row.preferences);
    let read = preferences.and_then(|preferences| preferences.use_memories);
    let write = preferences.and_then(|preferences| preferences.make_memories);
    Ok(Permissions { read: read.unwrap_or(true), write: write.unwrap_or(false) })
}

/// Returns a user's memory with this id, unless it has expired.
///
/// # Errors
/// Returns an error if storage fails.
pub fn own(reader: &Reader, tenant: TenantId, user: Uuid, id: Uuid) -> storage::Result<Option<Row<Memory>>> {
    let row = reader.get::<Memory>(tenant, &(user, id))?;
    Ok(row.filter(|row| is_current(row, Timestamp::now())))
}

/// Returns the memories of a user that have not expired and for which `is_wanted` returns `true`, oldest first.
///
/// # Errors
/// Returns an error if storage fails.
pub fn of_user(
    reader: &Reader,
    tenant: TenantId,
    user: Uuid,
    is_wanted: impl Fn(&Memory) -> bool,
) -> storage::Result<Vec<Row<Memory>>> {
    let now = Timestamp::now();
    let rows = stored(reader, tenant, user)?;
    Ok(rows.into_iter().filter(|row| is_current(row, now) && is_wanted(row)).collect())
}

/// Returns the memories of a user, including expired ones.
fn stored(reader: &Reader, tenant: TenantId, user: Uuid) -> storage::Result<Vec<Row<Memory>>> {
    Ok(reader.scan::<Memory>(tenant, Scan::table().prefix(user.as_bytes().to_vec()))?.items)
}

/// Returns whether a memory has not expired at `now`.
fn is_current(memory: &Memory, now: Timestamp) -> bool {
    memory.expires_at.is_none_or(|at| at > now)
}
