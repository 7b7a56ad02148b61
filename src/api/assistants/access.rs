//! Who may do what with an assistant.

use storage::authority::{Feature, Ground};
use storage::records::{Assistant, GrantLevel, Shared};
use storage::{Reader, Row};
use uuid::Uuid;

use crate::api::sharing;
use crate::http::{Api, Caller, Loadable, Refusal};

/// An assistant that the caller may see and that is not in the bin.
pub fn visible(reader: &Reader, caller: &Caller, id: Uuid) -> storage::Result<Option<Row<Assistant>>> {
    let row = sharing::visible::<Assistant>(reader, caller, id)?;
    Ok(row.filter(|row| row.deleted_at.is_none()))
}

/// What the caller may do with it; none where they may not even see it.
pub fn level(assistant: &Assistant, caller: &Caller) -> Option<GrantLevel> {
    sharing::level(assistant, caller)
}

/// Refuses, with 403, a caller who may see it and may not do that.
pub fn require(assistant: &Assistant, caller: &Caller, least: GrantLevel) -> Api<()> {
    sharing::require(assistant, caller, least)
}

/// An assistant that the caller may change, or whatever `least` allows: 404 where they may not
/// see it, 403 where they may see it only.
pub fn at_least(reader: &Reader, caller: &Caller, id: Uuid, least: GrantLevel) -> Api<Row<Assistant>> {
    let row = visible(reader, caller, id)?.ok_or_else(|| Refusal::not_found("assistant"))?;
    require(&row, caller, least)?;
    Ok(row)
}

/// Refuses, with 403, a caller for whom it is switched off to work with an assistant of its type; for doors that are
/// not in the area of assistants.
pub fn require_feature(assistant: &Assistant, caller: &Caller) -> Api<()> {
    caller.require_feature(Feature::of(assistant.kind))
}

/// Refuses, with 403, what an assistant that was disabled would have to do itself, or a model for it. Reading and
/// changing it goes on.
pub fn require_enabled(assistant: &Assistant) -> Api<()> {
    match assistant.enabled {
        true => Ok(()),
        false => Err(Refusal::assistant_disabled(assistant.disabled_reason.as_deref())),
    }
}

/// An assistant that the caller may see, or that is in the bin and may be taken out by them.
pub struct AlsoBinned(pub Row<Assistant>);

/// Like [`at_least`] for owners, wherever it is.
pub fn owned(reader: &Reader, caller: &Caller, id: Uuid) -> Api<Row<Assistant>> {
    let found = AlsoBinned::load(reader, caller, id)?.ok_or_else(|| Refusal::not_found("assistant"))?;
    require(&found.0, caller, GrantLevel::Owner)?;
    Ok(found.0)
}

impl Loadable for AlsoBinned {
    const PARAM: &'static str = "assistant_id";
    const NAME: &'static str = "assistant";

    fn load(reader: &Reader, caller: &Caller, id: Uuid) -> Api<Option<Self>> {
        let row = sharing::visible::<Assistant>(reader, caller, id)?;
        let reached =
            |row: &Row<Assistant>| row.deleted_at.is_none() || level(row, caller) == Some(GrantLevel::Owner);
        Ok(row.filter(reached).map(Self))
    }

    fn grounds(&self, _: &Reader, caller: &Caller) -> Api<Vec<Ground>> {
        Ok(self.0.body.grounds_of(caller))
    }
}
