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
use super::ears::{Ears, Progress};
use super::error::{McpError, McpErrorKind};
use super::events::WireEvents;
use super::tool::{ServerTool, ServerTools, SkippedTool};
use super::wire::{Wire, WireInner};
use crate::web::WebClient;

/// Bytes of all that a server says of its tools; further ones are not offered.
const LIST: usize = 256 << 10;
/// Pages of a list of tools.
const PAGES: usize = 20;
/// What is told of a call and not heard yet.
const PROGRESS_QUEUE: usize = 32;
/// What a call tells is passed on so often at most; of what comes between, the newest.
const PACE: Duration = Duration::from_millis(100);
/// How long a server may take to hear that a call is over.
const FAREWELL: Duration = Duration::from_secs(5);
/// Times that a broken answer is asked for again.
const RESUMPTIONS: usize = 5;

/// How much a tool server may take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct McpLimits {
    /// For the connection, and for the list of tools.
    pub connect: Duration,
    /// For a call that says nothing of how far it has come.
    pub call: Duration,
    /// For a call in all.
    pub longest: Duration,
    /// Tools of one server; further ones are not offered.
    pub tools: usize,
    /// Bytes of what a call gives that are passed on.
    pub result_bytes: usize,
    /// Bytes of one answer that are read.
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

/// A connection to one tool server for one user. Dropping it ends the server's session, in the background.
pub struct McpSession {
    running: Arc<RunningService<RoleClient, Ears>>,
    ears: Ears,
    limits: McpLimits,
    overheard: WireEvents,
}

impl std::fmt::Debug for McpSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("McpSession").finish_non_exhaustive()
    }
}

impl McpSession {
    /// Connects, and agrees with the server on a version of the protocol. Must be called within a runtime, which the
    /// session lives on.
    ///
    /// # Errors
    /// [`McpError`]; the server may have made a session that is not used.
    // Boxed, like what follows: the crate that awaits a future compiles it, with all that it awaits.
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

    /// By the handshake that nearly all servers know; those of the protocol's latest version may know discovery alone.
    async fn connect(
        web: &WebClient,
        url: &str,
        bearer: Arc<dyn Bearer>,
        limits: McpLimits,
    ) -> Result<Self, McpError> {
        let max_bytes = limits.answer_bytes;
        let overheard = WireEvents::default();
        let (web, longest, events) = (web.clone(), limits.longest, overheard.clone());
        let wire = Wire::new(WireInner { web, bearer, max_bytes, overheard, longest });
        let with = |running: Result<_, McpError>| {
            let (running, ears) = running?;
            Ok::<_, McpError>(Self { running: Arc::new(running), ears, limits, overheard: events.clone() })
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
    ) -> Result<(RunningService<RoleClient, Ears>, Ears), McpError> {
        let mut config = StreamableHttpClientTransportConfig::with_uri(url)
            .control_request_timeout(FAREWELL)
            .session_recovery_timeout(limits.connect)
            .max_sse_event_size(limits.answer_bytes as usize);
        let mut again = ExponentialBackoff::default();
        again.max_times = Some(RESUMPTIONS);
        again.base_duration = Duration::from_millis(200);
        again.max_delay = Some(Duration::from_secs(5));
        config.retry_config = Arc::new(again);
        let ears = Ears::default();
        let transport = StreamableHttpClientTransport::with_client(wire.clone(), config);
        let running = ears.clone().serve_with_lifecycle(transport, mode).await?;
        Ok((running, ears))
    }

    /// Whether the server has said, since this was asked last, that its tools are others now. True at the latest when a
    /// call returns, in whose course it was said.
    pub fn has_other_tools(&self) -> bool {
        self.overheard.other_tools()
    }

    /// Whether nothing more can be asked over it.
    pub fn is_closed(&self) -> bool {
        self.running.is_closed() || self.running.is_transport_closed()
    }

    /// What the server offers, as far as the limits go. Tools that cannot be offered to a model are named.
    ///
    /// # Errors
    /// [`McpError`].
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
                        "it is one too many, and so is what comes after it",
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

    /// Calls a tool and waits for what it gives; `heard` is told of how far it has come. A call that tells goes on for
    /// as long as it tells, up to the longest. Dropping the future, like a limit that is reached, cancels the call at
    /// the server.
    ///
    /// # Errors
    /// [`McpError`]; `unsent` where the call cannot have reached the server.
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
        let mut calls = self.ears.calls().await;
        let sent =
            self.running.peer().send_cancellable_request(request, PeerRequestOptions::no_options()).await?;
        let RequestHandle { mut rx, id, progress_token, peer, .. } = sent;
        calls.insert(progress_token.clone(), sender);
        drop(calls);
        let mut under_way = UnderWay::new(self, peer, id, progress_token);
        let begun = Instant::now();
        let mut patience = begun + self.limits.call;
        let most = begun + self.limits.longest;
        // What was told and not passed on yet, and when something may be again.
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

    /// Why a request failed: where its response was cut off, what that was due to.
    fn why(&self, error: ServiceError) -> McpError {
        let broken = matches!(error, ServiceError::TransportClosed).then(|| self.overheard.broken());
        broken.flatten().unwrap_or_else(|| error.into())
    }
}

/// A page of a list, with the place of the next.
struct ToolPage {
    /// The tools, and those that are not told of as they should be.
    tools: Vec<Result<Tool, SkippedTool>>,
    next: Option<String>,
}

/// Reads a page of a list.
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

/// What a call gave. Where something in it is not as it should be, what is.
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

/// A call whose answer has not come. Dropped before that, it is cancelled at the server.
struct UnderWay {
    running: Arc<RunningService<RoleClient, Ears>>,
    ears: Ears,
    peer: Peer<RoleClient>,
    call: Option<(RequestId, ProgressToken)>,
}

impl UnderWay {
    fn new(session: &McpSession, peer: Peer<RoleClient>, id: RequestId, token: ProgressToken) -> Self {
        let (running, ears) = (session.running.clone(), session.ears.clone());
        Self { running, ears, peer, call: Some((id, token)) }
    }

    async fn answered(&mut self) {
        if let Some((_, token)) = self.call.take() {
            self.ears.calls().await.remove(&token);
        }
    }

    async fn give_up(&mut self, why: &str) {
        if let Some((id, token)) = self.call.take() {
            self.ears.calls().await.remove(&token);
            cancel(&self.peer, id, why).await;
        }
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let Some((id, token)) = self.call.take() else { return };
        // Outside of a runtime the process is about to end, and the connection with it.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let (running, ears, peer) = (self.running.clone(), self.ears.clone(), self.peer.clone());
        runtime.spawn(async move {
            ears.calls().await.remove(&token);
            cancel(&peer, id, "the run was stopped").await;
            // The session has to last until the server has heard.
            drop(running);
        });
    }
}

/// Cancels a request on the server, whose answer is not awaited any more.
async fn cancel(peer: &Peer<RoleClient>, id: RequestId, why: &str) {
    let params = CancelledNotificationParam::new(Some(id), Some(why.to_owned()));
    let cancelled_notification = CancelledNotification::new(params);
    let _ = timeout(FAREWELL, peer.send_notification(cancelled_notification.into())).await;
}
