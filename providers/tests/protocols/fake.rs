//! A fake HTTP/1.1 server that can stall, close the connection or send invalid data at any byte.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::StreamExt;
use providers::{
    ChatDelta, ChatMessage, ChatRequest, Model, ModelConfig, Models, ProviderConfig, ProviderError,
    ProvidersConfig, Role, ScribeUse,
};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

/// The key that the tests use; it must not appear in any output.
pub const KEY: &str = "hunter2-very-secret";

/// A timeout that only a hanging test reaches.
pub const LONG: Duration = Duration::from_secs(30);

/// A step of the server's script for a request.
#[derive(Clone, Debug)]
pub enum Step {
    /// Sends these bytes at once.
    Send(Vec<u8>),
    /// Sends these bytes one by one.
    Dribble(Vec<u8>),
    /// Sends these bytes repeatedly until the client closes the connection, and reports that.
    Torrent(Vec<u8>),
    /// Waits until the client closes the connection, and reports that.
    AwaitClose,
    /// Closes the connection.
    Close,
    /// Resets the connection.
    Reset,
}

/// A request as received.
#[derive(Debug)]
pub struct Received {
    pub head: String,
    pub body: Vec<u8>,
}

impl Received {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

pub struct Fake {
    pub addr: SocketAddr,
    pub connections: Arc<AtomicUsize>,
    received: mpsc::UnboundedReceiver<Received>,
    closed: mpsc::UnboundedReceiver<()>,
}

impl Fake {
    /// Starts a server that answers the nth request (from 0) with `script(n)`.
    pub async fn start(script: impl Fn(usize) -> Vec<Step> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let connections = Arc::new(AtomicUsize::new(0));
        let (told, received) = mpsc::unbounded_channel();
        let (gone, closed) = mpsc::unbounded_channel();
        let (count, script) = (Arc::clone(&connections), Arc::new(script));
        let number = Arc::new(AtomicUsize::new(0));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                stream.set_nodelay(true).unwrap();
                count.fetch_add(1, Ordering::SeqCst);
                let (told, gone) = (told.clone(), gone.clone());
                let (script, number) = (Arc::clone(&script), Arc::clone(&number));
                tokio::spawn(async move {
                    let mut stream = stream;
                    while let Some(request) = receive(&mut stream).await {
                        let _ = told.send(request);
                        let steps = script(number.fetch_add(1, Ordering::SeqCst));
                        if !play(&mut stream, steps, &gone).await {
                            return;
                        }
                    }
                });
            }
        });
        Self { addr, connections, received, closed }
    }

    /// Starts a server that answers every request with the same bytes.
    pub async fn always(answer: impl Into<Vec<u8>>) -> Self {
        let answer = answer.into();
        Self::start(move |_| vec![Step::Send(answer.clone())]).await
    }

    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.addr)
    }

    /// Returns the next request that was received.
    pub async fn request(&mut self) -> Received {
        tokio::time::timeout(LONG, self.received.recv()).await.unwrap().unwrap()
    }

    /// Returns the number of requests that were not read with [`Self::request`].
    pub fn unread(&mut self) -> usize {
        std::iter::from_fn(|| self.received.try_recv().ok()).count()
    }

    /// Waits until a client has closed a connection in [`Step::AwaitClose`] or [`Step::Torrent`].
    pub async fn closed(&mut self) {
        tokio::time::timeout(LONG, self.closed.recv()).await.expect("the client hangs on").unwrap();
    }

    /// Returns the configuration of a provider for this server, without retries.
    pub fn provider(&self) -> ProviderConfig {
        let mut provider = ProviderConfig::openai("fake", self.base_url());
        provider.api_key = Some(KEY.into());
        provider.models = vec![ModelConfig::id("m")];
        provider.retries = 0;
        provider.timeouts.first_byte_s = LONG.as_secs_f64();
        provider.timeouts.idle_s = LONG.as_secs_f64();
        provider
    }

    pub async fn model(&self) -> Arc<Model> {
        model(self.provider()).await
    }

    /// Sends a request and collects the whole response, or the deltas before an error.
    pub async fn ask(&self) -> (Vec<ChatDelta>, Option<ProviderError>) {
        collect(&self.model().await).await
    }

    /// Sends a request and returns its error.
    pub async fn fault(&self) -> ProviderError {
        self.ask().await.1.expect("an error")
    }
}

pub async fn load(provider: ProviderConfig) -> Arc<Models> {
    let scribe = ScribeUse::On;
    let config = ProvidersConfig {
        providers: vec![provider],
        probe_local: false,
        scribe,
        ..ProvidersConfig::default()
    };
    Models::load(&config).await.unwrap()
}

