//! The server under test: the real binary, started as a user would start it, in its own process and with its own data folder.

mod http;
mod process;

use std::net::{SocketAddr, TcpListener};
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::net::TcpStream;

pub use http::{Answer, connect, exchange, find, request};
pub use process::{Process, micros, own_cpu, raise_open_files, two_cores};

pub type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const EMAIL: &str = "bench@example.com";
/// A server that takes longer to start has failed.
const READY_WITHIN: Duration = Duration::from_secs(120);
const PASSWORD: &str = "a-long-password-for-a-bench";

/// Path of the release binary: the one named by `UNDERSTUDY_BIN` (to compare two binaries), the one that cargo built along with a
/// benchmark of the server's own package, or one built from this source.
fn binary() -> Outcome<&'static Path> {
    static BINARY: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let named =
        || std::env::var_os("UNDERSTUDY_BIN").or_else(|| std::env::var_os("CARGO_BIN_EXE_understudy"));
    let found = BINARY.get_or_init(|| match named() {
        Some(named) => Ok(named.into()),
        None => build().map_err(|fault| fault.to_string()),
    });
    found.as_deref().map_err(|fault| fault.as_str().into())
}

/// Runs cargo to bring the release binary up to date. The binary is built separately, because a build along with a benchmark would enable
/// other features of the libraries.
fn build() -> Outcome<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let mut command = Command::new(cargo);
    command.args(["build", "--release", "--package", "understudy", "--bin", "understudy"]).current_dir(root);
    // The variables that `cargo bench` sets about this program's package would cause ring, and every crate that uses it, to be built
    // again.
    let is_of_package = |name: &str| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_of_package)) {
        command.env_remove(name);
    }
    if !command.status()?.success() {
        return Err("the server does not build".into());
    }
    // The binary is in the parent folder: this program is in `deps` beside it.
    let folder = std::env::current_exe()?.ancestors().nth(2).map(Path::to_owned);
    Ok(folder.ok_or("this program is not in a target folder")?.join("understudy"))
}

/// The settings that differ from the defaults in all benchmarks: limits that would otherwise refuse such a heavy load, and a log that
/// contains only warnings and errors.
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
    environment: Vec<(String, String)>,
}

impl Server {
    /// Starts the binary on an empty folder, with these settings in addition to the common ones, and creates an API token, the credential
    /// of all loads.
    pub async fn start(settings: &str) -> Outcome<Server> {
        Server::start_with(settings, &[]).await
    }

    /// Like `start`, with environment variables, which can override the common settings.
    pub async fn start_with(settings: &str, environment: &[(&str, &str)]) -> Outcome<Server> {
        let folder = tempfile::tempdir()?;
        std::fs::write(folder.path().join("bench.toml"), format!("{SETTINGS}{settings}"))?;
        let environment = environment.iter().map(|(name, value)| (name.to_string(), value.to_string()));
        let environment: Vec<_> = environment.collect();
        let (process, address) = launch(folder.path(), &environment).await?;
        let mut server = Server { process, address, authorization: String::new(), folder, environment };
        let login = json!({"email": EMAIL, "password": PASSWORD});
        let answer = server.call("POST", "/api/auth/login/", &login).await?;
        server.authorization = format!("Bearer {}", answer["access_token"].as_str().unwrap_or_default());
        let answer = server.call("POST", "/api/auth/api-tokens", &json!({"name": "bench"})).await?;
        let secret = find_token(&answer).ok_or_else(|| format!("no token in {answer}"))?;
        server.authorization = format!("Bearer {secret}");
        Ok(server)
    }

    /// Kills the process without warning and starts it again on the same folder. Returns the time from the start of the process until it
    /// serves.
    pub async fn crash(&mut self) -> Outcome<Duration> {
        self.process.kill();
        self.again().await
    }

    /// Stops the process as a service manager does and starts it again.
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

