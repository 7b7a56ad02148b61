//! The server under test: the real binary, as anyone would start it, in a process and on a folder of
//! its own.

mod http;
mod process;

use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::net::TcpStream;

pub use http::{Answer, connect, exchange, find, request};
pub use process::{Process, micros, own_cpu, raise_open_files};

pub type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const EMAIL: &str = "bench@example.com";
const PASSWORD: &str = "a-long-password-for-a-bench";

/// The binary under test: the one of this build, or the one that `UNDERSTUDY_BIN` names, to compare two.
fn binary() -> PathBuf {
    std::env::var_os("UNDERSTUDY_BIN").map_or_else(|| env!("CARGO_BIN_EXE_understudy").into(), PathBuf::from)
}

/// The settings that differ from the defaults in all benchmarks: limits that would refuse a load as
/// heavy as theirs, and a log that keeps to warnings.
const SETTINGS: &str = r#"
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
"#;

pub struct Server {
    pub process: Process,
    pub address: SocketAddr,
    pub authorization: String,
    folder: tempfile::TempDir,
}

impl Server {
    /// Starts the binary on an empty folder, with these settings beside the common ones, and makes an
    /// API token, the credential of all loads.
    pub async fn start(settings: &str) -> Outcome<Server> {
        let folder = tempfile::tempdir()?;
        std::fs::write(folder.path().join("bench.toml"), format!("{SETTINGS}{settings}"))?;
        let (process, address) = launch(folder.path().to_owned()).await?;
        let mut server = Server { process, address, authorization: String::new(), folder };
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

    /// Stops the process, runs `work` on its data folder, and starts it again.
    pub async fn between(&mut self, work: impl AsyncFnOnce(PathBuf) -> Outcome<()>) -> Outcome<Duration> {
        self.process.stop();
        work(self.folder.path().join("data")).await?;
        self.again().await
    }

    async fn again(&mut self) -> Outcome<Duration> {
        let began = Instant::now();
        (self.process, self.address) = launch(self.folder.path().to_owned()).await?;
        Ok(began.elapsed())
    }

    /// One call with a JSON body, or none for null, and a JSON answer, null if there is none; anything
    /// but success is a fault.
    pub async fn call(&self, method: &str, path: &str, body: &Value) -> Outcome<Value> {
        let mut connection = connect(self.address).await?;
        self.call_on(&mut connection, method, path, body).await
    }

    /// The same on a connection that is open.
    pub async fn call_on(
        &self,
        connection: &mut TcpStream,
        method: &str,
        path: &str,
        body: &Value,
    ) -> Outcome<Value> {
        let headers = [("content-type", "application/json"), ("authorization", self.authorization.as_str())];
        let headers = if self.authorization.is_empty() { &headers[..1] } else { &headers[..] };
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let (status, answer) = exchange(connection, &request(method, path, headers, body.as_bytes())).await?;
        match status {
            204 => Ok(Value::Null),
            200..300 => Ok(serde_json::from_slice(&answer)?),
            _ => Err(format!("{method} {path}: {status} {}", String::from_utf8_lossy(&answer)).into()),
        }
    }
}

/// Starts the binary on a free port and waits until it says that it is ready.
async fn launch(folder: PathBuf) -> Outcome<(Process, SocketAddr)> {
    let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
    let mut command = Command::new(binary());
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

/// A figure for a table, with its thousands apart.
pub fn number(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    let (whole, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut grouped = String::new();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped + fraction
}
