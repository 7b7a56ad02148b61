//! Endless input, sent to the real binary: whatever is announced or sent, the server keeps a bounded amount of it in memory,
//! and continues to serve others.
//!
//! Each case runs against a child process, whose resident memory is read from `/proc`.

mod answers;
mod cases;
mod conversation;
mod peer;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use crate::crash::server::{EMAIL, PASSWORD, Server};
use cases::{Case, Target};
use peer::send_endlessly;

/// Limit for the growth of the server's memory, at any moment of a case.
const GROWTH: u64 = 64 << 20;
/// Number of bytes that a case sends if the server never disconnects. A reader that stores everything it receives exceeds the
/// limit.
const SENT: u64 = 160 << 20;

/// Measures the memory of a process without the mapped part of its files, which changes with what has run recently. A thread
/// polls it continuously.
struct MemoryWatch {
    before: u64,
    has_ended: Arc<AtomicBool>,
    watch: std::thread::JoinHandle<u64>,
}

impl MemoryWatch {
    fn begin(pid: u32) -> Self {
        let has_ended = Arc::new(AtomicBool::new(false));
        let ended = has_ended.clone();
        let before = anonymous(pid);
        let watch = std::thread::spawn(move || {
            let mut most = 0;
            while !ended.load(Ordering::Acquire) {
                most = most.max(anonymous(pid));
                std::thread::sleep(Duration::from_millis(2));
            }
            most.max(anonymous(pid))
        });
        Self { before, has_ended, watch }
    }

    /// The largest growth so far, in bytes.
    fn growth(self) -> u64 {
        self.has_ended.store(true, Ordering::Release);
        self.watch.join().expect("no panic").saturating_sub(self.before)
    }
}

fn anonymous(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("the server lives");
    let kib = status.lines().find_map(|found| found.strip_prefix("RssAnon:")).expect("Linux reports it");
    kib.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") << 10
}

async fn body(request: reqwest::RequestBuilder) -> Value {
    let answer = request.send().await.expect("an answer");
    assert!(answer.status().is_success(), "{}: {:?}", answer.status(), answer.text().await);
    answer.json().await.expect("JSON")
}

/// A token, a conversation, and a live stream in the conversation.
async fn target(server: &Server, http: &reqwest::Client) -> Target {
    let login = json!({"email": EMAIL, "password": PASSWORD});
    let login = body(http.post(format!("{}/api/auth/login/", server.url)).json(&login)).await;
    let token = login["access_token"].as_str().expect("a token").to_owned();
    let post = |path: String, what: Value| {
        http.post(format!("{}{path}", server.url)).bearer_auth(&token).json(&what)
    };
    let made = body(post("/api/conversations".into(), json!({"title": "endless"}))).await;
    let conversation = made["id"].as_str().expect("an id").to_owned();
    let asked = json!({
        "message": "Go on.", "model": "builtin/scribe", "parameters": {"length": 100_000, "pace_ms": 50},
    });
    let asked = post(format!("/api/conversations/{conversation}/completion"), asked).send().await;
    let asked = asked.expect("an answer");
    assert_eq!(asked.status(), 200, "{:?}", asked.text().await);
    let stream = asked.headers()["x-stream-id"].to_str().expect("an id").to_owned();
    // The stream continues without a reader.
    drop(asked);
    let host = server.url.strip_prefix("http://").expect("http").to_owned();
    Target { host, token, conversation, stream }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn endless_input_uses_bounded_memory() {
    // The TLS provider of the workspace, which is selected once per process; this test uses plain HTTP only.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let server = Server::install().await;
    let http = reqwest::Client::builder().no_proxy().build().expect("a client");
    let target = target(&server, &http).await;
    let pid = server.pid().expect("it runs");
    let mut exceeded = Vec::new();
    for Case { name, begin, repeat, want } in cases::all(&target) {
        let memory = MemoryWatch::begin(pid);
        let host = target.host.clone();
        let sending = tokio::task::spawn_blocking(move || send_endlessly(&host, &begin, &repeat, SENT));
        let ended = sending.await.expect("no panic");
        let grown = memory.growth();
        println!("{name}: {} bytes taken, {grown} bytes grown, {:?}", ended.sent, ended.status());
        if grown > GROWTH {
            exceeded.push(format!("{name}: grew by {grown} bytes for {} sent", ended.sent));
        }
        if let (Some(want), Some(status)) = (want, ended.status()) {
            assert!(want.contains(&status), "{name}: {status}\n{}", ended.text());
        }
        let alive = http.get(format!("{}/api/users/me", server.url)).bearer_auth(&target.token);
        assert_eq!(alive.send().await.expect("an answer").status(), 200, "after {name}");
    }
    assert_eq!(exceeded, Vec::<String>::new());
}