    /// Bytes that the data folder takes on disk.
    pub fn disk(&self) -> Outcome<u64> {
        let mut command = Command::new("du");
        let output = command.args(["-s", "-B1"]).arg(self.folder.path().join("data")).output()?;
        let text = String::from_utf8(output.stdout)?;
        let bytes = text.split_whitespace().next().and_then(|bytes| bytes.parse().ok());
        Ok(bytes.ok_or("du did not answer")?)
    }

    /// Bytes written to the device of the data folder, by any process, including data that was waiting to be written; `None` if the
    /// folder is not on a block device. The kernel's count for a process (`/proc/<pid>/io`) is many times too high on file systems that
    /// cache files in large pieces: a write of any length counts as a whole piece.
    pub fn device_written(&self) -> Outcome<Option<u64>> {
        const SECTOR: u64 = 512;
        let folder = std::fs::File::open(self.folder.path())?;
        // SAFETY: the descriptor is open.
        if unsafe { libc::syncfs(folder.as_raw_fd()) } != 0 {
            return Err(std::io::Error::last_os_error().into());
        }
        let device = folder.metadata()?.dev();
        let path = format!("/sys/dev/block/{}:{}/stat", libc::major(device), libc::minor(device));
        let Ok(counts) = std::fs::read_to_string(path) else { return Ok(None) };
        Ok(counts
            .split_whitespace()
            .nth(6)
            .and_then(|sectors| sectors.parse::<u64>().ok())
            .map(|sectors| sectors * SECTOR))
    }

    /// Reads a metric that has no labels.
    pub async fn metric(&self, name: &str) -> Outcome<f64> {
        let question = request("GET", "/metrics", &[], &[]);
        let (_, metrics) = exchange(&mut connect(self.address).await?, &question).await?;
        let metrics = String::from_utf8(metrics)?;
        let value = metrics.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        Ok(value.ok_or_else(|| format!("there is no metric {name}"))?.parse()?)
    }

    async fn again(&mut self) -> Outcome<Duration> {
        let began = Instant::now();
        (self.process, self.address) = launch(self.folder.path(), &self.environment).await?;
        Ok(began.elapsed())
    }

    /// Sends one request with a JSON body (no body for null). Returns the JSON response, null if there is none. Any status other than
    /// success is an error.
    pub async fn call(&self, method: &str, path: &str, body: &Value) -> Outcome<Value> {
        let mut connection = connect(self.address).await?;
        self.call_on(&mut connection, method, path, body).await
    }

    /// Like `call`, on an open connection.
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

/// Starts the binary on a free port and waits until it reports that it is ready.
async fn launch(folder: &Path, environment: &[(String, String)]) -> Outcome<(Process, SocketAddr)> {
    let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
    let mut command = Command::new(binary()?);
    command.arg("serve").arg("--data").arg(folder.join("data")).arg("--listen").arg(address.to_string());
    command.arg("--config").arg(folder.join("bench.toml")).current_dir(folder);
    // The server would warn about this variable, which is meant for the benchmark.
    command.env_remove("UNDERSTUDY_BIN").envs(environment.iter().map(|(name, value)| (name, value)));
    command.env("UNDERSTUDY_ADMIN_EMAIL", EMAIL).env("UNDERSTUDY_ADMIN_PASSWORD", PASSWORD);
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let mut process = Process::spawn(&mut command)?;
    let probe = request("GET", "/readyz", &[], &[]);
    let patience = Instant::now() + READY_WITHIN;
    while Instant::now() < patience && !process.ended() {
        if let Ok(mut connection) = connect(address).await
            && let Ok((200, _)) = exchange(&mut connection, &probe).await
        {
            return Ok((process, address));
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    Err(format!("the server did not become ready within {} s", READY_WITHIN.as_secs()).into())
}

/// Finds the secret of a new API token anywhere in the response.
fn find_token(answer: &Value) -> Option<String> {
    match answer {
        Value::String(text) => text.starts_with("und_").then(|| text.clone()).filter(|text| text.len() > 40),
        Value::Object(fields) => fields.values().find_map(find_token),
        _ => None,
    }
}

/// Formats a figure for a table, with thousands separators.
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
