//! A provider with an OpenAI-compatible interface on a real socket. The name of a model determines its behaviour, correct
//! or faulty.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::sync::Mutex;

use super::socket::{Listening, Request, gone, until};

/// The models, and the behaviour of each.
pub const MODELS: [&str; 17] = [
    "echo",         // repeats its input, word by word
    "slow",         // counts words without end, one every 20 ms
    "tools",        // calls `count_text`, then sends its result
    "reasoning",    // sends reasoning, then "done"
    "stall",        // sends three words and then stalls
    "silent",       // does not respond at all
    "drop",         // sends three words and disconnects in the middle of a chunk
    "rubbish",      // sends invalid JSON
    "noise",        // sends data that is not HTTP
    "limited-once", // 429 at first, then like `echo`
    "limited",      // always 429
    "busy",         // the status and `Retry-After` in the question
    "refuse",       // 400, with the caller's key in the message
    "detailed",     // sends log probabilities, a fingerprint and a refusal
    "pair",         // calls two tools at once, `north` and `south`
    "raw",          // sends the question itself as its stream, with any content
    "coder",        // sends the first fenced block of the question; when asked to fix it, the next one
];

/// The API key that the provider is called with. It must never appear in any output.
pub const KEY: &str = "sk-fake-0123456789abcdef0123456789abcdef";

/// A running fake provider. It stops when this is dropped.
pub struct FakeProvider {
    /// Its base URL, up to and including the version.
    pub base_url: String,
    seen: Arc<Recording>,
    _listening: Listening,
}

#[derive(Default)]
struct Recording {
    requests: Mutex<Vec<Value>>,
    open: AtomicUsize,
    instead: parking_lot::Mutex<Option<Vec<u8>>>,
    limited: AtomicUsize,
}

impl FakeProvider {
    /// Starts a provider on a free port.
    pub async fn start() -> Self {
        let seen = Arc::new(Recording::default());
        let listening = Listening::start(&seen, serve).await;
        Self { base_url: listening.url("/v1"), seen, _listening: listening }
    }

    /// Provider settings for a server, under the name `fake`.
    pub fn config(&self) -> providers::ProviderConfig {
        serde_json::from_value(json!({
            "name": "fake", "base_url": self.base_url, "api_key": KEY, "models": MODELS, "retries": 1,
        }))
        .expect("a configuration")
    }

    /// Like `config`, with short timeouts, for models that do not finish. Models that do finish may exceed the timeouts as
    /// well if the machine is busy.
    pub fn impatient(&self) -> providers::ProviderConfig {
        let timeouts = json!({"first_byte_s": 1.5, "idle_s": 1.5, "connect_s": 10.0});
        let timeouts = serde_json::from_value(timeouts).expect("time-outs");
        providers::ProviderConfig { timeouts, ..self.config() }
    }

    /// The bodies of the requests so far.
    pub async fn requests(&self) -> Vec<Value> {
        self.seen.requests.lock().await.clone()
    }

    /// Sends these bytes in response to all chats from now on, or the models' own responses if `None`.
    pub fn answer_with(&self, bytes: Option<Vec<u8>>) {
        *self.seen.instead.lock() = bytes;
    }

    /// Number of responses in progress.
    pub fn open(&self) -> usize {
        self.seen.open.load(Ordering::SeqCst)
    }

    /// Waits until no response is in progress.
    pub async fn idle(&self) {
        until("no answer of the provider is open", async || self.open() == 0).await;
    }
}

/// Counts a response while it is in progress.
struct Counted(Arc<Recording>);

impl Counted {
    fn new(seen: &Arc<Recording>) -> Self {
        seen.open.fetch_add(1, Ordering::SeqCst);
        Self(seen.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::SeqCst);
    }
}

