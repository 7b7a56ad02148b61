//! What the servers that tests stand up have in common: a free port, requests as they come off a real socket, and how
//! long one waits for them. What is answered, and how badly, each of them writes by itself.
#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::io::AsyncReadExt;
use tokio::net::tcp::ReadHalf;
use tokio::net::{TcpListener, TcpStream};

/// Longer than anything takes that comes about at all, on a slow machine with other tests on every core.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Whether something comes to be so.
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

/// Waits until something is so.
pub async fn until(what: &str, holds: impl AsyncFnMut() -> bool) {
    assert!(comes(holds).await, "after a minute it is still not so that {what}");
}

/// A server on a free port. It stops when this is dropped.
pub struct Listening {
    address: SocketAddr,
    task: tokio::task::JoinHandle<()>,
}

impl Listening {
    /// Serves each connection in a task of its own.
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

    /// The address of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A request as it came.
pub struct Request {
    pub method: String,
    /// The path, with the query.
    pub target: String,
    /// All headers, names in lower case.
    pub headers: HashMap<String, String>,
    pub body: Vec<u8>,
}

impl Request {
    /// Reads the first request of a connection; none where it ends before.
    pub async fn read(socket: &mut TcpStream) -> Option<Self> {
        Self::next(socket, &mut Vec::new()).await
    }

    /// Reads the next request of a connection; `bytes` are those that came and belong to none yet.
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

    /// The token that it carries.
    pub fn bearer(&self) -> Option<&str> {
        self.headers.get("authorization")?.strip_prefix("Bearer ")
    }

    /// The body as JSON; null where it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

async fn more(socket: &mut TcpStream, bytes: &mut Vec<u8>) -> Option<()> {
    (socket.read_buf(bytes).await.ok()? > 0).then_some(())
}

/// Waits until the client hangs up: that ends an answer, whatever it is at.
pub async fn gone(from_client: &mut ReadHalf<'_>) {
    let mut rest = [0; 64];
    while from_client.read(&mut rest).await.is_ok_and(|read| read > 0) {}
}
