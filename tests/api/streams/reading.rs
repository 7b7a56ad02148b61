//! Asking questions, and reading the answers as they arrive.

use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use crate::harness::{Answer, Client, PATIENCE, TestServer, text};

/// Starts a server without the limits that a hundred clients of one test would exceed.
pub async fn server() -> TestServer {
    TestServer::start_with(unlimited).await
}

/// Removes the rate limits and the limits on live runs.
pub fn unlimited(config: &mut understudy::Config) {
    config.limits.credential_per_second = 1_000_000;
    config.limits.credential_burst = 1_000_000;
    config.runs.total = 100_000;
    config.runs.per_tenant = 100_000;
    config.runs.per_user = 100_000;
    config.runs.queued_per_user = 100_000;
}

/// Creates a conversation and returns its id.
pub async fn conversation(client: &Client) -> String {
    text(&client.post("/api/conversations", json!({})).await.created()["id"])
}

/// Builds a request for a completion.
pub fn asking(client: &Client, conversation: &str, fields: Value) -> RequestBuilder {
    client.request(Method::POST, &format!("/api/conversations/{conversation}/completion")).json(&fields)
}

/// Asks a question and opens the stream.
pub async fn ask(client: &Client, conversation: &str, fields: Value) -> Stream {
    Stream::open(asking(client, conversation, fields)).await
}

/// Asks for this many words, with a pause after each.
pub async fn ask_words(client: &Client, conversation: &str, words: u64, pace_ms: u64) -> Stream {
    let parameters = json!({"length": words, "pace_ms": pace_ms});
    ask(client, conversation, json!({"message": "Tell me of the tides.", "parameters": parameters})).await
}

/// Path of a stream.
pub fn address(conversation: &str, stream: &str) -> String {
    format!("/api/conversations/{conversation}/streams/{stream}")
}

/// Attaches to a stream. `query` begins with `?` or is empty.
pub async fn attach(client: &Client, conversation: &str, stream: &str, query: &str) -> Stream {
    let path = format!("{}{query}", address(conversation, stream));
    Stream::open(client.request(Method::GET, &path)).await
}

pub struct Stream {
    pub id: String,
    response: reqwest::Response,
    read: Vec<u8>,
}

impl Stream {
    /// Sends the request, whose response must be a stream.
    pub async fn open(request: RequestBuilder) -> Self {
        Self::try_open(request).await.unwrap_or_else(|answer| panic!("no stream: {answer:?}"))
    }

    /// Sends the request, and returns the response as an error if its status is not 200.
    pub async fn try_open(request: RequestBuilder) -> Result<Self, Answer> {
        let response = request.send().await.expect("an answer");
        if response.status() != 200 {
            return Err(Answer::read(response).await);
        }
        let id = response.headers().get("x-stream-id").map(|id| id.to_str().expect("ASCII").to_owned());
        Ok(Self { id: id.unwrap_or_default(), response, read: Vec::new() })
    }

    /// Returns a header of the response.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.response.headers().get(name).map(|value| value.to_str().expect("ASCII"))
    }

    /// Reads more bytes, and returns false at the end. A broken connection counts as an end, too.
    pub async fn more(&mut self) -> bool {
        let piece = tokio::time::timeout(PATIENCE, self.response.chunk()).await;
        match piece.expect("the stream goes on") {
            Ok(Some(piece)) => self.read.extend_from_slice(&piece),
            Ok(None) | Err(_) => return false,
        }
        true
    }

    /// Returns the next frame of server-sent events, without the blank line at its end.
    pub async fn frame(&mut self) -> Option<String> {
        loop {
            if let Some(at) = self.read.windows(2).position(|window| window == b"\n\n") {
                let frame = self.read.drain(..at + 2).take(at).collect();
                return Some(String::from_utf8(frame).expect("text"));
            }
            if !self.more().await {
                return None;
            }
        }
    }

    /// Returns the next canonical event of the `events` encoding.
    pub async fn event(&mut self) -> Option<Value> {
        loop {
            let frame = self.frame().await?;
            if let Some(event) = events(&frame).pop() {
                return Some(event);
            }
        }
    }

    /// Reads until an event of this type, and returns it.
    pub async fn until(&mut self, kind: &str) -> Value {
        loop {
            let event = self.event().await.unwrap_or_else(|| panic!("the stream ended before {kind}"));
            if event["type"] == kind {
                return event;
            }
        }
    }

    /// Returns the rest of the stream as text.
    pub async fn rest(mut self) -> String {
        while self.more().await {}
        String::from_utf8(self.read).expect("text")
    }

    /// Returns the rest of the stream as canonical events of the `events` encoding.
    pub async fn events(self) -> Vec<Value> {
        events(&self.rest().await)
    }
}

/// Parses the canonical events in a text of the `events` encoding. Each has its own `id` and `event` lines.
pub fn events(text: &str) -> Vec<Value> {
    let frames = text.split("\n\n").filter(|frame| frame.contains("data: "));
    frames
        .map(|frame| {
            let line = |name: &str| frame.lines().find_map(|line| line.strip_prefix(name));
            let event: Value = serde_json::from_str(line("data: ").expect("data")).expect("JSON");
            assert_eq!(line("id: "), Some(event["seq"].to_string().as_str()), "{frame}");
            assert_eq!(line("event: "), event["type"].as_str(), "{frame}");
            event
        })
        .collect()
}

/// Parses the canonical events in a text of the `ndjson` encoding.
pub fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// Returns the text of an answer, joined from its deltas.
pub fn answer(events: &[Value]) -> String {
    let deltas = events.iter().filter(|event| event["type"] == "text.delta");
    deltas.map(|event| event["data"]["text"].as_str().expect("text")).collect()
}

/// Returns the terminal record, which the last event contains.
pub fn terminal(events: &[Value]) -> Value {
    let last = events.last().expect("an event");
    assert_eq!(last["type"], "run.ended", "{last}");
    assert_eq!(last["data"]["terminal"]["last_seq"], last["seq"], "{last}");
    last["data"]["terminal"].clone()
}

/// Asserts that a journal has no gap after `after`.
#[track_caller]
pub fn without_gap(events: &[Value], after: u64) {
    let seqs: Vec<_> = events.iter().map(|event| event["seq"].as_u64().expect("seq")).collect();
    let want: Vec<_> = (after + 1..).take(seqs.len()).collect();
    assert_eq!(seqs, want);
}

/// Returns the messages of a conversation.
pub async fn messages(client: &Client, conversation: &str) -> Vec<Value> {
    let answer = client.get(&format!("/api/conversations/{conversation}")).await.ok();
    answer["messages"].as_array().expect("messages").clone()
}

/// Returns the text of a message.
pub fn said(message: &Value) -> String {
    let parts = message["parts"].as_array().expect("parts").iter();
    parts.filter(|part| part["type"] == "text").map(|part| text(&part["text"])).collect()
}
