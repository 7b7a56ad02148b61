//! Three providers on one port, one for each dialect, which send the same configurable response to every
//! request. Used to test failures in the format of each dialect.

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::socket::{Listening, Request};

/// The names of the providers, which are also their kinds.
pub const DIALECTS: [&str; 3] = ["openai", "anthropic", "gemini"];
/// The API key that the providers are called with.
pub const FAILING_KEY: &str = "failing-key-0123456789abcdef";

/// The response: a status and a body.
type FixedReply = Mutex<(&'static str, String)>;

/// The running providers. They stop when this is dropped.
pub struct FailingProvider {
    said: Arc<FixedReply>,
    listening: Listening,
}

impl FailingProvider {
    /// Starts the providers on a free port.
    pub async fn start() -> Self {
        let said = Arc::new(Mutex::new(("200 OK", String::new())));
        let listening = Listening::start(&said, serve).await;
        Self { said, listening }
    }

    /// Provider settings for a server. Each provider has the models `m` and `embed`.
    pub fn configs(&self) -> Vec<providers::ProviderConfig> {
        let config = |kind: &str| {
            serde_json::from_value(json!({
                "name": kind, "kind": kind, "base_url": self.listening.url("/v1"), "api_key": FAILING_KEY,
                "retries": 0, "circuit": {"failures": 0}, "models": ["m", {"id": "embed", "tags": ["embedding"]}],
            }))
            .expect("a configuration")
        };
        DIALECTS.into_iter().map(config).collect()
    }

    /// Sets the response from now on. A body that does not begin like JSON is sent as a stream.
    pub fn say(&self, status: &'static str, body: impl ToString) {
        *self.said.lock() = (status, body.to_string());
    }
}

async fn serve(mut socket: TcpStream, said: Arc<FixedReply>) {
    let Some(request) = Request::read(&mut socket).await else { return };
    let (status, text) = match request.method.as_str() {
        "GET" => ("404 Not Found", "{}".to_owned()),
        _ => said.lock().clone(),
    };
    let (kind, length) = match text.starts_with('{') {
        true => ("application/json", text.len()),
        false => ("text/event-stream", text.len()),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
    );
    // The client may have disconnected.
    let _ = socket.write_all(format!("{head}{text}").as_bytes()).await;
    let _ = socket.shutdown().await;
}
