//! Lists of memories.

use assist::memories;
use storage::records::Memory;
use storage::{Cursor, Reader, Row, Scan, Timestamp};
use uuid::Uuid;

use super::schema::{ListMemories, MemoryResponseList};
use crate::api::conversations::sift;
use crate::http::{Api, Caller, Paging};

/// A page of the caller's memories: those that all assistants know, unless more is asked for.
pub fn of_user(reader: &Reader, caller: &Caller, asked: &ListMemories) -> Api<MemoryResponseList> {
    page(reader, caller, &asked.paging(), |memory| {
        (asked.with_assistants || memory.assistant_id.is_none())
            && asked.source.is_none_or(|source| memory.source == source)
    })
}

/// A page of the caller's memories that only this assistant knows, which the caller has to see.
pub fn of_assistant(
    reader: &Reader,
    caller: &Caller,
    assistant: Uuid,
    asked: &Paging,
) -> Api<MemoryResponseList> {
    page(reader, caller, asked, |memory| memory.assistant_id == Some(assistant))
}

fn page(
    reader: &Reader,
    caller: &Caller,
    asked: &Paging,
    wanted: impl Fn(&Memory) -> bool,
) -> Api<MemoryResponseList> {
    let (now, own) = (Timestamp::now(), caller.user.as_bytes().to_vec());
    let after = asked.cursor.as_deref().map(Cursor::parse).transpose()?;
    let read = |after, limit| {
        reader.scan::<Memory>(caller.tenant, Scan::table().prefix(own.clone()).after(after).limit(limit))
    };
    let wanted = |row: &Row<Memory>| Ok(memories::holds(row, now) && wanted(row));
    Ok(sift(after, asked.limit as usize, read, wanted)?.into())
}
