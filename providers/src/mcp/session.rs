//! A connection to one tool server for one user.

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, CancelledNotification,
    CancelledNotificationParam, ClientRequest, ListToolsRequest, PaginatedRequestParams, ProgressToken,
    ProtocolVersion, RequestId, ServerResult, Tool,
};
use rmcp::service::{
    ClientLifecycleMode, ClientServiceExt, Peer, PeerRequestOptions, RequestHandle, RoleClient,
    RunningService, ServiceError,
};
use rmcp::transport::common::client_side_sse::ExponentialBackoff;
use rmcp::transport::streamable_http_client::{
    StreamableHttpClientTransport, StreamableHttpClientTransportConfig,
};
use serde::Deserialize;
use serde_json::{Map, Value};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout};

use super::answer;
use super::bearer::Bearer;
use super::error::{McpError, McpErrorKind};
use super::events::WireEvents;
use super::session_client::{Progress, SessionClient};
use super::tool::{ServerTool, ServerTools, SkippedTool};
use super::wire::{Wire, WireInner};
use crate::web::WebClient;

/// Maximum total size in bytes of the tool definitions of a server; further tools are not offered.
const LIST: usize = 256 << 10;
/// Maximum number of pages that are read of a list of tools.
const PAGES: usize = 20;
/// Capacity of the queue of progress messages of a call.
const PROGRESS_QUEUE: usize = 32;
/// Minimum interval between two progress messages that are passed on; of the messages in between, only the newest is
/// passed on.
const PACE: Duration = Duration::from_millis(100);
/// Timeout for telling a server that a call is cancelled, and for the transport's control requests.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum number of attempts to resume a broken response.
const RESUMPTIONS: usize = 5;

/// Time and size limits for a tool server.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct McpLimits {
    /// Time limit for connecting, and for the list of tools.
    pub connect: Duration,
    /// Time limit for a call that reports no progress.
    pub call: Duration,
    /// Time limit for a call in total.
    pub longest: Duration,
    /// Maximum number of tools of one server; further tools are not offered.
    pub tools: usize,
    /// Maximum number of bytes of a call's result that are passed on.
    pub result_bytes: usize,
    /// Maximum number of bytes that are read of one response.
    pub answer_bytes: u64,
}

impl Default for McpLimits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            call: Duration::from_secs(60),
            longest: Duration::from_secs(600),
            tools: 200,
            result_bytes: 128 << 10,
            answer_bytes: 8 << 20,
        }
    }
}

/// A connection to one tool server for one user. Dropping it ends the server's session in the background.
pub struct McpSession {
    running: Arc<RunningService<RoleClient, SessionClient>>,
    session_client: SessionClient,
    limits: McpLimits,
    wire_events: WireEvents,
}

impl std::fmt::Debug for McpSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("McpSession").finish_non_exhaustive()
    }
}

