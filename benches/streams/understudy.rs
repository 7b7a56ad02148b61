//! The server under test: the real binary, as anyone would start it, before the fake provider.

use std::cell::{Cell, RefCell};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::rc::Rc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::net::TcpStream;

use crate::load::{Tally, Until, ask, connect};
use crate::process::Process;
use crate::target::Target;
use crate::wire::{exchange, request};
use crate::{Ask, Outcome};

const EMAIL: &str = "bench@example.com";
const PASSWORD: &str = "a-long-password-for-a-bench";

pub struct Understudy {
    pub process: Process,
    pub address: SocketAddr,
    folder: tempfile::TempDir,
    authorization: String,
    wire: String,
}

/// The settings that differ from the defaults: limits that would refuse a load as heavy as this, a
/// log that keeps to warnings, and the provider.
fn configuration(provider: SocketAddr) -> String {
    format!(
        r#"
[limits]
credential_per_second = 1000000
credential_burst = 1000000

[runs]
per_tenant = 20000
per_user = 20000

[log]
level = "warn"

[models]
probe_local = false

[[providers]]
name = "fake"
kind = "openai"
base_url = "http://{provider}/v1"
models = ["bench"]
timeouts = {{ first_byte_s = 600, idle_s = 600 }}
"#
    )
}

impl Understudy {
    /// Starts the binary on an empty folder and makes an API token, the credential of all loads.
    pub async fn start(provider: SocketAddr, wire: &str) -> Outcome<Understudy> {
        let folder = tempfile::tempdir()?;
        std::fs::write(folder.path().join("bench.toml"), configuration(provider))?;
        let (process, address) = launch(folder.path().to_owned()).await?;
        let mut server =
            Understudy { process, address, folder, authorization: String::new(), wire: wire.to_owned() };
        let login = json!({"email": EMAIL, "password": PASSWORD});
        let answer = server.call("POST", "/api/auth/login/", &login).await?;
        server.authorization = format!("Bearer {}", answer["access_token"].as_str().unwrap_or_default());
        let answer = server.call("POST", "/api/auth/api-tokens", &json!({"name": "bench"})).await?;
        let secret = find_token(&answer).ok_or_else(|| format!("no token in {answer}"))?;
        server.authorization = format!("Bearer {secret}");
        Ok(server)
    }

    /// Kills the process without warning and starts it again on the same folder; answers the time
    /// from the start of the process until it serves.
    pub async fn crash(&mut self) -> Outcome<Duration> {
        self.process.kill();
        self.again().await
    }

    /// Stops the process as a service manager does, and starts it again.
    pub async fn restart(&mut self) -> Outcome<Duration> {
        self.process.stop();
        self.again().await
    }

    async fn again(&mut self) -> Outcome<Duration> {
        let began = Instant::now();
        (self.process, self.address) = launch(self.folder.path().to_owned()).await?;
        Ok(began.elapsed())
    }

    /// One call with a JSON body and a JSON answer; anything but success is a fault.
    pub async fn call(&self, method: &str, path: &str, body: &Value) -> Outcome<Value> {
        let mut connection = connect(self.address).await?;
        self.call_on(&mut connection, method, path, body).await
    }

    async fn call_on(
        &self,
        connection: &mut TcpStream,
        method: &str,
        path: &str,
        body: &Value,
    ) -> Outcome<Value> {
        let headers = [("content-type", "application/json"), ("authorization", self.authorization.as_str())];
        let headers = if self.authorization.is_empty() { &headers[..1] } else { &headers[..] };
        let (status, answer) =
            exchange(connection, &request(method, path, headers, body.to_string().as_bytes())).await?;
        if status / 100 != 2 {
            return Err(format!("{method} {path}: {status} {}", String::from_utf8_lossy(&answer)).into());
        }
        Ok(serde_json::from_slice(&answer)?)
    }

