//! A tool server on a real socket that checks its clients against the protocol: every violation is recorded as a
//! complaint. `tools.rs` defines its tools and their faulty behaviour.
//!
//! ```ignore
//! let server = FakeMcp::start().await;
//! // ... a client connects to `server.url()` and calls `add` ...
//! assert_eq!(server.calls("add"), 1);
//! server.no_complaints();
//! ```
#![allow(dead_code, reason = "each test binary uses a part of it")]

mod tools;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::sync::Notify;

use super::socket::{Listening, Request, comes, gone};

/// A running tool server. It stops when this is dropped.
pub struct FakeMcp {
    /// The behaviour of the server, and what it has received.
    pub state: Arc<State>,
    listening: Listening,
}

/// The behaviour of a tool server, and what it has received.
#[derive(Default)]
pub struct State {
    /// The protocol versions that it supports, the preferred one first; empty for the usual ones.
    pub versions: Mutex<Vec<String>>,
    /// Accepted tokens; empty if no token is required.
    pub tokens: Mutex<Vec<String>>,
    /// Tools that it lists in place of its own.
    pub tools: Mutex<Option<Vec<Value>>>,
    /// Number of tools on a page of its list; 0 for all.
    pub page: Mutex<usize>,
    /// Whether its list never ends.
    pub endless: Mutex<bool>,
    /// Whether it responds with plain JSON instead of an event stream.
    pub plain: Mutex<bool>,
    /// Methods that it accepts without ever responding.
    pub silent: Mutex<HashSet<String>>,
    /// Responses to a method in place of its own: a status, and a body or the target of a redirect.
    pub instead: Mutex<HashMap<String, (u16, String)>>,
    /// Whether it creates no sessions.
    pub stateless: Mutex<bool>,
    /// Whether it supports only the latest protocol version, which replaces the handshake with discovery.
    pub modern: Mutex<bool>,
    seen: Mutex<Vec<ReceivedMessage>>,
    complaints: Mutex<Vec<String>>,
    sessions: Mutex<HashMap<String, Session>>,
    /// Responses that broke off, by the id of their last event.
    broken: Mutex<HashMap<String, Value>>,
    /// Responses of clients to the server's own requests, by id.
    replies: Mutex<HashMap<String, Value>>,
    cancelled: Mutex<Vec<Value>>,
    made: Mutex<usize>,
    open: Mutex<usize>,
    heard: Notify,
    go_on: Notify,
}

#[derive(Default)]
struct Session {
    initialized: bool,
    version: String,
    ids: HashSet<String>,
}

#[derive(Clone, Debug)]
pub struct ReceivedMessage {
    /// `POST`, `GET` or `DELETE`.
    pub http: String,
    /// All headers, with lower-case names.
    pub headers: HashMap<String, String>,
    /// The message; null if there is none.
    pub message: Value,
}

impl ReceivedMessage {
    fn method(&self) -> &str {
        self.message["method"].as_str().unwrap_or_default()
    }
}

impl FakeMcp {
    /// Starts a tool server on a free port.
    pub async fn start() -> Self {
        let state = Arc::new(State::default());
        let listening = Listening::start(&state, serve).await;
        Self { state, listening }
    }

    pub fn url(&self) -> String {
        self.listening.url("/mcp")
    }

    pub fn seen(&self) -> Vec<ReceivedMessage> {
        self.state.seen.lock().clone()
    }

    /// Number of messages with this method.
    pub fn count(&self, method: &str) -> usize {
        self.state.seen.lock().iter().filter(|seen| seen.method() == method).count()
    }

    /// Number of calls of this tool.
    pub fn calls(&self, tool: &str) -> usize {
        let is_it =
            |seen: &&ReceivedMessage| seen.method() == "tools/call" && seen.message["params"]["name"] == tool;
        self.state.seen.lock().iter().filter(is_it).count()
    }

    /// Waits until this many calls of this tool have arrived.
    pub async fn called(&self, tool: &str, times: usize) {
        self.until(&format!("{times} calls of {tool}"), || self.calls(tool) >= times).await;
    }

    /// Lets one of the waiting tools continue.
    pub fn go_on(&self) {
        self.state.go_on.notify_one();
    }

