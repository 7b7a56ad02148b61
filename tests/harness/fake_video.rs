//! A provider of videos on a real socket that records submitted jobs and stops where the test requires it.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering};

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Notify;

use super::socket::{Listening, PATIENCE, Request};

/// The API key that the provider is called with. It must never appear in any output.
pub const KEY: &str = "sk-video-0123456789abcdef0123456789abcdef";

/// A running provider of the models `film` and `other`. It stops when this is dropped.
pub struct FakeVideo {
    /// Its base URL, up to and including the version.
    pub base_url: String,
    /// The provider's behaviour and what it has received.
    pub seen: Arc<Recording>,
    _listening: Listening,
}

/// The behaviour of a provider, and what it has received.
pub struct Recording {
    /// The submissions: path and body, in order.
    submissions: Mutex<Vec<(String, String)>>,
    /// The progress of each job in percent.
    jobs: Mutex<HashMap<String, u8>>,
    deleted: Mutex<Vec<String>>,
    /// Statuses, with messages, for the responses to the next submissions.
    refusals: Mutex<Vec<(u16, &'static str)>>,
    /// The next submissions are accepted, and never answered.
    pub mute: AtomicBool,
    /// The next submissions are accepted, and the connection is closed without a response.
    pub hang_up: AtomicBool,
    /// Percentage points by which a job advances with each poll.
    pub step: AtomicU8,
    /// The progress at which jobs stop.
    pub limit: AtomicU8,
    /// Jobs fail, with the provider's key in the error message.
    pub fail: AtomicBool,
    /// Submitted jobs are forgotten.
    pub forgets: AtomicBool,
    /// Downloads return an HTML page in place of a file.
    pub page: AtomicBool,
    /// Polls and downloads return 503 while this is set.
    pub down: AtomicBool,
    /// Downloads stall in the middle while this is set.
    pub half: AtomicBool,
    /// Number of downloads that still break off in the middle.
    pub breaks: AtomicU32,
    /// The number of polls so far.
    pub questions: AtomicU32,
    /// The number of downloads started so far.
    pub fetches: AtomicU32,
    /// The content of the files.
    pub file: Mutex<Vec<u8>>,
    rung: Notify,
}

impl Default for Recording {
    fn default() -> Self {
        // Longer than the buffer of a socket.
        let file = (0..6_000_000u32).map(|at| (at * 7 + at / 251) as u8).collect();
        Self {
            submissions: Mutex::default(),
            jobs: Mutex::default(),
            deleted: Mutex::default(),
            refusals: Mutex::default(),
            mute: AtomicBool::default(),
            hang_up: AtomicBool::default(),
            step: AtomicU8::new(50),
            limit: AtomicU8::new(100),
            fail: AtomicBool::default(),
            forgets: AtomicBool::default(),
            page: AtomicBool::default(),
            down: AtomicBool::default(),
            half: AtomicBool::default(),
            breaks: AtomicU32::default(),
            questions: AtomicU32::default(),
            fetches: AtomicU32::default(),
            file: Mutex::new(file),
            rung: Notify::new(),
        }
    }
}

impl Recording {
    /// Number of submissions.
    pub fn submissions(&self) -> usize {
        self.submissions.lock().len()
    }

    /// Number of submissions whose body contains these words.
    pub fn submitted(&self, words: &str) -> usize {
        self.submissions.lock().iter().filter(|(_, body)| body.contains(words)).count()
    }

    /// The paths and bodies of all submissions.
    pub fn all(&self) -> Vec<(String, String)> {
        self.submissions.lock().clone()
    }

    /// The jobs that were deleted.
    pub fn deleted(&self) -> Vec<String> {
        self.deleted.lock().clone()
    }

