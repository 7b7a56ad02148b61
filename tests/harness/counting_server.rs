//! A server on a real socket that counts the requests it receives and responds as the test specifies.
//!
//! ```ignore
//! let server = CountingServer::start().await;
//! server.script("/pay", [Reply::status(500), Reply::json(json!({"paid": true}))]);
//! // ... a workflow posts to `server.url("/pay")` ...
//! assert_eq!(server.count("/pay"), 2);
//! assert_eq!(server.count_key(key), 1);
//! ```
#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::socket::{Listening, Request, comes};

#[derive(Clone, Debug)]
pub struct ReceivedRequest {
    pub method: String,
    /// The path, without the query.
    pub path: String,
    /// The part after the `?`.
    pub query: String,
    /// All headers, with lower-case names.
    pub headers: HashMap<String, String>,
    pub body: Vec<u8>,
}

impl ReceivedRequest {
    /// The body as JSON; null if it is not JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    pub fn key(&self) -> Option<&str> {
        self.headers.get("idempotency-key").map(String::as_str)
    }
}

#[derive(Clone, Debug)]
pub struct Reply {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    delay: Duration,
    how: How,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum How {
    Whole,
    /// Sends nothing and keeps the connection open.
    Hang,
    /// Sends the head and half of the body, and then nothing.
    Half,
    /// Closes the connection without sending anything.
    Drop,
}

impl Reply {
    /// A status with a body that contains it.
    pub fn status(status: u16) -> Self {
        Self { status, ..Self::json(json!({"status": status})) }
    }

    /// A response 200 with JSON.
    pub fn json(body: Value) -> Self {
        Self::body("application/json", body.to_string())
    }

    /// A response 200 with this media type and body.
    pub fn body(media_type: &str, body: impl Into<Vec<u8>>) -> Self {
        let headers = vec![("content-type".to_owned(), media_type.to_owned())];
        Self { status: 200, headers, body: body.into(), delay: Duration::ZERO, how: How::Whole }
    }

    /// Redirects the client to another address.
    pub fn redirect(status: u16, to: &str) -> Self {
        Self::status(status).header("location", to)
    }

    /// Sends nothing until the client disconnects.
    pub fn hang() -> Self {
        Self { how: How::Hang, ..Self::status(200) }
    }

    /// Sends the first half of a body, and then nothing.
    pub fn half(body: &str) -> Self {
        Self { how: How::Half, ..Self::body("text/plain", body) }
    }

    /// Disconnects without a response.
    pub fn hang_up() -> Self {
        Self { how: How::Drop, ..Self::status(200) }
    }

    /// Adds a header.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Delays the response.
    pub fn after(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }
}

/// A running server. It stops when this is dropped.
pub struct CountingServer {
    inner: Arc<Inner>,
    listening: Listening,
}

#[derive(Default)]
struct Inner {
    seen: Mutex<Vec<ReceivedRequest>>,
    scripts: Mutex<HashMap<String, VecDeque<Reply>>>,
    always: Mutex<HashMap<String, Reply>>,
    open: AtomicUsize,
    busy: AtomicUsize,
}

impl CountingServer {
    /// Starts a server on a free port. A path without a script responds with 200 and `{"path", "key", "count"}`: the
    /// number of requests to this path, including the current one.
    pub async fn start() -> Self {
        let inner = Arc::new(Inner::default());
        let listening = Listening::start(&inner, |socket, inner| serve(socket, Counted::new(&inner))).await;
        Self { inner, listening }
    }

    /// The URL of a path.
    pub fn url(&self, path: &str) -> String {
        self.listening.url(path)
    }

    /// Sends these responses to the next requests to a path, each once, in this order.
    pub fn script(&self, path: &str, replies: impl IntoIterator<Item = Reply>) {
        self.inner.scripts.lock().entry(path.to_owned()).or_default().extend(replies);
    }

    /// Like `script`, but replaces what is left of an earlier script.
    pub fn replace_script(&self, path: &str, replies: impl IntoIterator<Item = Reply>) {
        self.inner.scripts.lock().insert(path.to_owned(), replies.into_iter().collect());
    }

    /// Sets the response to all requests to a path that are not covered by a script.
    pub fn always(&self, path: &str, reply: Reply) {
        self.inner.always.lock().insert(path.to_owned(), reply);
    }

    /// All requests so far, in the order in which they were read.
    pub fn seen(&self) -> Vec<ReceivedRequest> {
        self.inner.seen.lock().clone()
    }