    /// The ids of the requests that clients have cancelled.
    pub fn cancelled(&self) -> Vec<Value> {
        self.state.cancelled.lock().clone()
    }

    /// Waits until a request was cancelled.
    pub async fn was_cancelled(&self) {
        self.until("a cancelled request", || !self.cancelled().is_empty()).await;
    }

    /// Number of responses in progress.
    pub fn open_answers(&self) -> usize {
        *self.state.open.lock()
    }

    /// Number of sessions that their clients have not ended.
    pub fn sessions(&self) -> usize {
        self.state.sessions.lock().len()
    }

    /// Waits until all sessions have ended.
    pub async fn idle(&self) {
        self.until("no session", || self.sessions() == 0).await;
    }

    /// Forgets all sessions, as a restart would.
    pub fn forget(&self) {
        self.state.sessions.lock().clear();
    }

    /// Panics with the recorded protocol violations, if there are any.
    #[track_caller]
    pub fn no_complaints(&self) {
        let complaints = self.state.complaints.lock();
        assert!(complaints.is_empty(), "{complaints:#?}");
    }

    /// Waits until a condition is met.
    pub async fn until(&self, what: &str, reached: impl Fn() -> bool) {
        assert!(comes(async || reached()).await, "waited a minute for {what}; received: {:#?}", self.seen());
    }
}

impl State {
    fn complain(&self, why: impl Into<String>) {
        self.complaints.lock().push(why.into());
    }

    /// Records a message, and any violation in its headers.
    fn note(&self, seen: &ReceivedMessage) {
        let accept = seen.headers.get("accept").cloned().unwrap_or_default();
        let wanted: &[&str] = match seen.http.as_str() {
            "POST" => &["application/json", "text/event-stream"],
            "GET" => &["text/event-stream"],
            _ => &[],
        };
        if wanted.iter().any(|kind| !accept.contains(kind)) {
            self.complain(format!("a {} accepts {accept:?}", seen.http));
        }
        if seen.http == "POST" && seen.message["jsonrpc"] != "2.0" {
            self.complain(format!("this is no message: {}", seen.message));
        }
        self.seen.lock().push(seen.clone());
        self.heard.notify_waiters();
    }

    /// Checks that a message belongs to an existing session, if the server uses sessions.
    fn admit(&self, seen: &ReceivedMessage) -> Result<(), u16> {
        if *self.modern.lock() {
            let named = seen.headers.get("mcp-method").is_some_and(|method| method == seen.method());
            if !named && seen.http == "POST" && seen.method() != "initialize" {
                self.complain(format!("{} is not named in a header", seen.method()));
            }
            return Ok(());
        }
        if seen.method() == "initialize" || *self.stateless.lock() {
            return Ok(());
        }
        let id = seen.headers.get("mcp-session-id").ok_or(400u16)?;
        let mut sessions = self.sessions.lock();
        let session = sessions.get_mut(id).ok_or(404u16)?;
        if seen.headers.get("mcp-protocol-version") != Some(&session.version) {
            self.complain(format!("{} does not name the version {}", seen.method(), session.version));
        }
        match seen.method() {
            "notifications/initialized" => session.initialized = true,
            "ping" | "" => {}
            method if !session.initialized => self.complain(format!("{method} came too early")),
            _ => {}
        }
        if let Some(id) = seen.message.get("id").filter(|_| !seen.method().is_empty())
            && !session.ids.insert(id.to_string())
        {
            self.complain(format!("the id {id} came twice"));
        }
        Ok(())
    }

    fn initialize(&self, asked: &Value) -> (Option<String>, Value) {
        let mut versions = self.versions.lock().clone();
        if versions.is_empty() {
            versions = ["2025-11-25", "2025-06-18", "2025-03-26"].map(str::to_owned).to_vec();
        }
        let asked = asked["params"]["protocolVersion"].as_str().unwrap_or_default();
        let version = versions.iter().find(|version| *version == asked).unwrap_or(&versions[0]).clone();
        let mut made = self.made.lock();
        *made += 1;
        let id = (!*self.stateless.lock()).then(|| format!("session-{made}"));
        if let Some(id) = &id {
            let session = Session { version: version.clone(), ..Session::default() };
            self.sessions.lock().insert(id.clone(), session);
        }
        let result = json!({"protocolVersion": version, "capabilities": {"tools": {"listChanged": true}},
            "serverInfo": {"name": "fake", "version": "1"}});
        (id, result)
    }
}

