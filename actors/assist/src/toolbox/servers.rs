//! The tools of tool servers within one piece of work.

use std::sync::Arc;

use futures::future::join_all;
use providers::ToolSpec;
use providers::mcp::{McpError, McpErrorKind, McpSession, ServerTool, ServerTools};
use runs::event::tool::ToolServerIssue;
use serde_json::{Map, Value, json};
use storage::records::ToolServer;
use tokio::sync::Mutex;

use super::{CallObserver, Caller, ToolError};
use crate::run_context::RunContext;
use crate::tool_servers::{ServerDenial, UserToolServer, connected};

/// A tool of a tool server that may be called.
pub(super) struct ServerCall {
    /// Name of the tool for models.
    pub name: String,
    at: usize,
    /// `None` if the tool is unknown because its server requires a login first.
    tool: Option<ServerTool>,
    /// Name of the tool on its server; empty if only the server is known.
    own: String,
}

/// A server within this piece of work, with its connection once it is open.
struct Connected {
    server: ToolServer,
    session: Mutex<Option<Arc<McpSession>>>,
}

/// The tool servers of one piece of work.
pub(super) struct Servers {
    run_context: Arc<RunContext>,
    caller: Caller,
    servers: Vec<Connected>,
    pub calls: Vec<ServerCall>,
    pub issues: Vec<ToolServerIssue>,
    /// Number of bytes that are left for descriptions of tools.
    room: usize,
}

/// Maximum size in bytes of the descriptions of all servers' tools in one prompt.
const MAX_DESCRIPTIONS_BYTES: usize = 512 << 10;

impl Servers {
    /// Lists the tools of the approved servers of the caller's assistant, all concurrently and each for a few seconds
    /// at most. `wanted` names the tools: `server/tool`, `server/*`; `None` selects all.
    pub async fn open(
        run_context: &Arc<RunContext>,
        caller: Caller,
        wanted: Option<&[String]>,
    ) -> storage::Result<Self> {
        let mut it = Self {
            run_context: run_context.clone(),
            caller,
            servers: Vec::new(),
            calls: Vec::new(),
            issues: Vec::new(),
            room: MAX_DESCRIPTIONS_BYTES,
        };
        let Some(assistant) = caller.assistant_id else { return Ok(it) };
        if wanted.is_some_and(<[String]>::is_empty) {
            return Ok(it);
        }
        let read =
            run_context.store.read(move |reader| connected(reader, caller.tenant, caller.user, assistant));
        let connected: Vec<(ToolServer, Option<ServerDenial>)> = read.await?;
        let names = |server: &ToolServer, wanted: &String| {
            wanted.split_once('/').is_some_and(|(name, _)| name == server.name)
        };
        let is_wanted =
            |server: &ToolServer| wanted.is_none_or(|wanted| wanted.iter().any(|it| names(server, it)));
        let mut servers = Vec::new();
        for (server, barred) in connected.into_iter().filter(|(server, _)| is_wanted(server)) {
            match barred {
                Some(why) => it.issues.push(barred_from(&server, why)),
                None => servers.push(server),
            }
        }
        let offers = servers
            .iter()
            .map(|server| async { run_context.tool_servers.offer(&user_tool_server(&caller, server)).await });
        for (server, offer) in servers.iter().zip(join_all(offers).await) {
            it.add(server, offer.tools, wanted);
            let session = Mutex::new(offer.session);
            it.servers.push(Connected { server: server.clone(), session });
        }
        Ok(it)
    }

