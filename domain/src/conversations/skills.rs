//! The skills that are enabled in a conversation.

use storage::records::{Conversation, Skill, SkillUsableIn};
use storage::{Row, Tx};
use uuid::Uuid;

use super::own;
use crate::{Caller, Code, Refusal, Result, sharing};

/// Maximum number of skills of a conversation.
const LIMIT: usize = 50;

/// Enables a skill in one of the caller's conversations. Repeating the call changes nothing.
///
/// # Errors
/// `not_found`, `not_allowed`; `conflict` for a skill that can only be used in workflows, and if the
/// limit is exceeded.
pub fn add_skill(tx: &mut Tx, caller: &Caller, id: Uuid, skill: Uuid) -> Result<Row<Conversation>> {
    let mut row = own(tx, caller, id)?;
    let found = sharing::visible::<Skill>(tx, caller, skill)?;
    let found = found.ok_or_else(|| Refusal::not_found("skill"))?;
    if found.usable_in == SkillUsableIn::Workflow {
        return Err(Refusal::new(Code::Conflict).detail("the skill can only be used in workflows"));
    }
    if row.skills.contains(&skill) {
        return Ok(row);
    }
    if row.skills.len() >= LIMIT {
        let why = format!("a conversation can have at most {LIMIT} skills");
        return Err(Refusal::new(Code::Conflict).detail(why));
    }
    row.skills.push(skill);
    Ok(tx.update(caller.tenant, row)?)
}

/// Disables a skill in one of the caller's conversations.
///
/// # Errors
/// `not_found`, also for a skill that is not enabled; `not_allowed`.
pub fn remove_skill(tx: &mut Tx, caller: &Caller, id: Uuid, skill: Uuid) -> Result<Row<Conversation>> {
    let mut row = own(tx, caller, id)?;
    if !row.skills.contains(&skill) {
        return Err(Refusal::not_found("skill"));
    }
    row.skills.retain(|other| *other != skill);
    Ok(tx.update(caller.tenant, row)?)
}