    /// Makes conversations, before any clock runs.
    pub async fn conversations(&self, count: usize) -> Outcome<Vec<String>> {
        let (made, left) = (RefCell::new(Vec::with_capacity(count)), Cell::new(count));
        let makers = (0..count.min(32)).map(|_| async {
            let mut connection = connect(self.address).await?;
            while left.get() > 0 {
                left.set(left.get() - 1);
                let answer = self.call_on(&mut connection, "POST", "/api/conversations", &json!({})).await?;
                made.borrow_mut().push(answer["id"].as_str().unwrap_or_default().to_owned());
            }
            Outcome::Ok(())
        });
        futures::future::try_join_all(makers).await?;
        Ok(made.into_inner())
    }

    /// A target with that many fresh conversations.
    pub async fn target(&self, conversations: usize) -> Outcome<Rc<Target>> {
        let made = self.conversations(conversations).await?;
        Ok(Rc::new(Target::understudy(self.address, self.authorization.clone(), &self.wire, made)))
    }

    /// The request that attaches to a conversation's stream from its first event.
    pub fn attach(&self, conversation: &str, stream: &str) -> Vec<u8> {
        let path = format!("/api/conversations/{conversation}/streams/{stream}?after=0&wire={}", self.wire);
        request("GET", &path, &[("authorization", &self.authorization)], &[])
    }

    /// Starts one completion, reads it up to the provider's mark and leaves; answers the request
    /// that attaches to it.
    pub async fn stalled(&self, conversation: &str, asked: &Ask, tally: &Tally) -> Outcome<Vec<u8>> {
        let path = format!("/api/conversations/{conversation}/completion");
        let form = crate::target::form(&path, &self.authorization, &self.wire, asked);
        let mut connection = connect(self.address).await?;
        ask(&mut connection, &form, Until::Mark, tally).await?;
        let path = format!("/api/conversations/{conversation}/streams/active");
        let active = self.call("GET", &path, &json!({})).await?;
        let stream = active["stream_id"].as_str().ok_or_else(|| format!("no stream in {active}"))?;
        Ok(self.attach(conversation, stream))
    }

    /// Starts as many stalled runs, each in a conversation of its own; answers what attaches to each.
    pub async fn stalled_runs(&self, count: usize, asked: Ask) -> Outcome<Vec<Vec<u8>>> {
        let (tally, mut attaches) = (Tally::default(), Vec::with_capacity(count));
        for batch in self.conversations(count).await?.chunks(100) {
            let started = batch.iter().map(|conversation| self.stalled(conversation, &asked, &tally));
            attaches.extend(futures::future::try_join_all(started).await?);
        }
        Ok(attaches)
    }
}

/// Starts the binary on a free port and waits until it says that it is ready.
async fn launch(folder: PathBuf) -> Outcome<(Process, SocketAddr)> {
    let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_understudy"));
    command.arg("serve").arg("--data").arg(folder.join("data")).arg("--listen").arg(address.to_string());
    command.arg("--config").arg(folder.join("bench.toml")).current_dir(&folder);
    command.env("UNDERSTUDY_ADMIN_EMAIL", EMAIL).env("UNDERSTUDY_ADMIN_PASSWORD", PASSWORD);
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let mut process = Process::spawn(&mut command)?;
    let probe = request("GET", "/readyz", &[], &[]);
    let patience = Instant::now() + Duration::from_secs(30);
    while Instant::now() < patience && !process.ended() {
        if let Ok(mut connection) = connect(address).await
            && let Ok((200, _)) = exchange(&mut connection, &probe).await
        {
            return Ok((process, address));
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    Err("the server did not become ready within 30 s".into())
}

/// The secret of a new API token, wherever the answer holds it.
fn find_token(answer: &Value) -> Option<String> {
    match answer {
        Value::String(text) => text.starts_with("und_").then(|| text.clone()).filter(|text| text.len() > 40),
        Value::Object(fields) => fields.values().find_map(find_token),
        _ => None,
    }
}