pub async fn model(provider: ProviderConfig) -> Arc<Model> {
    load(provider).await.find("fake/m").unwrap()
}

pub fn hello() -> ChatRequest {
    ChatRequest {
        model: "m".into(),
        messages: vec![ChatMessage::text(Role::User, "hello")],
        ..ChatRequest::default()
    }
}

pub async fn collect(model: &Arc<Model>) -> (Vec<ChatDelta>, Option<ProviderError>) {
    let answer = async {
        let mut stream = match model.chat.stream(hello()).await {
            Ok(stream) => stream,
            Err(error) => return (Vec::new(), Some(error)),
        };
        let mut deltas = Vec::new();
        while let Some(delta) = stream.next().await {
            match delta {
                Ok(delta) => deltas.push(delta),
                Err(error) => {
                    assert!(stream.next().await.is_none(), "nothing follows an error");
                    return (deltas, Some(error));
                }
            }
        }
        (deltas, None)
    };
    tokio::time::timeout(LONG, answer).await.expect("the answer hangs")
}

/// Returns the text of a response.
pub fn text(deltas: &[ChatDelta]) -> String {
    let texts = deltas.iter().filter_map(|delta| match delta {
        ChatDelta::Text(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

pub const STREAM: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

/// Encodes a chunk of a chunked body.
pub fn chunk(data: &str) -> Vec<u8> {
    format!("{:x}\r\n{data}\r\n", data.len()).into_bytes()
}

/// Returns an event with a piece of text.
pub fn said(text: &str) -> String {
    let text = Value::from(text);
    format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":{text}}}}}]}}\n\n")
}

pub fn finish() -> String {
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n".to_owned()
}

pub const DONE: &str = "data: [DONE]\n\n";

/// Returns the head of a stream and these chunks, without an end.
pub fn begin(pieces: &[String]) -> Vec<u8> {
    let mut all = STREAM.as_bytes().to_vec();
    for piece in pieces {
        all.extend(chunk(piece));
    }
    all
}

/// Returns a complete response with these texts.
pub fn answer(texts: &[&str]) -> Vec<u8> {
    let mut all = begin(&texts.iter().map(|text| said(text)).collect::<Vec<_>>());
    all.extend(chunk(&finish()));
    all.extend(chunk(DONE));
    all.extend(b"0\r\n\r\n");
    all
}

/// Returns a response with a body of known length.
pub fn plain(status: &str, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\n\r\n{body}").into_bytes()
}

pub fn json(status: &str, body: &str) -> Vec<u8> {
    plain(status, "content-type: application/json\r\n", body)
}

async fn receive(stream: &mut TcpStream) -> Option<Received> {
    let (mut all, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        if let Some(end) = all.windows(4).position(|w| w == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&all[..end]).to_lowercase();
            let length = head
                .split("content-length: ")
                .nth(1)
                .map_or(0, |rest| rest.lines().next().unwrap().trim().parse().unwrap());
            let mut body = all.split_off(end + 4);
            while body.len() < length {
                let read = stream.read(&mut buffer).await.ok().filter(|n| *n > 0)?;
                body.extend(&buffer[..read]);
            }
            let head = String::from_utf8_lossy(&all).into_owned();
            return Some(Received { head, body });
        }
        let read = stream.read(&mut buffer).await.ok().filter(|n| *n > 0)?;
        all.extend(&buffer[..read]);
    }
}

/// Plays a script; returns false if the connection has ended.
async fn play(stream: &mut TcpStream, steps: Vec<Step>, gone: &mpsc::UnboundedSender<()>) -> bool {
    for step in steps {
        match step {
            Step::Send(bytes) => {
                if stream.write_all(&bytes).await.is_err() {
                    return false;
                }
            }
            Step::Dribble(bytes) => {
                for byte in bytes {
                    if stream.write_all(&[byte]).await.is_err() {
                        return false;
                    }
                    tokio::task::yield_now().await;
                }
            }
            Step::Torrent(bytes) => {
                while stream.write_all(&bytes).await.is_ok() {
                    tokio::task::yield_now().await;
                }
                let _ = gone.send(());
                return false;
            }
            Step::AwaitClose => {
                let mut buffer = [0; 64];
                while stream.read(&mut buffer).await.is_ok_and(|n| n > 0) {}
                let _ = gone.send(());
                return false;
            }
            Step::Close => return false,
            Step::Reset => {
                stream.set_zero_linger().unwrap();
                return false;
            }
        }
    }
    true
}
