//! The tool servers of assistants.

use actix_web::web::Data;
use assist::tool_servers::{ServerDenial, UserToolServer, connected};
use futures::future::join_all;
use providers::mcp::{McpErrorKind, ServerTool, ServerTools};
use serde::Serialize;
use serde_json::{Map, Value};
use storage::records::{Assistant, ToolServer};
use storage::{Reader, Row};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::App;
use crate::api::knowledge_bases::schema::address;
use crate::http::scopes::AssistantsRead;
use crate::http::{Api, Caller, Faults, InPerson, Json, Loaded, operations};

/// Longest name of a tool, in characters.
const TOOL: usize = 128;

/// A tool of a tool server.
#[derive(Debug, Serialize, ToSchema)]
pub struct AssistantServerTool {
    /// What its server calls it; `<server>/<name>` wherever tools are named here.
    pub name: String,
    /// What it is called for people.
    pub title: Option<String>,
    /// What it does, in its server's words.
    pub description: String,
    /// The JSON Schema of its arguments, an object.
    #[schema(value_type = Object)]
    pub parameters: Map<String, Value>,
    /// Whether its server says that a call changes nothing.
    pub read_only: bool,
    /// Whether its server says that the same call once more changes nothing more.
    pub idempotent: bool,
}

/// A tool server, as the caller can use it now.
#[derive(Debug, Serialize, ToSchema)]
pub struct AssistantToolServer {
    /// What the assistant calls it.
    pub name: String,
    /// Whether the assistant has a key for it, with which everybody is let in.
    pub has_key: bool,
    /// `ready`; `not_approved` (its owner has not approved `mcp:<name>`); `feature_disabled` (tool servers are switched off);
    /// `login_required` (the caller has to log in there: `POST /api/mcp/oauth/prepare`); `tool_server_unreachable`,
    /// `tool_key_refused` (the server does not take the assistant's key), `tool_server_refused`, `tool_server_protocol` or `timeout`.
    #[schema(example = "ready")]
    pub status: String,
    /// What is wrong, in words; of one that is ready, which tools are left out, and why.
    pub detail: Option<String>,
    /// What the assistant may use of what it offers.
    pub tools: Vec<AssistantServerTool>,
}

/// The tool servers of an assistant.
#[derive(Debug, Serialize, ToSchema)]
pub struct AssistantToolServersResponse {
    /// In the assistant's order.
    pub items: Vec<AssistantToolServer>,
}

/// List what an assistant's tool servers offer.
///
/// They are asked now, with the caller's logins, all at once and for a few seconds at most. Those that are not approved
/// are not asked. Thirty times in a minute at most (429).
#[utoipa::path(get, path = "/api/assistants/{assistant_id}/tool-servers")]
async fn get_assistant_tool_servers(
    assistant: Loaded<Row<Assistant>, AssistantsRead, InPerson>,
    app: Data<App>,
) -> Api<Json<AssistantToolServersResponse>> {
    offered(&app, &assistant.auth.caller(), &assistant.it).await.map(Json)
}

async fn offered(
    app: &App,
    caller: &Caller,
    assistant: &Row<Assistant>,
) -> Api<AssistantToolServersResponse> {
    let (tenant, user, id) = (caller.tenant, caller.user, assistant.id);
    app.limits.charge_asking(user)?;
    let read = move |reader: &Reader| {
        Ok::<_, storage::Error>((connected(reader, tenant, user, id)?, reader.server_key_urls(tenant, id)?))
    };
    let (bars, keys) = app.store.read(read).await?;
    let barred = |server: &ToolServer| {
        let known = bars.iter().find(|(it, _)| it == server);
        known.map_or(Some(ServerDenial::NotApproved), |(_, barred)| *barred)
    };
    let responses = assistant.tool_servers.iter().map(async |server| {
        let has_key = keys.contains(&server.url);
        AssistantToolServer { has_key, ..ask(app, caller, id, server, barred(server)).await }
    });
    Ok(AssistantToolServersResponse { items: join_all(responses).await })
}

