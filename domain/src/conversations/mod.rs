//! Conversations, each of which is a tree of messages. A conversation belongs to its owner; the members of its project
//! can read it.

mod access;
mod branch;
mod list;
mod messages;
mod order;
mod remove;
mod search;
mod settings;
mod skills;
mod tree;
mod user_data;

pub use access::{grounds, own, readable};
pub use branch::{BranchEnd, BranchMessage, BranchPage, BranchPart, branch, outline};
pub use list::{AssistantCriterion, ConversationFilter, list};
pub use messages::{MessageEdit, Replacement, edit, replace};
pub use order::{MessagePlace, ordered};
pub use remove::{live_runs, remove};
pub use search::{MessageFilter, SearchScope, searched_text};
pub use settings::{ConversationChange, NewConversation, OffersModel, create, update};
pub use skills::{add_skill, remove_skill};
pub use tree::MessageInput;
pub use user_data::update_user_data;

use storage::Reader;
use uuid::Uuid;

use crate::{Caller, Refusal, Result};

/// Returns a 422 for a field of the body that names an object that does not exist.
pub fn no_such(field: &str, what: &str) -> Refusal {
    Refusal::invalid("body", [field], format!("there is no such {what}"), "not_found")
}

/// Returns a 422 for a query parameter that names a message that does not exist.
fn unknown_message(parameter: &'static str) -> Refusal {
    Refusal::invalid("query", [parameter], "there is no such message", "not_found")
}

/// Refuses a change to the messages while a run writes to them.
fn require_idle(reader: &Reader, caller: &Caller, conversation: Uuid) -> Result<()> {
    match live_runs(reader, caller.tenant, conversation)?.first() {
        None => Ok(()),
        Some(run) => Err(Refusal::stream_active(*run)),
    }
}
