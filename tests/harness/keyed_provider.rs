//! A provider on a real socket that records the API key of each request and accepts only valid keys.

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::socket::{Listening, Request};

/// The key in the configuration. Keys with the same prefix are valid.
pub const CONFIGURED_KEY: &str = "sk-good-configured-0123456789abcdef";

/// Cost of one response of the model `talk`, in billionths of a dollar: ten input tokens at one dollar per
/// million, and two output tokens at two dollars per million.
pub const ANSWER_NANOS: u64 = 14_000;

/// A running provider. It stops when this is dropped.
pub struct KeyedProvider {
    /// Its base URL, up to and including the version.
    pub base_url: String,
    seen: Arc<Mutex<Vec<(String, String)>>>,
    _listening: Listening,
}

impl KeyedProvider {
    /// Starts a provider on a free port.
    pub async fn start() -> Self {
        let seen = Arc::new(Mutex::default());
        let listening = Listening::start(&seen, serve).await;
        Self { base_url: listening.url("/v1"), seen, _listening: listening }
    }

    /// Provider settings for a server, under the name `fake`, with the models `talk`, `other` and `embed`.
    pub fn config(&self) -> providers::ProviderConfig {
        serde_json::from_value(json!({
            "name": "fake", "base_url": self.base_url, "api_key": CONFIGURED_KEY, "retries": 0,
            "models": [
                {"id": "talk", "input_price": 1.0, "output_price": 2.0, "context_window": 8_000},
                {"id": "other", "tags": ["chat", "tools", "vision"]},
                {"id": "embed", "tags": ["embedding"], "input_price": 1.0},
            ],
        }))
        .expect("a configuration")
    }

    /// The paths and keys of the requests since the last call of this method.
    pub fn seen(&self) -> Vec<(String, String)> {
        std::mem::take(&mut *self.seen.lock())
    }
}

async fn serve(mut socket: TcpStream, seen: Arc<Mutex<Vec<(String, String)>>>) {
    let Some(request) = Request::read(&mut socket).await else { return };
    let (path, key) = (request.target.clone(), request.bearer().unwrap_or_default().to_owned());
    seen.lock().push((path.clone(), key.clone()));
    let (status, kind, text) = if !key.starts_with("sk-good") {
        let error =
            json!({"error": {"message": format!("the key {key} is unknown"), "code": "invalid_api_key"}});
        ("401 Unauthorized", "application/json", error.to_string())
    } else if path.ends_with("/models") {
        ("200 OK", "application/json", json!({"data": [{"id": "talk"}, {"id": "other"}]}).to_string())
    } else if path.ends_with("/embeddings") {
        ("200 OK", "application/json", embed(&request.json()).to_string())
    } else {
        ("200 OK", "text/event-stream", talk())
    };
    let length = text.len();
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
    );
    // The client may have disconnected.
    let _ = socket.write_all(format!("{head}{text}").as_bytes()).await;
    let _ = socket.shutdown().await;
}

fn talk() -> String {
    let delta = |content: &str| json!({"choices": [{"index": 0, "delta": {"content": content}}]});
    let last = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    let usage = json!({"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 2}});
    let all = [delta("hello "), delta("there"), last, usage];
    let frames: String = all.iter().map(|frame| format!("data: {frame}\n\n")).collect();
    format!("{frames}data: [DONE]\n\n")
}

fn embed(request: &Value) -> Value {
    let count = request["input"].as_array().map_or(1, Vec::len);
    let vector = |index: usize| json!({"object": "embedding", "index": index, "embedding": [1.0, 0.5, 0.25]});
    let data: Vec<_> = (0..count).map(vector).collect();
    json!({"object": "list", "data": data, "usage": {"prompt_tokens": 7, "total_tokens": 7}})
}
