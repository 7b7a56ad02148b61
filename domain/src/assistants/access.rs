//! Access to assistants.

use storage::authority::Feature;
use storage::records::{Assistant, GrantLevel};
use storage::{Reader, Row};
use uuid::Uuid;

use crate::{Caller, Refusal, Result, sharing};

/// Returns the assistant with this id, if the caller may see it and it is not in the bin.
pub fn visible(reader: &Reader, caller: &Caller, id: Uuid) -> storage::Result<Option<Row<Assistant>>> {
    let row = sharing::visible::<Assistant>(reader, caller, id)?;
    Ok(row.filter(|row| row.deleted_at.is_none()))
}

/// Returns the assistant with this id, if the caller may see it. An assistant in the bin is only returned to its owners.
pub fn visible_or_binned(
    reader: &Reader,
    caller: &Caller,
    id: Uuid,
) -> storage::Result<Option<Row<Assistant>>> {
    let row = sharing::visible::<Assistant>(reader, caller, id)?;
    Ok(row.filter(|row| row.deleted_at.is_none() || level(row, caller) == Some(GrantLevel::Owner)))
}

/// Returns the caller's level on an assistant; `None` if the caller may not see it.
pub fn level(assistant: &Assistant, caller: &Caller) -> Option<GrantLevel> {
    sharing::level(assistant, caller)
}

/// Requires the caller to have at least the level `least` on an assistant.
///
/// # Errors
/// `not_allowed` otherwise.
pub fn require(assistant: &Assistant, caller: &Caller, least: GrantLevel) -> Result<()> {
    sharing::require(assistant, caller, least)
}

/// Returns the assistant with this id, if it is not in the bin and the caller has at least the level `least` on it.
///
/// # Errors
/// `not_found` when the caller may not see it, `not_allowed` when they have a lower level.
pub fn at_least(reader: &Reader, caller: &Caller, id: Uuid, least: GrantLevel) -> Result<Row<Assistant>> {
    let row = visible(reader, caller, id)?.ok_or_else(|| Refusal::not_found("assistant"))?;
    require(&row, caller, least)?;
    Ok(row)
}

/// Returns the assistant with this id, in the bin or not, if the caller owns it.
///
/// # Errors
/// The errors of [`at_least`].
pub fn owned(reader: &Reader, caller: &Caller, id: Uuid) -> Result<Row<Assistant>> {
    let row = visible_or_binned(reader, caller, id)?.ok_or_else(|| Refusal::not_found("assistant"))?;
    require(&row, caller, GrantLevel::Owner)?;
    Ok(row)
}

/// Requires the feature of the assistant's type, for operations of other areas that do not require it themselves.
///
/// # Errors
/// `feature_disabled` if the feature is disabled for the caller.
pub fn require_feature(assistant: &Assistant, caller: &Caller) -> Result<()> {
    caller.require_feature(Feature::from_assistant_type(assistant.kind))
}

/// Requires an assistant to be enabled. A disabled assistant can be read and changed, but it does not respond, and no
/// model runs for it.
///
/// # Errors
/// `assistant_disabled` if it is disabled.
pub fn require_enabled(assistant: &Assistant) -> Result<()> {
    match assistant.enabled {
        true => Ok(()),
        false => Err(Refusal::assistant_disabled(assistant.disabled_reason.as_deref())),
    }
}