    /// The requests to a path.
    pub fn seen_at(&self, path: &str) -> Vec<ReceivedRequest> {
        self.seen().into_iter().filter(|seen| seen.path == path).collect()
    }

    /// Number of requests to a path.
    pub fn count(&self, path: &str) -> usize {
        self.inner.count(path)
    }

    /// Number of requests with this `Idempotency-Key`.
    pub fn count_key(&self, key: &str) -> usize {
        self.inner.seen.lock().iter().filter(|seen| seen.key() == Some(key)).count()
    }

    /// Number of requests for each `Idempotency-Key`.
    pub fn counts(&self) -> HashMap<String, usize> {
        let mut counts = HashMap::new();
        for seen in self.inner.seen.lock().iter() {
            *counts.entry(seen.key().unwrap_or_default().to_owned()).or_default() += 1;
        }
        counts
    }

    /// The number of open connections.
    pub fn open(&self) -> usize {
        self.inner.open.load(Ordering::SeqCst)
    }

    /// Number of requests that have not been answered yet.
    pub fn busy(&self) -> usize {
        self.inner.busy.load(Ordering::SeqCst)
    }

    /// Waits until this many requests to a path have arrived.
    pub async fn wait_for(&self, path: &str, count: usize) {
        self.until(&format!("{count} requests to {path}"), || self.count(path) >= count).await;
    }

    /// Waits until no connection is open.
    pub async fn idle(&self) {
        self.until("no open connection", || self.open() == 0).await;
    }

    async fn until(&self, what: &str, reached: impl Fn() -> bool) {
        assert!(comes(async || reached()).await, "waited a minute for {what}; received: {:?}", self.seen());
    }
}

impl Inner {
    fn count(&self, path: &str) -> usize {
        self.seen.lock().iter().filter(|seen| seen.path == path).count()
    }

    /// Records a request and returns the response to send.
    fn reply(&self, seen: ReceivedRequest) -> Reply {
        let (path, key) = (seen.path.clone(), seen.key().map(str::to_owned));
        self.seen.lock().push(seen);
        let scripted = self.scripts.lock().get_mut(&path).and_then(VecDeque::pop_front);
        scripted
            .or_else(|| self.always.lock().get(&path).cloned())
            .unwrap_or_else(|| Reply::json(json!({"path": path, "key": key, "count": self.count(&path)})))
    }
}

/// Counts a connection while it is open.
struct Counted(Arc<Inner>);

impl Counted {
    fn new(inner: &Arc<Inner>) -> Self {
        inner.open.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(inner))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Counts a request until it is answered.
struct Busy<'a>(&'a Inner);

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.busy.fetch_sub(1, Ordering::SeqCst);
    }
}

async fn serve(mut socket: TcpStream, counted: Counted) {
    let inner = &counted.0;
    let mut bytes = Vec::new();
    while let Some(request) = Request::next(&mut socket, &mut bytes).await {
        inner.busy.fetch_add(1, Ordering::SeqCst);
        let busy = Busy(inner);
        let reply = inner.reply(request.into());
        let (mut from_client, mut to_client) = socket.split();
        // If the client disconnects, the response ends, however much of it has been sent.
        let gone = async { while from_client.read_buf(&mut bytes).await.is_ok_and(|read| read > 0) {} };
        let goes_on = tokio::select! {
            goes_on = answer(&mut to_client, &reply) => goes_on.unwrap_or(false),
            () = gone => false,
        };
        drop(busy);
        if !goes_on {
            return;
        }
    }
}

impl From<Request> for ReceivedRequest {
    fn from(request: Request) -> Self {
        let (path, query) = (request.path().to_owned(), request.query().to_owned());
        Self { method: request.method, path, query, headers: request.headers, body: request.body }
    }
}

/// Sends a reply. Returns whether the connection can be used again.
async fn answer(to: &mut tokio::net::tcp::WriteHalf<'_>, reply: &Reply) -> std::io::Result<bool> {
    tokio::time::sleep(reply.delay).await;
    match reply.how {
        How::Drop => return Ok(false),
        How::Hang => std::future::pending::<()>().await,
        How::Whole | How::Half => {}
    }
    let mut head = format!("HTTP/1.1 {} Scripted\r\ncontent-length: {}\r\n", reply.status, reply.body.len());
    for (name, value) in &reply.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    to.write_all(format!("{head}\r\n").as_bytes()).await?;
    if reply.how == How::Half {
        to.write_all(&reply.body[..reply.body.len() / 2]).await?;
        std::future::pending::<()>().await;
    }
    to.write_all(&reply.body).await?;
    to.flush().await?;
    Ok(true)
}
