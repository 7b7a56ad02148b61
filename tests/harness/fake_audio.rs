//! A provider of speech, transcription and images on a real socket. The name of a model determines its behaviour, correct
//! or faulty.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::sync::Notify;

use super::socket::{Listening, Request, gone, until};

/// The API key that the provider is called with. It must never appear in any output.
pub const KEY: &str = "sk-audio-0123456789abcdef0123456789abcdef";

/// The models, their purpose, and the price of a unit in dollars.
const MODELS: [(&str, &str, f64); 17] = [
    ("plain-voice", "speech", 15.0), // sends the format's name and the text, in pieces
    ("gated-voice", "speech", 15.0), // sends one piece, and the other when the test releases it
    ("endless-voice", "speech", 15.0), // sends pieces without end
    ("broken-voice", "speech", 15.0), // disconnects after a piece
    ("silent-voice", "speech", 15.0), // does not respond
    ("refusing-voice", "speech", 15.0), // 400, with the caller's key in the message
    ("limited-voice", "speech", 15.0), // 429
    ("plain-ear", "transcription", 0.006), // returns segments
    ("simple-ear", "transcription", 0.006), // refuses to return more than the text
    ("counting-ear", "transcription", 0.006), // returns the text and tokens
    ("silent-ear", "transcription", 0.006),
    ("refusing-ear", "transcription", 0.006),
    ("rubbish-ear", "transcription", 0.006), // sends invalid JSON
    ("plain-brush", "image", 0.04),          // returns a red image
    ("silent-brush", "image", 0.04),
    ("refusing-brush", "image", 0.04),
    ("rubbish-brush", "image", 0.04), // returns data that is not an image
];

/// A running provider. It stops when this is dropped.
pub struct FakeAudio {
    seen: Arc<Recording>,
    listening: Listening,
}

#[derive(Default)]
struct Recording {
    /// The bodies of the requests so far. For a form: its text fields, and the length of the file.
    requests: Mutex<Vec<Value>>,
    open: AtomicUsize,
    gate: Notify,
}

impl FakeAudio {
    /// Starts a provider on a free port.
    pub async fn start() -> Self {
        let seen = Arc::new(Recording::default());
        let listening = Listening::start(&seen, serve).await;
        Self { seen, listening }
    }

    /// Provider settings for a server, under the name `fake`, with the models for these purposes.
    pub fn config(&self, purposes: &[&str]) -> providers::ProviderConfig {
        let models = MODELS.iter().filter(|(_, purpose, _)| purposes.contains(purpose));
        let models: Vec<Value> = models
            .map(|(id, purpose, price)| json!({"id": id, "tags": [purpose], "unit_price": price}))
            .collect();
        serde_json::from_value(json!({
            "name": "fake", "base_url": self.listening.url("/v1"), "api_key": KEY, "retries": 0, "models": models,
        }))
        .expect("a configuration")
    }

    /// Like `config`, with short timeouts, for models that do not respond. Models that do respond may exceed the timeouts
    /// as well if the machine is busy.
    pub fn impatient(&self, purposes: &[&str]) -> providers::ProviderConfig {
        let timeouts = json!({"first_byte_s": 1.5, "idle_s": 1.5, "connect_s": 10.0});
        let timeouts = serde_json::from_value(timeouts).expect("time-outs");
        providers::ProviderConfig { timeouts, ..self.config(purposes) }
    }

    /// The bodies of the requests so far.
    pub fn requests(&self) -> Vec<Value> {
        self.seen.requests.lock().clone()
    }

    /// Lets a response that is held continue.
    pub fn open_gate(&self) {
        self.seen.gate.notify_one();
    }

    /// Waits until no response is in progress.
    pub async fn idle(&self) {
        let open = || self.seen.open.load(Ordering::SeqCst);
        until("no answer of the provider is open", async || open() == 0).await;
    }
}

/// One request per connection, announced in the response. Otherwise a client might send its next request on a connection
/// that is being closed.
async fn serve(mut socket: TcpStream, seen: Arc<Recording>) {
    let Some(request) = Request::read(&mut socket).await else { return };
    let kind = request.headers.get("content-type").map(String::as_str).unwrap_or_default();
    let request = match kind.starts_with("multipart/form-data") {
        true => form(&request.body),
        false => request.json(),
    };
    seen.requests.lock().push(request.clone());
    seen.open.fetch_add(1, Ordering::SeqCst);
    let (mut from, mut to) = socket.split();
    tokio::select! {
        _ = answer(&mut to, &request, &seen) => {}
        () = gone(&mut from) => {}
    }
    seen.open.fetch_sub(1, Ordering::SeqCst);
}