impl McpSession {
    /// Connects and negotiates a protocol version with the server. Must be called within a Tokio runtime, which runs
    /// the session's tasks.
    ///
    /// # Errors
    /// [`McpError`] if no connection is established; the server may have created a session that is not used.
    // Boxed, like the futures below: a crate that awaits an unboxed future has to compile it with everything it
    // awaits.
    pub fn open<'a>(
        web: &'a WebClient,
        url: &'a str,
        bearer: Arc<dyn Bearer>,
        limits: McpLimits,
    ) -> BoxFuture<'a, Result<Self, McpError>> {
        Box::pin(async move {
            if !web.is_private(url) {
                return Err(McpError {
                    unsent: true,
                    ..McpError::new(McpErrorKind::Refused, "the connection would not be encrypted")
                });
            }
            let opened = timeout(limits.connect, Self::connect(web, url, bearer, limits)).await;
            opened.unwrap_or_else(|_| Err(McpError::timeout("the connection", limits.connect.as_secs())))
        })
    }

    /// Connects with the handshake that nearly all servers support. Servers of the latest protocol version may
    /// support only discovery, so discovery is tried if the handshake fails with a protocol error.
    async fn connect(
        web: &WebClient,
        url: &str,
        bearer: Arc<dyn Bearer>,
        limits: McpLimits,
    ) -> Result<Self, McpError> {
        let max_bytes = limits.answer_bytes;
        let wire_events = WireEvents::default();
        let (web, longest, events) = (web.clone(), limits.longest, wire_events.clone());
        let wire = Wire::new(WireInner { web, bearer, max_bytes, wire_events, longest });
        let with = |running: Result<_, McpError>| {
            let (running, session_client) = running?;
            Ok::<_, McpError>(Self {
                running: Arc::new(running),
                session_client,
                limits,
                wire_events: events.clone(),
            })
        };
        let refused = match with(Self::by(&wire, url, ClientLifecycleMode::Initialize, limits).await) {
            Err(refused) if refused.kind == McpErrorKind::Protocol => refused,
            met => return met,
        };
        let preferred_versions = vec![ProtocolVersion::LATEST];
        let by_discovery = ClientLifecycleMode::Discover { preferred_versions };
        with(Self::by(&wire, url, by_discovery, limits).await).map_err(|_| refused)
    }

    async fn by(
        wire: &Wire,
        url: &str,
        mode: ClientLifecycleMode,
        limits: McpLimits,
    ) -> Result<(RunningService<RoleClient, SessionClient>, SessionClient), McpError> {
        let mut config = StreamableHttpClientTransportConfig::with_uri(url)
            .control_request_timeout(CLOSE_TIMEOUT)
            .session_recovery_timeout(limits.connect)
            .max_sse_event_size(limits.answer_bytes as usize);
        let mut again = ExponentialBackoff::default();
        again.max_times = Some(RESUMPTIONS);
        again.base_duration = Duration::from_millis(200);
        again.max_delay = Some(Duration::from_secs(5));
        config.retry_config = Arc::new(again);
        let session_client = SessionClient::default();
        let transport = StreamableHttpClientTransport::with_client(wire.clone(), config);
        let running = session_client.clone().serve_with_lifecycle(transport, mode).await?;
        Ok((running, session_client))
    }

    /// Returns whether the server has announced a changed list of tools since this method was last called. A change
    /// announced during a call is visible at the latest when the call returns.
    pub fn has_other_tools(&self) -> bool {
        self.wire_events.other_tools()
    }

    /// Whether the connection is closed and no further requests can be sent.
    pub fn is_closed(&self) -> bool {
        self.running.is_closed() || self.running.is_transport_closed()
    }

    /// Returns the server's tools, up to the limits, and the names of tools that cannot be offered to a model.
    ///
    /// # Errors
    /// [`McpError`] if the list cannot be read in time.
    pub fn tools(&self) -> BoxFuture<'_, Result<ServerTools, McpError>> {
        Box::pin(async move {
            let listed = timeout(self.limits.connect, self.list()).await;
            listed.unwrap_or_else(|_| {
                Err(McpError::timeout("the list of its tools", self.limits.connect.as_secs()))
            })
        })
    }

    async fn list(&self) -> Result<ServerTools, McpError> {
        let (mut tools, mut room) = (ServerTools::default(), LIST);
        let mut cursor: Option<String> = None;
        for _ in 0..PAGES {
            let params =
                cursor.take().map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
            let list_request =
                ListToolsRequest { method: Default::default(), params, extensions: Default::default() };
            let response =
                self.running.peer().send_request(ClientRequest::ListToolsRequest(list_request)).await?;
            let ToolPage { tools: page, next } = page(response)?;
            for tool in page {
                let tool = match tool.and_then(ServerTool::from_listed) {
                    Ok(tool) => tool,
                    Err(left_out) => {
                        tools.leave_out(left_out);
                        continue;
                    }
                };
                if tools.iter().any(|known| known.name == tool.name) {
                    continue;
                }
                if tools.len() >= self.limits.tools || tool.bytes() > room {
                    tools.leave_out(SkippedTool::new(
                        &tool.name,
                        "it exceeds the limits, as do all tools listed after it",
                    ));
                    return Ok(tools);
                }
                room -= tool.bytes();
                tools.tools.push(tool);
            }
            match next {
                Some(next) if !next.is_empty() => cursor = Some(next),
                _ => break,
            }
        }
        Ok(tools)
    }

    /// Calls a tool and returns its result; `on_progress` receives progress messages. Each progress message extends
    /// the deadline, up to [`McpLimits::longest`]. Dropping the future or reaching a limit cancels the call at the
    /// server.
    ///
    /// # Errors
    /// [`McpError`]; `unsent` is set if the call cannot have reached the server.
    pub fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Map<String, Value>,
        on_progress: &'a (dyn Fn(Progress) + Send + Sync),
    ) -> BoxFuture<'a, Result<Value, McpError>> {
        Box::pin(self.perform(tool, arguments, on_progress))
    }

    async fn perform(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
        on_progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Value, McpError> {
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let (sender, mut receiver) = mpsc::channel(PROGRESS_QUEUE);
        let mut calls = self.session_client.calls().await;
        let sent =
            self.running.peer().send_cancellable_request(request, PeerRequestOptions::no_options()).await?;
        let RequestHandle { mut rx, id, progress_token, peer, .. } = sent;
        calls.insert(progress_token.clone(), sender);
        drop(calls);
        let mut under_way = PendingCall::new(self, peer, id, progress_token);
        let begun = Instant::now();
        let mut patience = begun + self.limits.call;
        let most = begun + self.limits.longest;
        // The newest progress message that was not passed on yet, and the earliest time at which it may be.
        let (mut newest, mut quiet) = (None, begun);
        loop {
            tokio::select! {
                biased;
                response = &mut rx => {
                    under_way.answered().await;
                    while let Ok(progress) = receiver.try_recv() {
                        newest = Some(progress);
                    }
                    newest.into_iter().for_each(on_progress);
                    let reply = response.unwrap_or(Err(ServiceError::TransportClosed)).map_err(|why| self.why(why));
                    return answer::content(result(reply?)?, self.limits.result_bytes);
                }
                Some(progress) = receiver.recv() => {
                    patience = Instant::now() + self.limits.call;
                    newest = Some(progress);
                }
                () = sleep_until(quiet), if newest.is_some() => {
                    quiet = Instant::now() + PACE;
                    newest.take().into_iter().for_each(on_progress);
                }
                () = sleep_until(patience.min(most)) => {
                    under_way.give_up("it took too long").await;
                    return Err(McpError::timeout("the call", begun.elapsed().as_secs()));
                }
            }
        }
    }

    /// Converts the error of a request. If the response was cut off, returns the cause recorded on the wire.
    fn why(&self, error: ServiceError) -> McpError {
        let broken = matches!(error, ServiceError::TransportClosed).then(|| self.wire_events.broken());
        broken.flatten().unwrap_or_else(|| error.into())
    }
}

