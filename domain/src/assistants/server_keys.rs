//! Keys with which an assistant authenticates at tool servers on behalf of all its users.

use serde_json::json;
use storage::records::GrantLevel;
use storage::{ServerKey, Tx};
use uuid::Uuid;

use super::access;
use crate::audit::{Actor, audit};
use crate::{Caller, Refusal, Result};

/// Sets or removes the key of an assistant that the caller owns for the tool server with this name. Returns the
/// server's URL.
///
/// # Errors
/// `not_found`, also for the tool server; `not_allowed`.
pub fn set_server_key(
    tx: &mut Tx,
    caller: &Caller,
    id: Uuid,
    server: &str,
    key: Option<ServerKey>,
) -> Result<String> {
    let row = access::at_least(tx, caller, id, GrantLevel::Owner)?;
    let found = row.tool_servers.iter().find(|it| it.name == server);
    let url = found.ok_or_else(|| Refusal::not_found("tool server"))?.url.clone();
    let set = key.is_some();
    let before = tx.set_server_key(caller.tenant, id, &url, key)?;
    if set || before {
        let detail = json!({"server": server, "set": set});
        let target = format!("assistant {id}");
        audit(tx, caller.tenant, Actor::from(caller), "assistant.tool_server_key", target, detail)?;
    }
    Ok(url)
}