type To<'s> = tokio::net::tcp::WriteHalf<'s>;

async fn answer(to: &mut To<'_>, request: &Value, seen: &Recording) -> std::io::Result<()> {
    let model = request["model"].as_str().unwrap_or_default();
    let words = |text: &str| json!({"error": {"message": text}}).to_string();
    let (manner, purpose) = model.split_once('-').unwrap_or_default();
    match manner {
        "silent" => std::future::pending().await,
        "refusing" => return plain(to, "400 Bad Request", &words(&format!("not with {KEY}"))).await,
        "limited" => return plain(to, "429 Too Many Requests", &words("slower")).await,
        "rubbish" if purpose == "ear" => return plain(to, "200 OK", "<<>>").await,
        _ => {}
    }
    match purpose {
        "voice" => speak(to, manner, request, seen).await,
        "ear" => listen(to, manner, request).await,
        _ => {
            let picture = if manner == "plain" { red() } else { "bm8gcGljdHVyZQ==".to_owned() };
            plain(to, "200 OK", &json!({"data": [{"b64_json": picture}]}).to_string()).await
        }
    }
}

async fn speak(to: &mut To<'_>, manner: &str, request: &Value, seen: &Recording) -> std::io::Result<()> {
    to.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: audio/any\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n").await?;
    let text = |name: &str| request[name].as_str().unwrap_or_default().to_owned();
    piece(to, &format!("{}:", text("response_format"))).await?;
    match manner {
        "gated" => seen.gate.notified().await,
        "broken" => return to.shutdown().await,
        "endless" => loop {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
            piece(to, "sound").await?;
        },
        _ => {}
    }
    piece(to, &text("input")).await?;
    to.write_all(b"0\r\n\r\n").await
}

async fn piece(to: &mut To<'_>, text: &str) -> std::io::Result<()> {
    to.write_all(format!("{:x}\r\n{text}\r\n", text.len()).as_bytes()).await?;
    to.flush().await
}

async fn listen(to: &mut To<'_>, manner: &str, request: &Value) -> std::io::Result<()> {
    let verbose = request["response_format"] == "verbose_json";
    let told = match manner {
        "simple" if verbose => {
            let why = json!({"error": {"message": "response_format verbose_json is not supported"}});
            return plain(to, "400 Bad Request", &why.to_string()).await;
        }
        "counting" => {
            json!({"text": "High tide.", "usage": {"type": "tokens", "input_tokens": 14, "output_tokens": 3, "total_tokens": 17}})
        }
        "plain" if verbose => {
            json!({"task": "transcribe", "text": "High tide. Low tide.", "language": "english", "duration": 90.5,
            "segments": [{"id": 0, "start": 0.5, "end": 2.0, "text": " High tide."}, {"id": 1, "start": 60.0, "end": 61.25, "text": " Low tide."}]})
        }
        _ => json!({"text": "High tide."}),
    };
    plain(to, "200 OK", &told.to_string()).await
}

fn red() -> String {
    use base64::Engine;
    let picture = image::RgbImage::from_pixel(32, 32, image::Rgb([200, 0, 0]));
    let mut bytes = std::io::Cursor::new(Vec::new());
    picture.write_to(&mut bytes, image::ImageFormat::Png).expect("a picture");
    base64::prelude::BASE64_STANDARD.encode(bytes.into_inner())
}

async fn plain(to: &mut To<'_>, status: &str, body: &str) -> std::io::Result<()> {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n"
    );
    to.write_all(format!("{head}{body}").as_bytes()).await
}

/// Parses the fields of a form.
fn form(body: &[u8]) -> Value {
    let text = String::from_utf8_lossy(body);
    let boundary = text.lines().next().unwrap_or_default().trim_end().to_owned();
    let mut fields = json!({});
    for part in text.split(boundary.as_str()) {
        let Some((head, content)) = part.split_once("\r\n\r\n") else { continue };
        let name = head.split("name=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default();
        let content = content.strip_suffix("\r\n").unwrap_or(content);
        fields[name] = match head.contains("filename=\"") {
            true => json!(head.split("filename=\"").nth(1).and_then(|rest| rest.split('"').next())),
            false => json!(content),
        };
    }
    fields
}