    fn add(
        &mut self,
        server: &ToolServer,
        tools: Result<Arc<ServerTools>, McpError>,
        wanted: Option<&[String]>,
    ) {
        let at = self.servers.len();
        let is_wanted = |own: &str| {
            let named = |it: &String| {
                it.split_once('/')
                    .is_some_and(|(name, tool)| name == server.name && (tool == "*" || tool == own))
            };
            server.lets(own) && wanted.is_none_or(|wanted| wanted.iter().any(named))
        };
        let mut push = |own: String, tool| self.calls.push(ServerCall { name: String::new(), at, tool, own });
        match tools {
            Ok(tools) => {
                let mut left_out = 0;
                for tool in tools.iter().filter(|tool| is_wanted(&tool.name)) {
                    match self.room.checked_sub(tool.bytes()) {
                        // Omits all tools from the first excess one on, so that the selection does not depend on their
                        // sizes.
                        Some(room) if left_out == 0 => {
                            self.room = room;
                            push(tool.name.clone(), Some(tool.clone()));
                        }
                        _ => left_out += 1,
                    }
                }
                if left_out > 0 {
                    self.issues.push(too_many(server, left_out));
                }
            }
            Err(why) => {
                // The tools are only known after the login: offer the tools that are named, or otherwise a placeholder
                // for the login.
                if why.kind == McpErrorKind::LoginRequired {
                    let named = wanted
                        .into_iter()
                        .flatten()
                        .filter_map(|it| it.split_once('/'))
                        .map(|(_, tool)| tool);
                    let listed = server.tools.iter().flatten().map(String::as_str);
                    let mut known: Vec<&str> =
                        named.chain(listed).filter(|own| *own != "*" && is_wanted(own)).collect();
                    known.sort_unstable();
                    known.dedup();
                    match known.is_empty() {
                        true => push(String::new(), None),
                        false => known.into_iter().for_each(|own| push(own.to_owned(), None)),
                    }
                }
                self.issues.push(unavailable(server, &why));
            }
        }
    }

    /// Assigns every tool its name for models. `taken` are names of other tools.
    pub fn name(&mut self, taken: Vec<String>) {
        let wanted = self.calls.iter().map(|call| {
            let own = if call.own.is_empty() { "log_in" } else { &call.own };
            format!("{}_{own}", self.servers[call.at].server.name)
        });
        let names = super::names::plain(wanted.collect(), taken);
        self.calls.iter_mut().zip(names).for_each(|(call, name)| call.name = name);
    }

    /// The name in the form `server/tool`.
    pub fn full_name(&self, call: &ServerCall) -> String {
        format!("{}/{}", self.servers[call.at].server.name, call.own)
    }

    /// Whether a requested name refers to this tool.
    pub fn is_named(&self, call: &ServerCall, name: &str) -> bool {
        let server = &self.servers[call.at].server.name;
        call.name == name
            || name.split_once('/').is_some_and(|(at, tool)| {
                at == server && (tool == "*" || tool == call.own || call.own.is_empty())
            })
    }

    /// The description of a tool for models.
    pub fn spec(&self, call: &ServerCall) -> ToolSpec {
        let server = &self.servers[call.at].server.name;
        let (description, parameters) = match &call.tool {
            Some(tool) => (tool.description.clone(), tool.parameters()),
            None => (
                format!(
                    "A tool of the server {server:?}, at which the user has to log in first. A call answers how."
                ),
                Map::from_iter([("type".to_owned(), json!("object")), ("properties".to_owned(), json!({}))]),
            ),
        };
        ToolSpec {
            name: call.name.clone(),
            description,
            parameters: Value::Object(parameters),
            ..ToolSpec::default()
        }
    }

    /// The name of the server, the name of the tool, and whether repeating the same call is safe.
    pub fn about(&self, call: &ServerCall) -> (String, String, bool) {
        let repeatable = call.tool.as_ref().is_some_and(ServerTool::is_repeatable);
        (self.servers[call.at].server.name.clone(), call.own.clone(), repeatable)
    }

    /// Calls a tool, if that is still permitted.
    pub async fn call(
        &self,
        call: &ServerCall,
        arguments: &Value,
        ear: CallObserver<'_>,
    ) -> Result<Value, ToolError> {
        let (run_context, connected) = (&self.run_context, &self.servers[call.at]);
        let server = &connected.server;
        let arguments = match arguments {
            Value::Object(arguments) => arguments.clone(),
            Value::Null => Map::new(),
            _ => return Err(ToolError::unsent("invalid_input", "the arguments have to be a JSON object")),
        };
        self.still_allowed(server, &call.own).await?;
        let place = user_tool_server(&self.caller, server);
        let result = self.ask(connected, &place, &call.own, arguments, ear).await;
        result.map_err(|why| {
            if matches!(why.kind, McpErrorKind::Denied | McpErrorKind::LoginRequired) {
                // The server may no longer have this tool, or the login is missing: the cached list is invalid.
                run_context.tool_servers.forget(&place);
            }
            if why.kind == McpErrorKind::LoginRequired {
                ear(super::CallUpdate::Server(unavailable(server, &why)));
            }
            let mut message = failure_message(server, &why);
            if why.outcome_unknown() && !self.about(call).2 {
                message.push_str(OUTCOME_UNKNOWN);
            }
            ToolError { code: why.kind.code(), message, unsent: why.unsent }
        })
    }

