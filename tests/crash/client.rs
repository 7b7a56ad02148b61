//! The clients: they start completions, attach, attach again at an offset, and cancel. They record
//! every event that they receive in the ledger until the connection breaks.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use parking_lot::Mutex;
use rand::Rng;
use rand::rngs::StdRng;
use reqwest::{RequestBuilder, Response};
use serde_json::{Value, json};
use tokio::time::sleep;
use uuid::Uuid;

use super::ledger::{Ledger, Recovery};
use super::server::{EMAIL, PASSWORD, Server};

/// The planned actions of one client.
#[derive(Clone, Debug)]
pub struct Play {
    recovery: Recovery,
    /// Words of the response, and milliseconds between them.
    length: u32,
    pace_ms: u32,
    /// A second client attaches after this many milliseconds, at an offset within the events received so far.
    attach_ms: Option<u64>,
    /// Another client cancels after this many milliseconds.
    cancel_ms: Option<u64>,
    offset: f64,
    key: Uuid,
    /// Whether this repeats a request that a crash left without a response.
    again: bool,
}

impl Play {
    pub fn roll(dice: &mut StdRng) -> Play {
        Play {
            recovery: Recovery::ALL[dice.random_range(0..3)],
            length: dice.random_range(1..200),
            pace_ms: dice.random_range(0..12),
            attach_ms: dice.random_ratio(1, 2).then(|| dice.random_range(0..300)),
            cancel_ms: dice.random_ratio(1, 6).then(|| dice.random_range(0..300)),
            offset: dice.random(),
            key: Uuid::from_u128(dice.random()),
            again: false,
        }
    }
}

/// A completion request that received no response before the server died.
type Unanswered = (String, Play);

#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    url: Arc<Mutex<String>>,
    authorization: String,
    ledger: Arc<Ledger>,
    unanswered: Arc<Mutex<Vec<Unanswered>>>,
}

impl Client {
    /// Logs in and creates an API token, which outlives the killed processes.
    pub async fn new(server: &Server, ledger: Arc<Ledger>) -> Client {
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        let url = Arc::new(Mutex::new(server.url.clone()));
        let unanswered = Arc::default();
        let mut client = Client { http, url, authorization: String::new(), ledger, unanswered };
        let login = client.post("/api/auth/login/").json(&json!({"email": EMAIL, "password": PASSWORD}));
        let login = body(login.send().await.unwrap()).await;
        client.authorization = format!("Bearer {}", login["access_token"].as_str().unwrap());
        let made = client.post("/api/auth/api-tokens").json(&json!({"name": "crash test"}));
        let made = body(made.send().await.unwrap()).await;
        let secret = made
            .as_object()
            .unwrap()
            .values()
            .find_map(|value| value.as_str().filter(|text| text.starts_with("und_") && text.len() > 40));
        client.authorization = format!("Bearer {}", secret.unwrap_or_else(|| panic!("no token in {made}")));
        client
    }

