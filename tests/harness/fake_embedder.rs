//! A provider of embeddings over a real socket, as slow as one likes, that counts what it is asked.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Numbers of one vector.
const DIMENSIONS: usize = 32;

/// A running provider of the model `embed`. It stops when this is dropped.
pub struct FakeEmbedder {
    /// Its address, up to and including the version.
    pub base_url: String,
    seen: Arc<Seen>,
    task: tokio::task::JoinHandle<()>,
}

#[derive(Default)]
struct Seen {
    /// How often each text was embedded.
    texts: Mutex<HashMap<String, u64>>,
    /// Milliseconds before each answer.
    delay_ms: AtomicU64,
}

impl FakeEmbedder {
    /// Starts one on a free port.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let base_url = format!("http://{}/v1", listener.local_addr().expect("an address"));
        let seen = Arc::new(Seen::default());
        let counted = seen.clone();
        let task = tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                tokio::spawn(serve(socket, counted.clone()));
            }
        });
        Self { base_url, seen, task }
    }

    /// How long each answer takes from now on.
    pub fn delay(&self, delay: Duration) {
        self.seen.delay_ms.store(delay.as_millis() as u64, Ordering::SeqCst);
    }

    /// How often each text was embedded.
    pub fn texts(&self) -> HashMap<String, u64> {
        self.seen.texts.lock().clone()
    }

    /// As a server is configured with it, under the name `fake`.
    pub fn config(&self) -> providers::ProviderConfig {
        serde_json::from_value(json!({"name": "fake", "base_url": self.base_url, "retries": 0,
            "models": [{"id": "embed", "tags": ["embedding"]}]}))
        .expect("a configuration")
    }

    /// As a configuration file says it, under the name `fake`.
    pub fn toml(&self) -> String {
        format!(
            "[[providers]]\nname = \"fake\"\nbase_url = \"{}\"\nretries = 1\n\
             [[providers.models]]\nid = \"embed\"\ntags = [\"embedding\"]\ninput_price = 0.02\n",
            self.base_url
        )
    }
}

impl Drop for FakeEmbedder {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(mut socket: TcpStream, seen: Arc<Seen>) {
    while let Some(request) = read(&mut socket).await {
        tokio::time::sleep(Duration::from_millis(seen.delay_ms.load(Ordering::SeqCst))).await;
        let body = embed(&request, &seen);
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

fn embed(request: &Value, seen: &Seen) -> Value {
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

/// Words by their letters: texts that share words are near to each other.
fn vector(text: &str) -> Vec<f32> {
    let mut vector = vec![0.01; DIMENSIONS];
    for word in text.split_whitespace() {
        let sum: usize = word.to_lowercase().bytes().map(usize::from).sum();
        vector[(sum * 31 + word.len()) % DIMENSIONS] += 1.0;
    }
    vector
}

async fn read(socket: &mut TcpStream) -> Option<Value> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        if socket.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
    let length =
        head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse::<usize>().ok());
    while bytes.len() < end + length.unwrap_or_default() {
        if socket.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
    serde_json::from_slice(&bytes[end..]).ok()
}
