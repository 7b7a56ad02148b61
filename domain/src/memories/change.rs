//! Adding and changing memories.

use storage::records::{Memory, MemoryMark, MemorySource};
use storage::{CountedResource, Error, Reader, Row, TenantId, Timestamp, Tx, new_id};
use uuid::Uuid;

use super::{MAX_CHARS, is_current, of_user, stored};
use crate::assistants::access;
use crate::{Caller, Patch, Precondition, Refusal, Result};

/// Maximum number of memories added by models. The oldest of them are deleted to make room for new ones.
const MAX_BY_MODELS: usize = 500;

/// The fields of a memory that are set together. In a new memory, a field that is not set gets its default.
#[derive(Clone, Debug, Default)]
pub struct MemoryInput {
    /// The text; surrounding white space is removed, and clearing does not change it.
    pub content: Patch<String>,
    /// The assistant to which the memory is restricted. If cleared, all assistants use it.
    pub assistant_id: Patch<Uuid>,
    /// Time until which the memory is used. If cleared, it does not expire.
    pub expires_at: Patch<Timestamp>,
}

impl MemoryInput {
    fn apply(self, memory: &mut Memory) {
        if let Some(content) = self.content.as_set() {
            memory.content = content.trim().to_owned();
        }
        self.assistant_id.apply(&mut memory.assistant_id);
        self.expires_at.apply(&mut memory.expires_at);
    }
}

/// Creates a memory of the caller, and deletes expired ones.
///
/// # Errors
/// `invalid` for an assistant that the caller cannot see; `limit_reached`.
pub fn create(tx: &mut Tx, caller: &Caller, input: MemoryInput) -> Result<Row<Memory>> {
    check_assistant(tx, caller, input.assistant_id.as_set().copied())?;
    let mut memory = Memory { source: MemorySource::Manual, ..Memory::default() };
    input.apply(&mut memory);
    Ok(insert(tx, caller.tenant, caller.user, memory)?)
}

/// Changes a memory of the caller. `version` is the version in the request itself, which is checked in addition to the
/// precondition.
///
/// # Errors
/// `not_found`; `stale` for another version; `invalid` for an assistant that the caller cannot see.
pub fn update(
    tx: &mut Tx,
    caller: &Caller,
    id: Uuid,
    (precondition, version): (&Precondition, Option<u64>),
    input: MemoryInput,
) -> Result<Row<Memory>> {
    let mut row = tx.require::<Memory>(caller.tenant, &(caller.user, id))?;
    precondition.check_both(version, "memory", row.version)?;
    check_assistant(tx, caller, input.assistant_id.as_set().copied())?;
    input.apply(&mut row.body);
    mark(tx, caller.tenant, caller.user, row.assistant_id)?;
    Ok(tx.update(caller.tenant, row)?)
}

/// Deletes a memory of the caller, if it exists.
///
/// # Errors
/// Returns an error if storage fails.
pub fn delete(tx: &mut Tx, caller: &Caller, id: Uuid) -> Result<()> {
    Ok(tx.delete::<Memory>(caller.tenant, &(caller.user, id)).map(drop)?)
}

/// The result of [`remember`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remembered {
    pub memory_id: Uuid,
    /// Whether the memory was added, and not known before.
    pub is_new: bool,
}

/// Adds a memory that a model created in a conversation: a memory for all assistants with the same text, in any letter
/// case, is not added again, but returned. The oldest memories that models added are deleted if necessary
/// to make room.
///
/// # Errors
/// `Invalid` for a text that is empty or longer than [`MAX_CHARS`], and if the memories that the user added leave no
/// room.
pub fn remember(
    tx: &mut Tx,
    tenant: TenantId,
    user: Uuid,
    conversation_id: Option<Uuid>,
    content: &str,
) -> storage::Result<Remembered> {
    let content = content.trim();
    if content.is_empty() || content.chars().count() > MAX_CHARS {
        return Err(Error::Invalid(format!("a memory has 1 to {MAX_CHARS} characters")));
    }
    let current = of_user(tx, tenant, user, |_| true)?;
    let lower = content.to_lowercase();
    let is_same = |row: &Row<Memory>| row.assistant_id.is_none() && row.content.to_lowercase() == lower;
    if let Some(row) = current.iter().find(|row| is_same(row)) {
        return Ok(Remembered { memory_id: row.id.1, is_new: false });
    }
    let by_models: Vec<_> = current.iter().filter(|row| row.source == MemorySource::Auto).collect();
    let surplus_of = |count: usize, most: usize| (count + 1).saturating_sub(most);
    let most = usize::try_from(tx.most(CountedResource::Memories)).unwrap_or(usize::MAX);
    let surplus = surplus_of(by_models.len(), MAX_BY_MODELS).max(surplus_of(current.len(), most));
    for row in by_models.iter().take(surplus) {
        tx.delete::<Memory>(tenant, &row.id)?;
    }
    let memory = Memory {
        content: content.to_owned(),
        source: MemorySource::Auto,
        conversation_id,
        ..Memory::default()
    };
    match insert(tx, tenant, user, memory) {
        Ok(row) => Ok(Remembered { memory_id: row.id.1, is_new: true }),
        Err(why @ Error::LimitReached(_)) => Err(Error::Invalid(why.to_string())),
        Err(why) => Err(why),
    }
}

/// Stores a new memory of a user, and deletes expired ones.
fn insert(tx: &mut Tx, tenant: TenantId, user: Uuid, memory: Memory) -> storage::Result<Row<Memory>> {
    mark(tx, tenant, user, memory.assistant_id)?;
    let (now, mut count) = (Timestamp::now(), 0);
    for row in stored(tx, tenant, user)? {
        match is_current(&row, now) {
            true => count += 1,
            false => drop(tx.delete::<Memory>(tenant, &row.id)?),
        }
    }
    tx.require_place(CountedResource::Memories, count)?;
    tx.insert(tenant, (user, new_id()), memory)
}

/// Writes a row that is written by every transaction that stores memories for this user or this assistant. The second of
/// two concurrent transactions is therefore retried and counts the memory of the first.
fn mark(tx: &mut Tx, tenant: TenantId, user: Uuid, assistant: Option<Uuid>) -> storage::Result<()> {
    for id in std::iter::once(user).chain(assistant) {
        if let Some(mut mark) = tx.get::<MemoryMark>(tenant, &id)? {
            mark.written += 1;
            tx.update(tenant, mark)?;
        } else {
            tx.insert(tenant, id, MemoryMark { written: 1 })?;
        }
    }
    Ok(())
}

fn check_assistant(reader: &Reader, caller: &Caller, assistant: Option<Uuid>) -> Result<()> {
    let Some(id) = assistant else { return Ok(()) };
    match access::visible(reader, caller, id)? {
        Some(_) => Ok(()),
        None => Err(Refusal::invalid("body", ["assistant_id"], "there is no such assistant", "not_found")),
    }
}
