//! Keys for tool servers that authenticate by a key alone.

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

/// Headers that are the protocol's.
const OF_PROTOCOL: [&str; 5] = ["accept", "accept-encoding", "content-type", "last-event-id", "origin"];

/// A key for a tool server.
#[derive(Deserialize, ToSchema)]
pub struct SetToolServerKeyRequest {
    /// The key. It is kept encrypted and never shown again.
    #[schema(min_length = 1, max_length = 4096)]
    pub key: String,
    /// The header that the key stands in, as it is. Without one, `Authorization`, with `Bearer ` before the key.
    #[schema(max_length = 64, example = "X-API-Key")]
    pub header: Option<String>,
}

impl Validate for SetToolServerKeyRequest {
    fn validate(&self, faults: &mut Faults) {
        if !self.key.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ')
            || self.key.trim() != self.key
        {
            faults.add(["key"], "has to be plain characters, without blanks around them", "malformed");
        }
        let Some(header) = &self.header else { return };
        let name = header.to_lowercase();
        let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
        if name.is_empty() || !plain {
            faults.add(["header"], "is no name of a header", "malformed");
        } else if !may_set(&name) || OF_PROTOCOL.contains(&name.as_str()) || name.starts_with("mcp-") {
            faults.add(["header"], "cannot be set", "not_allowed");
        }
    }
}

/// Give an assistant a key for one of its tool servers.
///
/// For servers that authenticate by a key alone: from then on all users of the assistant use it, and none of them logs
/// in there. It is for the address that the server has now: with another one it is forgotten, and with another owner of
/// the assistant, too. Needs to be its owner, in person.
#[utoipa::path(put, path = "/api/assistants/{assistant_id}/tool-servers/{server}/key",
    params(("server" = String, Path, description = "What the assistant calls the server.")))]
async fn set_tool_server_key(
    assistant: Loaded<Row<Assistant>, AssistantsWrite, InPerson<ToOwn>>,
    app: Data<App>,
    path: Path<(Uuid, String)>,
    Json(new): Json<SetToolServerKeyRequest>,
) -> Api<NoContent> {
    let SetToolServerKeyRequest { key: value, header } = new;
    keep(&app, &assistant.auth.caller(), assistant.id, path, Some(ServerKey { header, value })).await
}

/// Take the key for a tool server back.
///
/// From then on users log in there for themselves, if it wants to know who they are. Needs to be the assistant's owner, in
/// person.
#[utoipa::path(delete, path = "/api/assistants/{assistant_id}/tool-servers/{server}/key",
    params(("server" = String, Path, description = "What the assistant calls the server.")))]
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
