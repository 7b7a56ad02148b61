//! Memories: what is remembered of a user, for all assistants or for one. They belong to the user alone; administrators
//! do not read them.

mod change;
mod list;

use storage::records::{Memory, User};
use storage::{Reader, Row, Scan, TenantId, Timestamp};
use uuid::Uuid;

pub use change::{MemoryInput, create, delete, remember, update};
pub use list::{MemoryFilter, MemoryScope, list};

/// The longest memory, in characters.
pub const MAX_CHARS: usize = 2_000;

/// What models may do with a user's memories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permissions {
    /// Whether memories are part of prompts.
    pub read: bool,
    /// Whether models may add memories.
    pub write: bool,
}

/// What the preferences of a user permit: reading, unless they say otherwise, and no writing.
///
/// # Errors
/// Those of storage.
pub fn permissions(reader: &Reader, user: Uuid) -> storage::Result<Permissions> {
    let user = reader.get_shared::<User>(TenantId::SYSTEM, &user)?;
    let preferences = user.as_ref().map(|row| &row.preferences);
    let read = preferences.and_then(|preferences| preferences.use_memories);
    let write = preferences.and_then(|preferences| preferences.make_memories);
    Ok(Permissions { read: read.unwrap_or(true), write: write.unwrap_or(false) })
}

/// A user's memory with this id, unless it has expired.
///
/// # Errors
/// Those of storage.
pub fn own(reader: &Reader, tenant: TenantId, user: Uuid, id: Uuid) -> storage::Result<Option<Row<Memory>>> {
    let row = reader.get::<Memory>(tenant, &(user, id))?;
    Ok(row.filter(|row| is_current(row, Timestamp::now())))
}

/// A user's memories that have not expired, oldest first, as far as `is_wanted` holds.
///
/// # Errors
/// Those of storage.
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

/// A user's memories, expired ones included.
fn stored(reader: &Reader, tenant: TenantId, user: Uuid) -> storage::Result<Vec<Row<Memory>>> {
    Ok(reader.scan::<Memory>(tenant, Scan::table().prefix(user.as_bytes().to_vec()))?.items)
}

/// Whether a memory has not expired at a point in time.
fn is_current(memory: &Memory, now: Timestamp) -> bool {
    memory.expires_at.is_none_or(|at| at > now)
}