async fn serve(mut socket: TcpStream, seen: Arc<Recording>) {
    let Some(request) = Request::read(&mut socket).await else { return };
    if request.method == "GET" && request.target.starts_with("/v1/models") {
        let models: Vec<_> = MODELS.iter().map(|id| json!({"id": id})).collect();
        let _ = plain(&mut socket, "200 OK", "", &json!({"data": models}).to_string()).await;
        return;
    }
    let request = request.json();
    seen.requests.lock().await.push(request.clone());
    let counted = Counted::new(&seen);
    let (mut from_client, mut to_client) = socket.split();
    tokio::select! {
        _ = answer(&mut to_client, &request, &seen) => {}
        () = gone(&mut from_client) => {}
    }
    drop(counted);
}

type Half<'a> = tokio::net::tcp::WriteHalf<'a>;

async fn answer(to: &mut Half<'_>, request: &Value, seen: &Recording) -> std::io::Result<()> {
    let instead = seen.instead.lock().clone();
    if let Some(bytes) = instead {
        to.write_all(&bytes).await?;
        return to.shutdown().await;
    }
    let text = last_text(request);
    match request["model"].as_str().unwrap_or_default() {
        "silent" => wait().await,
        "noise" => return to.write_all(b"\x16\x03\x01 this is no HTTP\r\n\r\n").await,
        "limited" => return limited(to).await,
        "limited-once" if seen.limited.fetch_add(1, Ordering::SeqCst) == 0 => return limited(to).await,
        // The text contains the status and the number of seconds for `Retry-After`.
        "busy" => {
            let (status, seconds) = text.split_once(' ').unwrap_or(("503", "1"));
            let body = json!({"error": {"message": "come again"}}).to_string();
            return plain(to, &format!("{status} Busy"), &format!("retry-after: {seconds}\r\n"), &body).await;
        }
        "refuse" => {
            let message = format!("the key {KEY} may not do that");
            let body = json!({"error": {"message": message, "type": "invalid_request_error"}});
            return plain(to, "400 Bad Request", "", &body.to_string()).await;
        }
        model => {
            to.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n").await?;
            to.write_all(b"transfer-encoding: chunked\r\nconnection: close\r\n\r\n").await?;
            stream(to, model, request, &text).await?;
        }
    }
    Ok(())
}

async fn stream(to: &mut Half<'_>, model: &str, request: &Value, text: &str) -> std::io::Result<()> {
    match model {
        "slow" => {
            for n in 0u64.. {
                say(to, json!({"content": format!("word{n} ")})).await?;
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
        "stall" => {
            say_words(to, "one two three").await?;
            wait().await;
        }
        "drop" => {
            say_words(to, "one two three").await?;
            // The chunk length promises more bytes than are sent.
            to.write_all(b"ff\r\ndata: {\"choices\":[{\"delta\":{\"con").await?;
            return to.shutdown().await;
        }
        "rubbish" => {
            say_words(to, "one").await?;
            return chunk(to, "data: {\"choices\": oh no\n\n").await;
        }
        "reasoning" => {
            for thought in ["let ", "me ", "think"] {
                say(to, json!({"reasoning_content": thought})).await?;
            }
            say(to, json!({"content": "done"})).await?;
        }
        "detailed" => {
            let logprobs =
                json!({"content": [{"token": "yes", "logprob": -0.25, "bytes": null, "top_logprobs": []}]});
            let said = json!({"system_fingerprint": "fp_1", "service_tier": "default", "choices": [
                {"index": 0, "delta": {"content": "yes"}, "logprobs": logprobs, "finish_reason": null}]});
            chunk(to, &format!("data: {said}\n\n")).await?;
            say(to, json!({"refusal": "not "})).await?;
            say(to, json!({"refusal": "all"})).await?;
        }
        "pair" if !asked_a_tool(request) => {
            for (index, name) in ["north", "south"].into_iter().enumerate() {
                let function = json!({"name": name, "arguments": ""});
                let begun = json!({"index": index, "id": format!("call_{name}"), "type": "function", "function": function});
                say(to, json!({"tool_calls": [begun]})).await?;
            }
            for piece in ["{\"far\":", "3}"] {
                for index in 0..2 {
                    say(to, json!({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}))
                        .await?;
                }
            }
            return finish(to, "tool_calls", text).await;
        }
        "tools" if !asked_a_tool(request) => {
            let call = |arguments: &str| json!({"index": 0, "function": {"arguments": arguments}});
            let mut first = call("");
            first["id"] = json!("call_1");
            first["type"] = json!("function");
            first["function"]["name"] = json!("count_text");
            say(to, json!({"tool_calls": [first]})).await?;
            let arguments = json!({"text": text}).to_string();
            let (left, right) = arguments.split_at(5);
            say(to, json!({"tool_calls": [call(left)]})).await?;
            say(to, json!({"tool_calls": [call(right)]})).await?;
            return finish(to, "tool_calls", text).await;
        }
        "tools" | "pair" => say_words(to, &format!("it gave {}", last_text(request))).await?,
        "raw" => {
            chunk(to, text).await?;
            to.write_all(b"0\r\n\r\n").await?;
            return to.shutdown().await;
        }
        "coder" => say_words(to, &next_block(request)).await?,
        _ => say_words(to, text).await?,
    }
    finish(to, "stop", text).await
}

async fn finish(to: &mut Half<'_>, reason: &str, text: &str) -> std::io::Result<()> {
    let last = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]});
    chunk(to, &format!("data: {last}\n\n")).await?;
    let words = text.split_whitespace().count();
    let usage = json!({"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": words}});
    chunk(to, &format!("data: {usage}\n\ndata: [DONE]\n\n")).await?;
    to.write_all(b"0\r\n\r\n").await?;
    to.shutdown().await
}

