//! Who may do what with an assistant.

use storage::records::{Assistant, GrantLevel};
use storage::{Reader, Row};
use uuid::Uuid;

use crate::http::{Api, ApiError, Caller, Code};

/// An assistant that the caller may see and that is not in the bin.
pub fn visible(reader: &Reader, caller: &Caller, id: Uuid) -> storage::Result<Option<Row<Assistant>>> {
    let row = reader.get::<Assistant>(caller.tenant, &id)?;
    Ok(row.filter(|row| row.deleted_at.is_none() && level(row, caller).is_some()))
}

/// What the caller may do with it; none where they may not even see it.
pub fn level(assistant: &Assistant, caller: &Caller) -> Option<GrantLevel> {
    assistant.level_of(caller.tenant, caller.user, caller.role)
}

/// Refuses, with 403, a caller who may see it and may not do that.
pub fn require(assistant: &Assistant, caller: &Caller, least: GrantLevel) -> Api<()> {
    match level(assistant, caller) {
        Some(level) if level >= least => Ok(()),
        _ => Err(Code::NotAllowed.into()),
    }
}

/// An assistant that the caller may change, or whatever `least` allows: 404 where they may not
/// see it, 403 where they may see it only.
pub fn at_least(reader: &Reader, caller: &Caller, id: Uuid, least: GrantLevel) -> Api<Row<Assistant>> {
    let row = visible(reader, caller, id)?.ok_or_else(|| ApiError::not_found("assistant"))?;
    require(&row, caller, least)?;
    Ok(row)
}