/// A page of a list of tools, with the cursor of the next page.
struct ToolPage {
    /// The tools; an error for each tool that does not match the protocol's schema.
    tools: Vec<Result<Tool, SkippedTool>>,
    next: Option<String>,
}

/// Parses a page of a list of tools.
fn page(response: ServerResult) -> Result<ToolPage, McpError> {
    match response {
        ServerResult::ListToolsResult(list) => {
            Ok(ToolPage { tools: list.tools.into_iter().map(Ok).collect(), next: list.next_cursor })
        }
        ServerResult::CustomResult(list) => {
            let tools = list.0.get("tools").and_then(Value::as_array).ok_or_else(strange)?;
            let read = |tool: &Value| {
                let name = tool.get("name").and_then(Value::as_str).unwrap_or_default();
                let why = "it is not told of as the protocol asks: with a name and an `inputSchema`";
                Tool::deserialize(tool).map_err(|_| SkippedTool::new(name, why))
            };
            let tools = tools.iter().map(read).collect();
            let next = list.0.get("nextCursor").and_then(Value::as_str).map(str::to_owned);
            Ok(ToolPage { tools, next })
        }
        _ => Err(strange()),
    }
}

/// Parses the result of a call. If the result is malformed, its unreadable content blocks are dropped.
fn result(response: ServerResult) -> Result<CallToolResult, McpError> {
    match response {
        ServerResult::CallToolResult(result) => Ok(result),
        ServerResult::CustomResult(mut result) => {
            if let Some(content) = result.0.get_mut("content").and_then(Value::as_array_mut) {
                content.retain(|block| rmcp::model::ContentBlock::deserialize(block).is_ok());
            }
            CallToolResult::deserialize(result.0).map_err(|_| strange())
        }
        ServerResult::EmptyResult(_) => Ok(CallToolResult::success(Vec::new())),
        ServerResult::InputRequiredResult(_) => Err(McpError::new(
            McpErrorKind::Denied,
            "the tool requested input from the user, which is not supported",
        )),
        _ => Err(strange()),
    }
}

fn strange() -> McpError {
    McpError::new(McpErrorKind::Protocol, "its response does not belong to this request")
}

/// A call without a response yet. Dropping it cancels the call at the server.
struct PendingCall {
    running: Arc<RunningService<RoleClient, SessionClient>>,
    session_client: SessionClient,
    peer: Peer<RoleClient>,
    call: Option<(RequestId, ProgressToken)>,
}

impl PendingCall {
    fn new(session: &McpSession, peer: Peer<RoleClient>, id: RequestId, token: ProgressToken) -> Self {
        let (running, session_client) = (session.running.clone(), session.session_client.clone());
        Self { running, session_client, peer, call: Some((id, token)) }
    }

    async fn answered(&mut self) {
        if let Some((_, token)) = self.call.take() {
            self.session_client.calls().await.remove(&token);
        }
    }

    async fn give_up(&mut self, why: &str) {
        if let Some((id, token)) = self.call.take() {
            self.session_client.calls().await.remove(&token);
            cancel(&self.peer, id, why).await;
        }
    }
}

impl Drop for PendingCall {
    fn drop(&mut self) {
        let Some((id, token)) = self.call.take() else { return };
        // Without a runtime the process is about to exit, and the connection ends with it.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let (running, session_client, peer) =
            (self.running.clone(), self.session_client.clone(), self.peer.clone());
        runtime.spawn(async move {
            session_client.calls().await.remove(&token);
            cancel(&peer, id, "the run was stopped").await;
            // Keeps the session alive until the server has received the cancellation.
            drop(running);
        });
    }
}

/// Tells the server to cancel a request. The response is no longer awaited.
async fn cancel(peer: &Peer<RoleClient>, id: RequestId, why: &str) {
    let params = CancelledNotificationParam::new(Some(id), Some(why.to_owned()));
    let cancelled_notification = CancelledNotification::new(params);
    let _ = timeout(CLOSE_TIMEOUT, peer.send_notification(cancelled_notification.into())).await;
}