    /// Sends these responses to the next submissions, in this order.
    pub fn refuse(&self, with: &[(u16, &'static str)]) {
        *self.refusals.lock() = with.iter().rev().copied().collect();
    }

    /// Waits until a condition on the recorded state is met.
    pub async fn until(&self, holds: impl Fn(&Self) -> bool) {
        let waits = async {
            loop {
                let rung = self.rung.notified();
                if holds(self) {
                    return;
                }
                rung.await;
            }
        };
        tokio::time::timeout(PATIENCE, waits).await.expect("the provider is called");
    }
}

impl FakeVideo {
    /// Starts a provider on a free port.
    pub async fn start() -> Self {
        let seen = Arc::new(Recording::default());
        let listening = Listening::start(&seen, serve).await;
        Self { base_url: listening.url("/v1"), seen, _listening: listening }
    }

    /// Provider settings for a server, under the name `fake`: ten cents per second.
    pub fn config(&self) -> providers::ProviderConfig {
        serde_json::from_value(
            json!({"name": "fake", "base_url": self.base_url, "api_key": KEY, "retries": 0,
            "models": [{"id": "film", "tags": ["video"], "unit_price": 0.1},
                {"id": "other", "tags": ["video"], "unit_price": 0.1}]}),
        )
        .expect("a configuration")
    }

    /// The same settings as part of a configuration file, under the name `fake`.
    pub fn toml(&self) -> String {
        format!(
            "[[providers]]\nname = \"fake\"\nbase_url = \"{}\"\napi_key = \"{KEY}\"\nretries = 0\n\
             [[providers.models]]\nid = \"film\"\ntags = [\"video\"]\nunit_price = 0.1\n",
            self.base_url
        )
    }
}

async fn serve(mut socket: TcpStream, seen: Arc<Recording>) {
    while let Some(request) = Request::read(&mut socket).await {
        let done = answer(&mut socket, &request, &seen).await;
        seen.rung.notify_waiters();
        if done.is_none() {
            return;
        }
    }
}

/// Sends a response. Returns `None` if the connection is to be closed.
async fn answer(socket: &mut TcpStream, request: &Request, seen: &Recording) -> Option<()> {
    let parts: Vec<&str> = request.target.trim_start_matches("/v1/").split('/').collect();
    match (request.method.as_str(), &parts[..]) {
        ("POST", ["videos"] | ["videos", "extensions"] | ["videos", _, "remix"]) => {
            submit(socket, request, seen).await
        }
        ("GET", ["videos", _]) | ("GET", ["videos", _, "content"]) if seen.down.load(Ordering::SeqCst) => {
            seen.questions.fetch_add(1, Ordering::SeqCst);
            json_answer(socket, 503, json!({"error": {"message": "down for a while"}})).await
        }
        ("GET", ["videos", id]) => {
            seen.questions.fetch_add(1, Ordering::SeqCst);
            let told = if seen.forgets.load(Ordering::SeqCst) { Value::Null } else { status(id, seen) };
            json_answer(socket, if told.is_null() { 404 } else { 200 }, told).await
        }
        ("GET", ["videos", _, "content"]) => content(socket, seen).await,
        ("DELETE", ["videos", id]) => {
            seen.deleted.lock().push((*id).to_owned());
            json_answer(socket, 200, json!({"id": id, "deleted": true})).await
        }
        _ => json_answer(socket, 404, json!({"error": {"message": "no such path"}})).await,
    }
}

async fn submit(socket: &mut TcpStream, request: &Request, seen: &Recording) -> Option<()> {
    let refusal = seen.refusals.lock().pop();
    if let Some((status, words)) = refusal {
        return json_answer(socket, status, json!({"error": {"message": words}})).await;
    }
    let id = {
        let mut submissions = seen.submissions.lock();
        submissions.push((request.target.clone(), String::from_utf8_lossy(&request.body).into_owned()));
        format!("video_{}", submissions.len())
    };
    seen.jobs.lock().insert(id.clone(), 0);
    seen.rung.notify_waiters();
    if seen.hang_up.load(Ordering::SeqCst) {
        return None;
    }
    if seen.mute.load(Ordering::SeqCst) {
        // Wait until the peer disconnects.
        while socket.read_u8().await.is_ok() {}
        return None;
    }
    json_answer(socket, 200, json!({"id": id, "object": "video", "status": "queued", "progress": 0})).await
}

fn status(id: &str, seen: &Recording) -> Value {
    let mut jobs = seen.jobs.lock();
    let Some(percent) = jobs.get_mut(id) else { return Value::Null };
    let step = seen.step.load(Ordering::SeqCst);
    *percent = percent.saturating_add(step).min(seen.limit.load(Ordering::SeqCst)).min(100);
    if seen.fail.load(Ordering::SeqCst) {
        let error = json!({"code": "moderation_blocked", "message": format!("not with {KEY}")});
        return json!({"id": id, "status": "failed", "progress": percent, "error": error});
    }
    let status = match *percent {
        0 => "queued",
        100 => "completed",
        _ => "in_progress",
    };
    json!({"id": id, "object": "video", "status": status, "progress": percent})
}

async fn content(socket: &mut TcpStream, seen: &Recording) -> Option<()> {
    let file = seen.file.lock().clone();
    let kind = if seen.page.load(Ordering::SeqCst) { "text/html" } else { "video/mp4" };
    let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n", file.len());
    let half = seen.half.load(Ordering::SeqCst);
    let breaks =
        seen.breaks.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok();
    let sent = if half || breaks { &file[..file.len() / 2] } else { &file[..] };
    seen.fetches.fetch_add(1, Ordering::SeqCst);
    seen.rung.notify_waiters();
    socket.write_all(head.as_bytes()).await.ok()?;
    socket.write_all(sent).await.ok()?;
    if breaks {
        return None;
    }
    if half {
        while socket.read_u8().await.is_ok() {}
        return None;
    }
    Some(())
}

async fn json_answer(socket: &mut TcpStream, status: u16, body: Value) -> Option<()> {
    let body = body.to_string();
    let head = format!(
        "HTTP/1.1 {status} Said\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    socket.write_all(head.as_bytes()).await.ok()?;
    socket.write_all(body.as_bytes()).await.ok()
}