async fn ask(
    app: &App,
    caller: &Caller,
    assistant: Uuid,
    server: &ToolServer,
    barred: Option<ServerDenial>,
) -> AssistantToolServer {
    let response =
        |status: &str, detail: Option<String>, tools: Vec<AssistantServerTool>| AssistantToolServer {
            name: server.name.clone(),
            has_key: false,
            status: status.to_owned(),
            detail,
            tools,
        };
    if let Some(why) = barred {
        return response(why.code(), Some(why.message().to_owned()), Vec::new());
    }
    let place =
        UserToolServer { tenant: caller.tenant, user: caller.user, assistant, url: server.url.clone() };
    match app.run_context.tool_servers.tools(&place).await {
        Ok(tools) => response("ready", missing(server, &tools), shown(server, &tools)),
        Err(why) if why.kind == McpErrorKind::LoginRequired => {
            response(why.kind.code(), Some("the caller has to log in at it".to_owned()), Vec::new())
        }
        Err(why) => response(why.kind.code(), Some(why.message), Vec::new()),
    }
}

fn shown(server: &ToolServer, tools: &ServerTools) -> Vec<AssistantServerTool> {
    let tools = tools.iter().filter(|tool| server.lets(&tool.name)).cloned();
    let shown = tools.map(|tool| {
        let parameters = tool.parameters();
        let ServerTool { name, title, description, read_only, idempotent, .. } = tool;
        AssistantServerTool { name, title, description, parameters, read_only, idempotent }
    });
    shown.collect()
}

/// What the assistant cannot use of the server, and why: what it names and is not there, and what is of no use.
fn missing(server: &ToolServer, offered: &ServerTools) -> Option<String> {
    let named = server.tools.iter().flatten().filter(|name| {
        let left_out = offered.left_out.iter().any(|it| it.name == **name);
        !left_out && offered.iter().all(|tool| tool.name != **name)
    });
    let named = named.map(|name| format!("{name:?}: the server does not offer it"));
    let left_out = offered.left_out.iter().filter(|it| server.lets(&it.name));
    let left_out = left_out.map(|it| format!("{:?}: {}", it.name, it.why));
    let all: Vec<_> = left_out.chain(named).collect();
    (!all.is_empty()).then(|| format!("left out: {}", all.join("; ")))
}

/// The rules for the servers of one assistant that their schema does not state.
pub fn validate(servers: &[ToolServer], faults: &mut Faults) {
    for (at, server) in servers.iter().enumerate() {
        let at_server = at.to_string();
        let mut fault =
            |field: &str, why: String, kind| faults.add(["tool_servers", &at_server, field], why, kind);
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if server.name.is_empty() || !server.name.chars().all(plain) {
            let why = "must consist of lower-case letters, digits and dashes";
            fault("name", why.into(), "malformed");
        } else if servers[..at].iter().any(|other| other.name == server.name) {
            fault("name", "stands twice".into(), "duplicate");
        }
        match address(&server.url) {
            Err(why) => fault("url", why.into(), "malformed"),
            Ok(plain) if plain.len() < server.url.len() && server.url.contains('#') => {
                fault("url", "points into a page".into(), "malformed");
            }
            Ok(_) => {}
        }
        let Some(tools) = &server.tools else { continue };
        for (number, tool) in tools.iter().enumerate() {
            let loc = ["tool_servers", &at_server, "tools", &number.to_string()];
            let good = |c: char| !c.is_control() && !c.is_whitespace();
            if !(1..=TOOL).contains(&tool.chars().count()) || !tool.chars().all(good) {
                faults.add(loc, "is no name of a tool", "malformed");
            } else if tools[..number].contains(tool) {
                faults.add(loc, "stands twice", "duplicate");
            }
        }
    }
}

operations!(get_assistant_tool_servers);
