//! Data that clients store with a conversation.

use serde_json::{Map, Value};
use storage::records::Conversation;
use storage::{Row, Tx};
use uuid::Uuid;

use super::own;
use crate::{Caller, Code, Refusal, Result};

/// Maximum size of a conversation's user data, in bytes of JSON.
const LIMIT: usize = 32 * 1024;

/// Changes the user data of one of the caller's conversations.
///
/// # Errors
/// `not_found`, `not_allowed`; `too_large` for more than 32 KiB of JSON.
pub fn update_user_data(
    tx: &mut Tx,
    caller: &Caller,
    id: Uuid,
    change: impl Fn(&mut Map<String, Value>),
) -> Result<Row<Conversation>> {
    let mut row = own(tx, caller, id)?;
    change(&mut row.user_data);
    check_size(&row.user_data)?;
    Ok(tx.update(caller.tenant, row)?)
}

/// Refuses user data of more than 32 KiB.
pub(super) fn check_size(data: &Map<String, Value>) -> Result<()> {
    let fits = serde_json::to_vec(data).is_ok_and(|json| json.len() <= LIMIT);
    let why = "a conversation can have at most 32 KiB of user data";
    fits.then_some(()).ok_or_else(|| Refusal::new(Code::TooLarge).detail(why))
}
