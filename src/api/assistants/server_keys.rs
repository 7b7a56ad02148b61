//! Keys for tool servers that authenticate with a key alone.

use std::sync::Arc;

use actix_web::web::Data;
use domain::assistants;
use providers::web::may_set;
use serde::Deserialize;
use storage::records::Assistant;
use storage::{Row, ServerKey, Tx};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::App;
use crate::api::logins::forget_tools;
use crate::http::scopes::AssistantsWrite;
use crate::http::{
    Api, Caller, Faults, InPerson, Json, Loaded, NoContent, Path, ToOwn, Validate, operations,
};

/// Headers that the protocol itself sets.
const OF_PROTOCOL: [&str; 5] = ["accept", "accept-encoding", "content-type", "last-event-id", "origin"];

/// A key for a tool server.
#[derive(Deserialize, ToSchema)]
pub struct SetToolServerKeyRequest {
    /// The key. It is stored encrypted and never shown again.
    #[schema(min_length = 1, max_length = 4096)]
    pub key: String,
    /// Header that contains the key, without a prefix. If omitted, the key is sent in `Authorization`, after `Bearer `.
    #[schema(max_length = 64, example = "X-API-Key")]
    pub header: Option<String>,
}

impl Validate for SetToolServerKeyRequest {
    fn validate(&self, faults: &mut Faults) {
        if !self.key.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ')
            || self.key.trim() != self.key
        {
            faults.add(["key"], "must be printable ASCII without spaces around it", "malformed");
        }
        let Some(header) = &self.header else { return };
        let name = header.to_lowercase();
        let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
        if name.is_empty() || !plain {
            faults.add(["header"], "is not the name of a header", "malformed");
        } else if !may_set(&name) || OF_PROTOCOL.contains(&name.as_str()) || name.starts_with("mcp-") {
            faults.add(["header"], "cannot be set", "not_allowed");
        }
    }
}

/// Set the key of an assistant for one of its tool servers.
///
/// For servers that authenticate with a key alone: all users of the assistant use the key, and none of them logs in at the server. The key
/// is bound to the current address of the server and to the owner of the assistant: if either changes, the key is deleted. Only the owner
/// may set a key, and not in an impersonated session.
#[utoipa::path(put, path = "/api/assistants/{assistant_id}/tool-servers/{server}/key",
    params(("server" = String, Path, description = "The name of the tool server in the assistant's settings.")))]
async fn set_tool_server_key(
    assistant: Loaded<Row<Assistant>, AssistantsWrite, InPerson<ToOwn>>,
    app: Data<App>,
    path: Path<(Uuid, String)>,
    Json(new): Json<SetToolServerKeyRequest>,
) -> Api<NoContent> {
    let SetToolServerKeyRequest { key: value, header } = new;
    keep(&app, &assistant.auth.caller(), assistant.id, path, Some(ServerKey { header, value })).await
}

/// Delete the key of an assistant for a tool server.
///
/// Afterwards users log in at the server themselves, if it requires a login. Only the owner may delete a key, and not in an impersonated
/// session.
#[utoipa::path(delete, path = "/api/assistants/{assistant_id}/tool-servers/{server}/key",
    params(("server" = String, Path, description = "The name of the tool server in the assistant's settings.")))]
async fn delete_tool_server_key(
    assistant: Loaded<Row<Assistant>, AssistantsWrite, InPerson<ToOwn>>,
    app: Data<App>,
    path: Path<(Uuid, String)>,
) -> Api<NoContent> {
    keep(&app, &assistant.auth.caller(), assistant.id, path, None).await
}

async fn keep(
    app: &App,
    caller: &Arc<Caller>,
    id: Uuid,
    Path((_, server)): Path<(Uuid, String)>,
    key: Option<ServerKey>,
) -> Api<NoContent> {
    let owner = caller.clone();
    let change = move |tx: &mut Tx| assistants::set_server_key(tx, &owner, id, &server, key.clone());
    let url = app.store.run(change).await?;
    let (tenant, user) = (caller.tenant, caller.user);
    forget_tools(app, assist::tool_servers::UserToolServer { tenant, user, assistant: id, url });
    Ok(NoContent)
}

operations!(set_tool_server_key, delete_tool_server_key);
