//! Adding and changing memories.

use storage::records::{Memory, MemoryMark, MemorySource};
use storage::{Counted, Error, Reader, Row, TenantId, Timestamp, Tx, new_id};
use uuid::Uuid;

use super::{MAX_CHARS, is_current, of_user, stored};
use crate::assistants::access;
use crate::{Caller, Patch, Precondition, Refusal, Result};

/// The most memories that models may have added; the oldest of them are deleted for new ones.
const MAX_BY_MODELS: usize = 500;

/// A memory to create.
#[derive(Clone, Debug)]
pub struct NewMemory {
    /// The text; surrounding white space is removed.
    pub content: String,
    /// The assistant that knows it; `None` for all.
    pub assistant_id: Option<Uuid>,
    pub expires_at: Option<Timestamp>,
}

/// A change to a memory.
#[derive(Clone, Debug, Default)]
pub struct UpdateMemory {
    /// The text; surrounding white space is removed, and clearing keeps it.
    pub content: Patch<String>,
    /// The assistant that knows it; cleared, all do.
    pub assistant_id: Patch<Uuid>,
    pub expires_at: Patch<Timestamp>,
    /// The version that the caller has seen, where the body names one.
    pub version: Option<u64>,
}

/// Creates a memory of the caller. Expired ones are deleted.
///
/// # Errors
/// `invalid` for an assistant that the caller does not see; `limit_reached`.
pub fn create(tx: &mut Tx, caller: &Caller, new: NewMemory) -> Result<Row<Memory>> {
    check_assistant(tx, caller, new.assistant_id)?;
    let memory = Memory {
        content: new.content.trim().to_owned(),
        assistant_id: new.assistant_id,
        source: MemorySource::Manual,
        conversation_id: None,
        expires_at: new.expires_at,
    };
    Ok(insert(tx, caller.tenant, caller.user, memory)?)
}

/// Changes a memory of the caller.
///
/// # Errors
/// `not_found`; `stale` for another version; `invalid` for an assistant that the caller does not see.
pub fn update(
    tx: &mut Tx,
    caller: &Caller,
    id: Uuid,
    precondition: &Precondition,
    new: UpdateMemory,
) -> Result<Row<Memory>> {
    let mut row = tx.require::<Memory>(caller.tenant, &(caller.user, id))?;
    precondition.check_both(new.version, "memory", row.version)?;
    check_assistant(tx, caller, new.assistant_id.as_set().copied())?;
    if let Some(content) = new.content.as_set() {
        row.content = content.trim().to_owned();
    }
    new.assistant_id.apply(&mut row.assistant_id);
    new.expires_at.apply(&mut row.expires_at);
    mark(tx, caller.tenant, caller.user, row.assistant_id)?;
    Ok(tx.update(caller.tenant, row)?)
}

/// Deletes a memory of the caller, if it exists.
///
/// # Errors
/// Those of storage.
pub fn delete(tx: &mut Tx, caller: &Caller, id: Uuid) -> Result<()> {
    Ok(tx.delete::<Memory>(caller.tenant, &(caller.user, id)).map(drop)?)
}

/// Adds what a model learned in a conversation, and returns whether it is new: a memory for all assistants with the same
/// text, in any letter case, is not added again. The oldest memories that models added are deleted where that makes room.
///
/// # Errors
/// `Invalid` for a text that is empty or longer than [`MAX_CHARS`], and when the memories that the user added leave no
/// room.
pub fn remember(
    tx: &mut Tx,
    tenant: TenantId,
    user: Uuid,
    conversation_id: Option<Uuid>,
    content: &str,
) -> storage::Result<bool> {
    let content = content.trim();
    if content.is_empty() || content.chars().count() > MAX_CHARS {
        return Err(Error::Invalid(format!("a memory has 1 to {MAX_CHARS} characters")));
    }
    let current = of_user(tx, tenant, user, |_| true)?;
    let lower = content.to_lowercase();
    let is_same = |row: &Row<Memory>| row.assistant_id.is_none() && row.content.to_lowercase() == lower;
    if current.iter().any(is_same) {
        return Ok(false);
    }
    let by_models: Vec<_> = current.iter().filter(|row| row.source == MemorySource::Auto).collect();
    let surplus_of = |count: usize, most: usize| (count + 1).saturating_sub(most);
    let most = usize::try_from(tx.most(Counted::Memories)).unwrap_or(usize::MAX);
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
        Ok(_) => Ok(true),
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
    tx.require_place(Counted::Memories, count)?;
    tx.insert(tenant, (user, new_id()), memory)
}

/// Writes a row that all transactions write which store memories for this user or this assistant, so that of two at the
/// same time the second is run again and counts the memory of the first.
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