    /// Follows the server to its new port.
    pub fn moved(&self, server: &Server) {
        *self.url.lock() = server.url.clone();
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.url.lock())
    }

    pub fn get(&self, path: &str) -> RequestBuilder {
        self.http.get(self.url(path)).header("authorization", &self.authorization)
    }

    pub fn post(&self, path: &str) -> RequestBuilder {
        self.http.post(self.url(path)).header("authorization", &self.authorization)
    }

    pub fn delete(&self, path: &str) -> RequestBuilder {
        self.http.delete(self.url(path)).header("authorization", &self.authorization)
    }

    /// Starts a completion in a new conversation and reads it, accompanied by the other clients of
    /// the play.
    pub async fn play(self, play: Play) {
        let Ok(made) = self.post("/api/conversations").json(&json!({})).send().await else {
            return;
        };
        // A connection that breaks at any point is a crash. The next connection shows what was kept.
        let Ok(made) = made.json::<Value>().await else {
            return;
        };
        let conversation = made["id"].as_str().unwrap_or_default().to_owned();
        let Some((run, stream)) = self.start(&conversation, &play).await else {
            return self.unanswered.lock().push((conversation, play));
        };
        let second = async {
            let Some(wait) = play.attach_ms else { return };
            sleep(Duration::from_millis(wait)).await;
            let shown = self.ledger.run(&run).events.len() as f64;
            self.clone().follow(run.clone(), (shown * play.offset) as u64).await;
        };
        let cancel = async {
            let Some(wait) = play.cancel_ms else { return };
            sleep(Duration::from_millis(wait)).await;
            self.cancel(&conversation, &run).await;
        };
        tokio::join!(self.read(&run, 0, stream), second, cancel);
    }

    /// Requests a completion; `None` if the server died before it responded.
    async fn start(&self, conversation: &str, play: &Play) -> Option<(String, Response)> {
        let parameters = json!({"length": play.length, "pace_ms": play.pace_ms}).to_string();
        let fields = [
            ("message", "Tell me of the sea, of ships, and of those who wait ashore."),
            ("model", "builtin/scribe"),
            ("parameters", parameters.as_str()),
            ("recovery", play.recovery.name()),
            ("wire", "events"),
        ];
        let boundary = "a-boundary-of-the-crash-test";
        let mut form = String::new();
        for (name, value) in fields {
            form += &format!(
                "--{boundary}\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"
            );
        }
        form += &format!("--{boundary}--\r\n");
        let request = self.post(&format!("/api/conversations/{conversation}/completion"));
        let request = request.header("content-type", format!("multipart/form-data; boundary={boundary}"));
        let answer = request.header("idempotency-key", play.key.to_string()).body(form).send().await.ok()?;
        let Some(run) =
            answer.headers().get("x-stream-id").and_then(|id| id.to_str().ok()).map(str::to_owned)
        else {
            let status = answer.status();
            if let Ok(text) = answer.text().await {
                self.ledger.fault(format!("a completion was answered {status} {text}"));
            }
            return None;
        };
        let crashes = u32::from(play.again);
        self.ledger.open(&run, conversation, play.recovery, crashes);
        Some((run, answer))
    }

    /// Repeats, with the same key, the requests that the crash left without a response. Whether or
    /// not the run had started before, it exists now, and another repetition returns the same run.
    pub async fn repeat_unanswered(&self) {
        let unanswered = std::mem::take(&mut *self.unanswered.lock());
        for (conversation, play) in unanswered {
            let play = Play { again: true, ..play };
            let Some((first, _)) = self.start(&conversation, &play).await else {
                continue;
            };
            let Some((second, _)) = self.start(&conversation, &play).await else {
                continue;
            };
            if first != second {
                self.ledger.fault(format!("one idempotency key began {first} and {second}"));
            }
        }
    }

    /// Attaches after an offset and reads until the end, or until the connection breaks.
    pub async fn follow(self, run: String, after: u64) {
        let conversation = self.ledger.run(&run).conversation;
        let path = format!("/api/conversations/{conversation}/streams/{run}?after={after}&wire=events");
        let Ok(answer) = self.get(&path).send().await else {
            return;
        };
        let status = answer.status();
        if status == 200 {
            self.read(&run, after, answer).await;
        } else if let Ok(text) = answer.text().await {
            self.ledger.fault(format!("{run}: attach was answered {status} {text}"));
        }
    }

    async fn read(&self, run: &str, after: u64, answer: Response) {
        let (mut pieces, mut gathered, mut last) = (answer.bytes_stream(), Vec::new(), after);
        while let Some(Ok(piece)) = pieces.next().await {
            gathered.extend_from_slice(&piece);
            while let Some(end) = gathered.windows(2).position(|pair| pair == b"\n\n") {
                let event: Vec<u8> = gathered.drain(..end + 2).collect();
                let text = String::from_utf8_lossy(&event);
                let field =
                    |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim_start);
                let (Some(id), Some(data)) = (field("id:"), field("data:")) else {
                    continue;
                };
                let seq = id.parse().unwrap_or(0);
                self.ledger.enter(run, last, seq, data);
                last = seq;
            }
        }
    }

    pub async fn cancel(&self, conversation: &str, run: &str) {
        let path = format!("/api/conversations/{conversation}/streams/{run}");
        let Ok(answer) = self.delete(&path).send().await else {
            return;
        };
        let status = answer.status();
        let Ok(receipt) = answer.json::<Value>().await else {
            return;
        };
        match status.as_u16() {
            200 => self.ledger.ended(run, &receipt["terminal"]),
            202 => {}
            _ => self.ledger.fault(format!("{run}: cancel was answered {status} {receipt}")),
        }
    }
}

async fn body(answer: Response) -> Value {
    let status = answer.status();
    let text = answer.text().await.unwrap();
    assert!(status.is_success(), "{status}: {text}");
    serde_json::from_str(&text).unwrap()
}
