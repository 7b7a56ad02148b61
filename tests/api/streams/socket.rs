//! The WebSocket delivers the same events, and its client can control the stream.

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::reading::{address, ask_words, attach, conversation, server, terminal, without_gap};
use crate::harness::Client;

/// A minimal WebSocket client for these tests.
pub struct Socket {
    stream: TcpStream,
    read: Vec<u8>,
}

/// A frame from the server.
#[derive(Debug, PartialEq)]
pub enum Frame {
    Text(Value),
    Close(u16),
}

impl Socket {
    pub async fn open(client: &Client, path: &str) -> Self {
        let host = client.url().strip_prefix("http://").expect("http");
        let stream = TcpStream::connect(host).await.expect("connected");
        Self::open_on(stream, client, path).await
    }

    /// Opens a WebSocket on a connection.
    pub async fn open_on(mut stream: TcpStream, client: &Client, path: &str) -> Self {
        let host = client.url().strip_prefix("http://").expect("http").to_owned();
        let (bearer, key) = (client.bearer(), "dGhlIHNhbXBsZSBub25jZQ==");
        let head = format!(
            "GET {path} HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {bearer}\r\nconnection: Upgrade\r\n\
             upgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: {key}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await.expect("sent");
        let mut read = Vec::new();
        let end = loop {
            if let Some(at) = read.windows(4).position(|window| window == b"\r\n\r\n") {
                break at + 4;
            }
            assert!(
                stream.read_buf(&mut read).await.expect("an answer") > 0,
                "{}",
                String::from_utf8_lossy(&read)
            );
        };
        let head = String::from_utf8_lossy(&read[..end]).to_ascii_lowercase();
        assert!(head.starts_with("http/1.1 101"), "{head}");
        assert!(head.contains("s3pplmbitxaq9kygzzhzrbk+xoo="), "{head}");
        Self { stream, read: read.split_off(end) }
    }

    /// Sends bytes unchanged.
    async fn raw(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.expect("sent");
    }

    async fn take(&mut self, count: usize) -> Vec<u8> {
        while self.read.len() < count {
            assert!(self.stream.read_buf(&mut self.read).await.expect("more") > 0, "closed without a word");
        }
        let rest = self.read.split_off(count);
        std::mem::replace(&mut self.read, rest)
    }

    pub async fn send(&mut self, opcode: u8, payload: &[u8]) {
        let mask = [1, 2, 3, 4];
        let mut frame = vec![0x80 | opcode];
        match u16::try_from(payload.len()).expect("a short message") {
            short @ 0..126 => frame.push(0x80 | short as u8),
            long => {
                frame.push(0x80 | 126);
                frame.extend_from_slice(&long.to_be_bytes());
            }
        }
        frame.extend_from_slice(&mask);
        frame.extend(payload.iter().enumerate().map(|(at, byte)| byte ^ mask[at % 4]));
        self.stream.write_all(&frame).await.expect("sent");
    }

    pub async fn say(&mut self, value: Value) {
        self.send(1, value.to_string().as_bytes()).await;
    }

    /// Returns the next message, and answers pings.
    pub async fn hear(&mut self) -> Frame {
        loop {
            let head = self.take(2).await;
            assert_eq!(head[0] & 0x80, 0x80, "whole messages");
            let length = match head[1] & 0x7f {
                126 => u16::from_be_bytes(self.take(2).await.try_into().expect("two bytes")).into(),
                127 => u64::from_be_bytes(self.take(8).await.try_into().expect("eight bytes")) as usize,
                short => usize::from(short),
            };
            let payload = self.take(length).await;
            match head[0] & 0x0f {
                1 => return Frame::Text(serde_json::from_slice(&payload).expect("JSON")),
                8 => return Frame::Close(u16::from_be_bytes([payload[0], payload[1]])),
                9 => self.send(10, &payload).await,
                other => panic!("opcode {other}"),
            }
        }
    }

    /// Returns all events up to a normal close.
    async fn rest(mut self) -> Vec<Value> {
        let mut heard = Vec::new();
        loop {
            match self.hear().await {
                Frame::Text(event) => heard.push(event),
                Frame::Close(code) => {
                    assert_eq!(code, 1000);
                    return heard;
                }
            }
        }
    }
}

#[tokio::test]
async fn socket_delivers_the_same_events_as_text_frames() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    let live = ask_words(&user, &home, 60, 3).await;
    let path = address(&home, &live.id);
    let socket = Socket::open(&user, &path).await;
    let (canonical, heard) = tokio::join!(live.events(), socket.rest());
    assert_eq!(heard, canonical);
    for k in 0..=canonical.len() {
        let heard = Socket::open(&user, &format!("{path}?after={k}")).await.rest().await;
        assert_eq!(heard, canonical[k..], "after {k}");
    }
}

#[tokio::test]
async fn socket_client_can_stop_the_stream() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    let live = ask_words(&user, &home, 5000, 5).await;
    let mut socket = Socket::open(&user, &address(&home, &live.id)).await;
    assert!(matches!(socket.hear().await, Frame::Text(event) if event["seq"] == 1));
    socket.say(json!({"type": "cancel"})).await;
    let (heard, read) = tokio::join!(socket.rest(), live.events());
    assert_eq!(terminal(&heard)["status"], "cancelled");
    assert_eq!(terminal(&heard), terminal(&read));
}

