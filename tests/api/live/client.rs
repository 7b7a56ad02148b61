//! A client of the live connection.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::api::streams::reading::{address, ask_words, conversation, lines, unlimited};
use crate::api::streams::socket::{Frame, Socket};
use crate::harness::{Client, TestServer, text};

pub const PATH: &str = "/api/live";

/// Starts a server on which a connection can have 200 subscriptions.
pub async fn server() -> TestServer {
    TestServer::start_with(|config| {
        unlimited(config);
        config.limits.live_subscriptions = 200;
    })
    .await
}

/// A WebSocket of a client.
pub struct Live {
    pub socket: Socket,
}

impl Live {
    pub async fn open(client: &Client) -> Self {
        Self { socket: Socket::open(client, PATH).await }
    }

    pub async fn say(&mut self, command: Value) {
        self.socket.say(command).await;
    }

    pub async fn subscribe(&mut self, id: &str, to: &str) {
        self.say(json!({"op": "subscribe", "id": id, "to": to})).await;
    }

    pub async fn resume(&mut self, id: &str, to: &str, after: impl Into<Value>) {
        self.say(json!({"op": "subscribe", "id": id, "to": to, "after": after.into()})).await;
    }

    /// Returns the next message.
    pub async fn message(&mut self) -> Value {
        match self.socket.hear().await {
            Frame::Text(message) => message,
            closed => panic!("{closed:?}"),
        }
    }

    /// Returns the next message of this type about a subscription, and discards the messages before it.
    pub async fn until(&mut self, kind: &str, id: &str) -> Value {
        loop {
            let message = self.message().await;
            if message["type"] == kind && message["id"] == id {
                return message;
            }
        }
    }

    /// Returns the next event of this type of a subscription, and discards the messages before it.
    pub async fn event(&mut self, id: &str, kind: &str) -> Value {
        loop {
            let message = self.until("event", id).await;
            if message["event"]["type"] == kind {
                return message;
            }
        }
    }

    /// Sends a command and returns the problem that it is refused with.
    pub async fn refused(&mut self, command: Value) -> Value {
        let (op, id) = (command["op"].clone(), command["id"].clone());
        self.say(command).await;
        loop {
            let message = self.message().await;
            if message["type"] == "problem" {
                assert_eq!((&message["op"], &message["id"]), (&op, &id), "{message}");
                return message["problem"].clone();
            }
        }
    }

    /// Returns the code with which the server closes the connection.
    pub async fn closed(mut self) -> u16 {
        loop {
            if let Frame::Close(code) = self.socket.hear().await {
                return code;
            }
        }
    }

    /// Reads until this number of subscriptions have ended without a problem, and returns the events of each.
    pub async fn ended(&mut self, count: usize) -> BTreeMap<String, Vec<Value>> {
        let mut read = BTreeMap::new();
        self.ended_into(count, &mut read).await;
        read
    }

    /// Like [`Live::ended`], for subscriptions of which `read` contains the first events.
    pub async fn ended_into(&mut self, count: usize, read: &mut BTreeMap<String, Vec<Value>>) {
        let mut ended = 0;
        while ended < count {
            let message = self.message().await;
            ended += usize::from(take(message, read));
        }
    }
}

/// Adds the event of a message to those of its subscription. Returns whether the message is the end of it.
pub fn take(message: Value, read: &mut BTreeMap<String, Vec<Value>>) -> bool {
    let events: &mut Vec<Value> = read.entry(text(&message["id"])).or_default();
    match message["type"].as_str() {
        Some("subscribed") => {}
        Some("event") => {
            let event = message["event"].clone();
            if let Some(seq) = event["seq"].as_u64() {
                assert_eq!(message["position"], seq.to_string(), "{message}");
            }
            events.push(event);
        }
        Some("ended") => {
            assert_eq!(message["problem"], Value::Null, "{message}");
            return true;
        }
        other => panic!("{other:?}: {message}"),
    }
    false
}

/// Returns the events of a stream as the `ndjson` encoding replays them.
pub async fn replay(client: &Client, path: &str) -> Vec<Value> {
    lines(&client.get(&format!("{path}?wire=ndjson")).await.expect(200).text())
}

/// Creates a conversation with an answer of this many words that has ended. Returns the path of its stream.
pub async fn ended_stream(client: &Client, words: u64) -> String {
    let home = conversation(client).await;
    let stream = ask_words(client, &home, words, 0).await;
    let path = address(&home, &stream.id);
    stream.rest().await;
    path
}

/// Creates a conversation with an answer that is being written. Returns the path of its stream. The client that asked
/// has left.
pub async fn live_stream(client: &Client, words: u64, pace_ms: u64) -> String {
    let home = conversation(client).await;
    address(&home, &ask_words(client, &home, words, pace_ms).await.id)
}

/// The path of the conversation of a stream.
pub fn home_of(stream: &str) -> &str {
    stream.split_once("/streams/").expect("a stream").0
}
