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

/// Maximum length of the name of a tool, in characters.
const TOOL: usize = 128;

/// A tool of a tool server.
#[derive(Debug, Serialize, ToSchema)]
pub struct AssistantServerTool {
    /// Name of the tool at its server. Other fields refer to the tool as `<server>/<name>`.
    pub name: String,
    /// Title of the tool for people.
    pub title: Option<String>,
    /// What the tool does, according to its server.
    pub description: String,
    /// JSON Schema of the arguments, which are an object.
    #[schema(value_type = Object)]
    pub parameters: Map<String, Value>,
    /// Whether the server declares that a call changes nothing.
    pub read_only: bool,
    /// Whether the server declares that repeating a call has no additional effect.
    pub idempotent: bool,
}

/// A tool server, with its current status for the caller.
#[derive(Debug, Serialize, ToSchema)]
pub struct AssistantToolServer {
    /// Name of the server within the assistant.
    pub name: String,
    /// Whether the assistant has a key for the server, which is used for all users.
    pub has_key: bool,
    /// One of `ready`; `not_approved` (the owner has not approved `mcp:<name>`); `feature_disabled` (tool servers are disabled);
    /// `login_required` (the caller must log in at the server: `POST /api/mcp/oauth/prepare`); `tool_server_unreachable`;
    /// `tool_key_refused` (the server rejects the assistant's key); `tool_server_refused`; `tool_server_protocol`; `timeout`.
    #[schema(example = "ready")]
    pub status: String,
    /// Description of the problem. For a server that is ready, the tools that are left out, with the reasons.
    pub detail: Option<String>,
    /// The tools of the server that the assistant may use.
    pub tools: Vec<AssistantServerTool>,
}

/// The tool servers of an assistant.
#[derive(Debug, Serialize, ToSchema)]
pub struct AssistantToolServersResponse {
    /// The servers, in the order of the assistant.
    pub items: Vec<AssistantToolServer>,
}

/// List the tools of an assistant's tool servers.
///
/// The servers are queried now, with the caller's logins, all at once and for a few seconds at most. Servers that are not approved are not
/// queried. At most thirty requests per minute are allowed; further requests receive 429.
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
            response(why.kind.code(), Some("the caller must log in at the server".to_owned()), Vec::new())
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

/// Describes the tools that the assistant cannot use, with the reasons: tools that it names and the server does not offer, and tools that
/// are unusable.
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

/// Checks the rules for the tool servers of an assistant that the request schema does not express.
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
                fault("url", "must not contain a fragment".into(), "malformed");
            }
            Ok(_) => {}
        }
        let Some(tools) = &server.tools else { continue };
        for (number, tool) in tools.iter().enumerate() {
            let loc = ["tool_servers", &at_server, "tools", &number.to_string()];
            let good = |c: char| !c.is_control() && !c.is_whitespace();
            if !(1..=TOOL).contains(&tool.chars().count()) || !tool.chars().all(good) {
                faults.add(loc, "is not the name of a tool", "malformed");
            } else if tools[..number].contains(tool) {
                faults.add(loc, "stands twice", "duplicate");
            }
        }
    }
}

operations!(get_assistant_tool_servers);