async fn serve(mut socket: TcpStream, state: Arc<State>) {
    let Some(request) = Request::read(&mut socket).await else { return };
    let message = request.json();
    let seen = ReceivedMessage { http: request.method, headers: request.headers, message };
    state.note(&seen);
    let counts = usize::from(seen.http == "POST");
    *state.open.lock() += counts;
    let (mut from_client, mut to_client) = socket.split();
    tokio::select! {
        _ = answer(&mut to_client, &seen, &state) => {}
        () = gone(&mut from_client) => {}
    }
    *state.open.lock() -= counts;
    state.heard.notify_waiters();
}

type Half<'a> = tokio::net::tcp::WriteHalf<'a>;

async fn answer(to: &mut Half<'_>, seen: &ReceivedMessage, state: &State) -> std::io::Result<()> {
    let tokens = state.tokens.lock().clone();
    let given = seen.headers.get("authorization").and_then(|header| header.strip_prefix("Bearer "));
    if !tokens.is_empty() && !given.is_some_and(|given| tokens.iter().any(|token| token == given)) {
        let challenge = "www-authenticate: Bearer resource_metadata=\"http://127.0.0.1/meta\"\r\n";
        return plain(to, 401, challenge, "").await;
    }
    let method = seen.method();
    if state.silent.lock().contains(method) {
        std::future::pending::<()>().await;
    }
    let instead = state.instead.lock().get(method).cloned();
    match instead {
        Some((status @ 300..=399, to_where)) => {
            return plain(to, status, &format!("location: {to_where}\r\n"), "").await;
        }
        Some((status, body)) => return plain(to, status, "content-type: application/json\r\n", &body).await,
        None => {}
    }
    if let Err(status) = state.admit(seen) {
        return plain(to, status, "", "").await;
    }
    let id = seen.message["id"].clone();
    match (seen.http.as_str(), method) {
        ("DELETE", _) => {
            state.sessions.lock().remove(&seen.headers["mcp-session-id"]);
            state.heard.notify_waiters();
            plain(to, 200, "", "").await
        }
        ("GET", _) => tools::resume(to, seen, state).await,
        (_, "initialize") if *state.modern.lock() => {
            let error =
                json!({"code": -32022, "message": "unsupported", "data": {"supported": ["2026-07-28"]}});
            let body = json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string();
            plain(to, 400, "content-type: application/json\r\n", &body).await
        }
        (_, "server/discover") if *state.modern.lock() => {
            let result = json!({"resultType": "complete", "supportedVersions": ["2026-07-28"],
                "capabilities": {"tools": {}}, "ttlMs": 0, "cacheScope": "private"});
            tools::result(to, state, &id, result).await
        }
        (_, "initialize") => {
            let (session, result) = state.initialize(&seen.message);
            let session = session.map(|id| format!("mcp-session-id: {id}\r\n")).unwrap_or_default();
            let body = json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string();
            plain(to, 200, &format!("{session}content-type: application/json\r\n"), &body).await
        }
        (_, "tools/list") => tools::result(to, state, &id, tools::list(state, &seen.message)).await,
        (_, "tools/call") => tools::call(to, seen, state).await,
        (_, "notifications/cancelled") => {
            state.cancelled.lock().push(seen.message["params"]["requestId"].clone());
            state.heard.notify_waiters();
            plain(to, 202, "", "").await
        }
        (_, "") => {
            // A response to one of the server's own requests.
            state.replies.lock().insert(id.to_string(), seen.message.clone());
            state.heard.notify_waiters();
            plain(to, 202, "", "").await
        }
        (_, method) if method.starts_with("notifications/") => plain(to, 202, "", "").await,
        (_, method) => {
            let error = json!({"code": -32601, "message": format!("there is no {method}")});
            let body = json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string();
            plain(to, 200, "content-type: application/json\r\n", &body).await
        }
    }
}

async fn plain(to: &mut Half<'_>, status: u16, headers: &str, body: &str) -> std::io::Result<()> {
    let length = body.len();
    let head =
        format!("HTTP/1.1 {status} Fake\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n");
    to.write_all(format!("{head}{body}").as_bytes()).await?;
    to.shutdown().await
}
