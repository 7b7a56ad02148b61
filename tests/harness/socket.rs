//! Shared parts of the fake servers: a free port, requests read from a real socket, and the time limit for waiting.
//! Each fake server implements its own responses, including faulty ones.
#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::io::AsyncReadExt;
use tokio::net::tcp::ReadHalf;
use tokio::net::{TcpListener, TcpStream};

/// Longer than anything that succeeds takes, on a slow machine with other tests on every core.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Waits for a condition. Returns whether it was met within the time limit.
pub async fn comes(mut holds: impl AsyncFnMut() -> bool) -> bool {
    let end = Instant::now() + PATIENCE;
    while !holds().await {
        if Instant::now() > end {
            return false;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    true
}

/// Waits until a condition is met, and panics if it is not met within the time limit.
pub async fn until(what: &str, holds: impl AsyncFnMut() -> bool) {
    assert!(comes(holds).await, "waited a minute without success until {what}");
}

/// A server on a free port. It stops when this is dropped.
pub struct Listening {
    address: SocketAddr,
    task: tokio::task::JoinHandle<()>,
}

impl Listening {
    /// Serves each connection in its own task.
    pub async fn start<S, Serving>(
        state: &Arc<S>,
        serve: impl Fn(TcpStream, Arc<S>) -> Serving + Send + 'static,
    ) -> Self
    where
        S: Send + Sync + 'static,
        Serving: Future<Output: Send> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let state = state.clone();
        let task = tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                tokio::spawn(serve(socket, state.clone()));
            }
        });
        Self { address, task }
    }

    /// The URL of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A request as it was received.
pub struct Request {
    pub method: String,
    /// The path, with the query.
    pub target: String,
    /// All headers, with lower-case names.
    pub headers: HashMap<String, String>,
    pub body: Vec<u8>,
}

impl Request {
    /// Reads the first request of a connection; `None` if the connection ends before.
    pub async fn read(socket: &mut TcpStream) -> Option<Self> {
        Self::next(socket, &mut Vec::new()).await
    }

    /// Reads the next request of a connection. `bytes` contains the bytes that were received and belong to no request
    /// yet.
    pub async fn next(socket: &mut TcpStream, bytes: &mut Vec<u8>) -> Option<Self> {
        let end = loop {
            if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
                break at + 4;
            }
            more(socket, bytes).await?;
        };
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let mut lines = head.lines();
        let mut words = lines.next()?.split(' ');
        let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
        let header = |line: &str| {
            line.split_once(':').map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()))
        };
        let headers: HashMap<String, String> = lines.filter_map(header).collect();
        let length: usize = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        while bytes.len() < end + length {
            more(socket, bytes).await?;
        }
        let body = bytes[end..end + length].to_vec();
        bytes.drain(..end + length);
        Some(Self { method, target, headers, body })
    }

    /// The path, without the query.
    pub fn path(&self) -> &str {
        self.target.split_once('?').map_or(&self.target, |(path, _)| path)
    }

    /// The part after the `?`.
    pub fn query(&self) -> &str {
        self.target.split_once('?').map_or("", |(_, query)| query)
    }

    /// The bearer token of the request.
    pub fn bearer(&self) -> Option<&str> {
        self.headers.get("authorization")?.strip_prefix("Bearer ")
    }

    /// The body as JSON; null if it is not JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

async fn more(socket: &mut TcpStream, bytes: &mut Vec<u8>) -> Option<()> {
    (socket.read_buf(bytes).await.ok()? > 0).then_some(())
}

/// Waits until the client disconnects, which ends a response regardless of how much of it has been sent.
pub async fn gone(from_client: &mut ReadHalf<'_>) {
    let mut rest = [0; 64];
    while from_client.read(&mut rest).await.is_ok_and(|read| read > 0) {}
}
