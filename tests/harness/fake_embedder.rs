//! A provider of embeddings on a real socket, with a configurable delay, that counts the texts it
//! embeds.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::socket::{Listening, Request};

/// The length of a vector.
const DIMENSIONS: usize = 32;

/// A running provider of the model `embed`. It stops when this is dropped.
pub struct FakeEmbedder {
    /// Its base URL, up to and including the version.
    pub base_url: String,
    seen: Arc<Recording>,
    _listening: Listening,
}

#[derive(Default)]
struct Recording {
    /// Number of times that each text was embedded.
    texts: Mutex<HashMap<String, u64>>,
    /// The delay before each response, in milliseconds.
    delay_ms: AtomicU64,
}

impl FakeEmbedder {
    /// Starts a provider on a free port.
    pub async fn start() -> Self {
        let seen = Arc::new(Recording::default());
        let listening = Listening::start(&seen, serve).await;
        Self { base_url: listening.url("/v1"), seen, _listening: listening }
    }

    /// Sets the delay of each response from now on.
    pub fn delay(&self, delay: Duration) {
        self.seen.delay_ms.store(delay.as_millis() as u64, Ordering::SeqCst);
    }

    /// Number of times that each text was embedded.
    pub fn texts(&self) -> HashMap<String, u64> {
        self.seen.texts.lock().clone()
    }

    /// Provider settings for a server, under the name `fake`.
    pub fn config(&self) -> providers::ProviderConfig {
        serde_json::from_value(json!({"name": "fake", "base_url": self.base_url, "retries": 0,
            "models": [{"id": "embed", "tags": ["embedding"]}]}))
        .expect("a configuration")
    }

    /// The same settings as part of a configuration file, under the name `fake`.
    pub fn toml(&self) -> String {
        format!(
            "[[providers]]\nname = \"fake\"\nbase_url = \"{}\"\nretries = 1\n\
             [[providers.models]]\nid = \"embed\"\ntags = [\"embedding\"]\ninput_price = 0.02\n",
            self.base_url
        )
    }
}

async fn serve(mut socket: TcpStream, seen: Arc<Recording>) {
    while let Some(request) = Request::read(&mut socket).await {
        tokio::time::sleep(Duration::from_millis(seen.delay_ms.load(Ordering::SeqCst))).await;
        let body = embed(&request.json(), &seen);
        let body = body.to_string();
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        if socket.write_all(head.as_bytes()).await.is_err()
            || socket.write_all(body.as_bytes()).await.is_err()
        {
            return;
        }
    }
}

fn embed(request: &Value, seen: &Recording) -> Value {
    let texts: Vec<&str> = match &request["input"] {
        Value::Array(texts) => texts.iter().filter_map(Value::as_str).collect(),
        text => text.as_str().into_iter().collect(),
    };
    let mut data = Vec::new();
    for (index, text) in texts.iter().enumerate() {
        *seen.texts.lock().entry((*text).to_owned()).or_default() += 1;
        data.push(json!({"object": "embedding", "index": index, "embedding": vector(text)}));
    }
    let tokens: usize = texts.iter().map(|text| text.split_whitespace().count()).sum();
    json!({"object": "list", "data": data, "usage": {"prompt_tokens": tokens, "total_tokens": tokens}})
}

/// Maps words to dimensions by their letters, so that texts with common words are close to each
/// other.
fn vector(text: &str) -> Vec<f32> {
    let mut vector = vec![0.01; DIMENSIONS];
    for word in text.split_whitespace() {
        let sum: usize = word.to_lowercase().bytes().map(usize::from).sum();
        vector[(sum * 31 + word.len()) % DIMENSIONS] += 1.0;
    }
    vector
}
