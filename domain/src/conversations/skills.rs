//! The skills that are switched on in a conversation.

use storage::records::{Conversation, Skill, SkillUsableIn};
use storage::{Row, Tx};
use uuid::Uuid;

use super::own;
use crate::{Caller, Code, Refusal, Result, sharing};

/// Most skills of a conversation.
const LIMIT: usize = 50;

/// Switches a skill on in one of the caller's conversations. Doing so twice changes nothing.
///
/// # Errors
/// `not_found`, `not_allowed`; `conflict` for a skill that is for workflows alone, and for one too many.
pub fn add_skill(tx: &mut Tx, caller: &Caller, id: Uuid, skill: Uuid) -> Result<Row<Conversation>> {
    let mut row = own(tx, caller, id)?;
    let found = sharing::visible::<Skill>(tx, caller, skill)?;
    let found = found.ok_or_else(|| Refusal::not_found("skill"))?;
    if found.usable_in == SkillUsableIn::Workflow {
        return Err(Refusal::new(Code::Conflict).detail("the skill is for workflows alone"));
    }
    if row.skills.contains(&skill) {
        return Ok(row);
    }
    if row.skills.len() >= LIMIT {
        let why = format!("a conversation has {LIMIT} skills at most");
        return Err(Refusal::new(Code::Conflict).detail(why));
    }
    row.skills.push(skill);
    Ok(tx.update(caller.tenant, row)?)
}

/// Switches a skill off in one of the caller's conversations.
///
/// # Errors
/// `not_found`, also for a skill that is not on; `not_allowed`.
pub fn remove_skill(tx: &mut Tx, caller: &Caller, id: Uuid, skill: Uuid) -> Result<Row<Conversation>> {
    let mut row = own(tx, caller, id)?;
    if !row.skills.contains(&skill) {
        return Err(Refusal::not_found("skill"));
    }
    row.skills.retain(|other| *other != skill);
    Ok(tx.update(caller.tenant, row)?)
}
