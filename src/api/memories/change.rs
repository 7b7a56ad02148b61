//! Writing memories down and changing them.

use assist::memories;
use storage::authority::Ground;
use storage::records::{Memory, MemorySource};
use storage::{Reader, Row, Timestamp, Tx};
use uuid::Uuid;

use super::schema::{CreateMemoryRequest, UpdateMemoryRequest};
use crate::api::assistants::access;
use crate::http::{Api, Caller, IfMatch, Loadable, Refusal};

/// Keeps a memory of the caller.
pub fn create(tx: &mut Tx, caller: &Caller, new: CreateMemoryRequest) -> Api<Row<Memory>> {
    check(tx, caller, new.assistant_id)?;
    let memory = Memory {
        content: new.content.trim().to_owned(),
        assistant_id: new.assistant_id,
        source: MemorySource::Manual,
        conversation_id: None,
        expires_at: new.expires_at,
    };
    Ok(memories::add(tx, caller.tenant, caller.user, memory)?)
}

/// Changes a memory of the caller.
pub fn patch(
    tx: &mut Tx,
    caller: &Caller,
    id: &(Uuid, Uuid),
    if_match: &IfMatch,
    new: UpdateMemoryRequest,
) -> Api<Row<Memory>> {
    let mut row = tx.require::<Memory>(caller.tenant, id)?;
    if_match.check(row.version)?;
    if new.version.is_some_and(|version| version != row.version) {
        return Err(storage::Error::Stale("memory").into());
    }
    check(tx, caller, new.assistant_id.as_set().copied())?;
    if let Some(content) = new.content.as_set() {
        row.content = content.trim().to_owned();
    }
    new.assistant_id.apply(&mut row.assistant_id);
    new.expires_at.apply(&mut row.expires_at);
    Ok(memories::change(tx, caller.tenant, row)?)
}

impl Loadable for Row<Memory> {
    const PARAM: &'static str = "memory_id";
    const NAME: &'static str = "memory";

    /// One of the caller's own that is not over: those of others have other ids.
    fn load(reader: &Reader, caller: &Caller, id: Uuid) -> Api<Option<Self>> {
        let row = reader.get::<Memory>(caller.tenant, &(caller.user, id))?;
        Ok(row.filter(|row| memories::holds(row, Timestamp::now())))
    }

    fn grounds(&self, _: &Reader, _: &Caller) -> Api<Vec<Ground>> {
        Ok(vec![Ground::OWN])
    }
}

/// An assistant that is to know something has to be there for the caller.
fn check(reader: &Reader, caller: &Caller, assistant: Option<Uuid>) -> Api<()> {
    let Some(id) = assistant else { return Ok(()) };
    match access::visible(reader, caller, id)? {
        Some(_) => Ok(()),
        None => Err(Refusal::invalid("body", ["assistant_id"], "there is no such assistant", "not_found")),
    }
}