async fn say_words(to: &mut Half<'_>, text: &str) -> std::io::Result<()> {
    for word in text.split_inclusive(' ') {
        say(to, json!({"content": word})).await?;
    }
    Ok(())
}

async fn say(to: &mut Half<'_>, delta: Value) -> std::io::Result<()> {
    let said = json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]});
    chunk(to, &format!("data: {said}\n\n")).await
}

async fn chunk(to: &mut Half<'_>, text: &str) -> std::io::Result<()> {
    to.write_all(format!("{:x}\r\n{text}\r\n", text.len()).as_bytes()).await
}

async fn limited(to: &mut Half<'_>) -> std::io::Result<()> {
    let body = json!({"error": {"message": "slow down", "type": "rate_limit_error"}});
    plain(to, "429 Too Many Requests", "retry-after: 0\r\n", &body.to_string()).await
}

async fn plain<W: AsyncWriteExt + Unpin>(
    to: &mut W,
    status: &str,
    headers: &str,
    body: &str,
) -> std::io::Result<()> {
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\n{headers}content-type: application/json\r\n");
    to.write_all(format!("{head}content-length: {length}\r\nconnection: close\r\n\r\n{body}").as_bytes())
        .await?;
    to.shutdown().await
}

/// The text of the last message, in any of its formats.
fn last_text(request: &Value) -> String {
    let messages = request["messages"].as_array();
    let content = messages.and_then(|messages| messages.last()).map(|message| &message["content"]);
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join(" ")
        }
        _ => String::new(),
    }
}

/// The next fenced block of the first question that has not been sent yet, or the last one if all have been sent.
fn next_block(request: &Value) -> String {
    let messages = request["messages"].as_array().cloned().unwrap_or_default();
    let of = |role: &str| messages.iter().filter(|message| message["role"] == role).collect::<Vec<_>>();
    let (asked, said) = (of("user"), of("assistant").len());
    let question = asked.first().and_then(|message| message["content"].as_str()).unwrap_or_default();
    let blocks: Vec<_> = question.split("```").skip(1).step_by(2).collect();
    let block = blocks.get(said).or(blocks.last()).copied().unwrap_or_default();
    format!("This will do:\n```{block}```\nGood luck!")
}

fn asked_a_tool(request: &Value) -> bool {
    let messages = request["messages"].as_array().into_iter().flatten();
    messages.filter(|message| message["role"] == "tool").count() > 0
}

async fn wait() {
    std::future::pending::<()>().await;
}