    async fn ask(
        &self,
        connected: &Connected,
        place: &UserToolServer,
        tool: &str,
        arguments: Map<String, Value>,
        ear: CallObserver<'_>,
    ) -> Result<Value, McpError> {
        let run_context = &self.run_context;
        let heard = |progress| ear(super::CallUpdate::Progress(progress));
        let mut slot = connected.session.lock().await;
        let session = match slot.take().filter(|session| !session.is_closed()) {
            Some(session) => session,
            None => run_context.tool_servers.open(place).await?,
        };
        // Other calls may share the connection during this one.
        *slot = Some(session.clone());
        drop(slot);
        if tool.is_empty() {
            // The placeholder was offered for lack of a login, and there is one now.
            run_context.tool_servers.forget(place);
            return Ok(json!(
                "the login is there now; the server's tools can be called from the next message on"
            ));
        }
        let result = session.call(tool, arguments, &heard).await;
        if session.has_other_tools() {
            // Before the end of the call is reported, because the next message may follow immediately.
            run_context.tool_servers.forget(place);
        }
        result
    }

    /// Checks the assistant's current row, because the run may be hours old.
    async fn still_allowed(&self, server: &ToolServer, tool: &str) -> Result<(), ToolError> {
        let Caller { tenant, user, assistant_id, .. } = self.caller;
        let read = self.run_context.store.read(move |reader| match assistant_id {
            Some(assistant) => connected(reader, tenant, user, assistant),
            None => Ok(Vec::new()),
        });
        let now = read.await.map_err(|why: storage::Error| ToolError::unsent("storage", why.to_string()))?;
        let lets = |it: &ToolServer| tool.is_empty() || it.lets(tool);
        let same = |it: &ToolServer| it.name == server.name && it.url == server.url && lets(it);
        match now.iter().find(|(it, _)| same(it)) {
            Some((_, None)) => Ok(()),
            Some((_, Some(why))) => {
                Err(ToolError::unsent(why.code(), format!("{:?}: {}", server.name, why.message())))
            }
            None => Err(ToolError::unsent(
                "not_approved",
                format!("the assistant is no longer connected to the tool server {:?}", server.name),
            )),
        }
    }
}

impl Drop for Servers {
    /// Removes the cached tool list of a server that has reported changed tools.
    fn drop(&mut self) {
        for connected in &mut self.servers {
            let changed =
                connected.session.get_mut().as_ref().is_some_and(|session| session.has_other_tools());
            if changed {
                self.run_context.tool_servers.forget(&user_tool_server(&self.caller, &connected.server));
            }
        }
    }
}

/// The key of a server for a caller.
pub(super) fn user_tool_server(caller: &Caller, server: &ToolServer) -> UserToolServer {
    // Without an assistant there are no tool servers.
    let assistant = caller.assistant_id.unwrap_or_default();
    UserToolServer { tenant: caller.tenant, user: caller.user, assistant, url: server.url.clone() }
}

fn barred_from(server: &ToolServer, why: ServerDenial) -> ToolServerIssue {
    let (server, code) = (server.name.clone(), why.code().to_owned());
    ToolServerIssue { server, code, message: why.message().to_owned() }
}

fn too_many(server: &ToolServer, left_out: usize) -> ToolServerIssue {
    let message = format!(
        "its last {left_out} tools are left out: what the servers say of their tools is more than {} KiB in all; name the \
         tools that are needed",
        MAX_DESCRIPTIONS_BYTES >> 10
    );
    ToolServerIssue { server: server.name.clone(), code: "tools_left_out".to_owned(), message }
}

fn unavailable(server: &ToolServer, why: &McpError) -> ToolServerIssue {
    let (server, code) = (server.name.clone(), why.kind.code().to_owned());
    ToolServerIssue { server, code, message: why.message.clone() }
}

/// Appended to the failure of a call that was sent and whose result never arrived, unless the tool declares that
/// repeating a call is safe.
const OUTCOME_UNKNOWN: &str =
    ". The call was sent, and whether the tool ran is unknown: check before calling it again";

/// The message to the model about a failure.
fn failure_message(server: &ToolServer, why: &McpError) -> String {
    match why.kind {
        McpErrorKind::Tool => why.message.clone(),
        McpErrorKind::LoginRequired => format!(
            "login_required: the user has to log in at the tool server {:?} before its tools can be used; tell them to \
             connect it with this assistant, and do not try again before they have",
            server.name
        ),
        kind => format!("{}: the tool server {:?}: {}", kind.code(), server.name, why.message),
    }
}