#[tokio::test]
async fn socket_client_can_seek_back_and_forth() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    let live = ask_words(&user, &home, 5000, 5).await;
    let mut socket = Socket::open(&user, &address(&home, &live.id)).await;
    for _ in 0..10 {
        socket.hear().await;
    }
    socket.say(json!({"type": "attach", "after": 2})).await;
    let mut heard = loop {
        match socket.hear().await {
            Frame::Text(event) if event["seq"] == 3 => break vec![event],
            Frame::Text(_) => {}
            closed => panic!("{closed:?}"),
        }
    };
    user.delete(&address(&home, &live.id)).await.ok();
    heard.extend(socket.rest().await);
    without_gap(&heard, 2);
    let read = attach(&user, &home, &live.id, "?after=2").await.events().await;
    assert_eq!(heard, read);
}

#[tokio::test]
async fn socket_reports_unknown_messages() {
    let server = server().await;
    let writer = server.token(&["conversations:read", "conversations:write"]).await;
    let home = conversation(&writer).await;
    let live = ask_words(&writer, &home, 5000, 5).await;
    let path = address(&home, &live.id);
    let reader = server.token(&["conversations:read"]).await;
    let mut socket = Socket::open(&reader, &format!("{path}?after=1000000")).await;
    for (said, code) in [
        (json!({"type": "dance"}), "bad_message"),
        (json!({"type": "attach"}), "bad_message"),
        (json!({"type": "cancel", "now": true}), "bad_message"),
        (json!({"type": "cancel"}), "scope_missing"),
    ] {
        socket.say(said).await;
        let Frame::Text(error) = socket.hear().await else { panic!("closed") };
        assert_eq!((&error["type"], &error["error"]["code"]), (&json!("error"), &json!(code)));
    }
    socket.send(2, b"binary").await;
    assert_eq!(socket.hear().await, Frame::Close(1003));
    let mut socket = Socket::open(&reader, &path).await;
    socket.send(8, &1000u16.to_be_bytes()).await;
    while !matches!(socket.hear().await, Frame::Close(1000)) {}
    writer.delete(&path).await.ok();
    server.anonymous().get(&path).await.problem(401, "credentials_missing");
}

/// Returns the close code with which the server answers these bytes.
async fn closed_for(client: &Client, path: &str, bytes: &[u8]) -> u16 {
    let mut socket = Socket::open(client, path).await;
    socket.raw(bytes).await;
    loop {
        if let Frame::Close(code) = socket.hear().await {
            return code;
        }
    }
}

#[tokio::test]
async fn socket_closes_on_a_frame_that_violates_the_protocol() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    let live = ask_words(&user, &home, 5000, 5).await;
    let path = format!("{}?after=1000000", address(&home, &live.id));
    let gigabyte = [&[0x81, 0xff][..], &(1_u64 << 30).to_be_bytes()].concat();
    let short = |first: u8, text: &[u8]| {
        let mut frame = vec![first, 0x80 | text.len() as u8, 0, 0, 0, 0];
        frame.extend_from_slice(text);
        frame
    };
    // 41 fragments of 100 bytes exceed the 4 KiB limit of a message.
    let fragments = [short(0x01, &[b'x'; 100]), short(0x00, &[b'x'; 100]).repeat(40)].concat();
    for (bytes, code) in [
        (gigabyte, 1009),
        (fragments, 1009),
        ([&[0x81, 0xff][..], &u64::MAX.to_be_bytes()].concat(), 1002),
        (vec![0x81, 0x01, b'x'], 1002),
        (short(0xc1, b"x"), 1002),
        (short(0x83, b"x"), 1002),
        (short(0x80, b"x"), 1002),
        (short(0x09, b"x"), 1002),
        (short(0x88, b"x"), 1002),
        (short(0x81, b"\xff\xfe"), 1007),
        (short(0x82, b"x"), 1003),
        (short(0x02, b"x"), 1003),
    ] {
        assert_eq!(closed_for(&user, &path, &bytes).await, code, "{:?}", &bytes[..bytes.len().min(12)]);
    }
    let mut socket = Socket::open(&user, &path).await;
    let said = br#"{"type":"cancel"}"#;
    socket
        .raw(
            &[short(0x01, &said[..5]), short(0x89, b"?"), short(0x00, b""), short(0x80, &said[5..])].concat(),
        )
        .await;
    // The pong is not one of the messages.
    let mut pong = socket.take(3).await;
    while pong[..2] != [0x8a, 1] {
        let _ = socket.take(usize::from(pong[1]) - 1).await;
        pong = socket.take(3).await;
    }
    while !matches!(socket.hear().await, Frame::Close(1000)) {}
    assert_eq!(terminal(&live.events().await)["status"], "cancelled", "fragments of a message are joined");
}

#[tokio::test]
async fn socket_handshake_requires_version_13_and_a_key_of_16_bytes() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    let live = ask_words(&user, &home, 5000, 5).await;
    let path = address(&home, &live.id);
    for (version, key) in [
        ("8", "dGhlIHNhbXBsZSBub25jZQ=="),
        ("7", "dGhlIHNhbXBsZSBub25jZQ=="),
        ("", "dGhlIHNhbXBsZSBub25jZQ=="),
        ("13", ""),
        ("13", "dGhl"),
        ("13", "no base64 at all"),
    ] {
        let request = user.request(reqwest::Method::GET, &path).header("connection", "Upgrade");
        let request = request.header("upgrade", "websocket").header("sec-websocket-version", version);
        let answer = Client::send(request.header("sec-websocket-key", key)).await;
        answer.problem(400, "bad_request");
        assert_eq!(answer.header("sec-websocket-version"), Some("13"), "{version:?} {key:?}");
    }
    user.delete(&path).await.ok();
}
