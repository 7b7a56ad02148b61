//! The real binary as a child process on a folder of its own.

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

pub const EMAIL: &str = "admin@example.com";
pub const PASSWORD: &str = "a-password-for-the-crash-test";

/// The settings that differ from the defaults: limits that many clients of one user would meet.
const CONFIGURATION: &str = r#"
[limits]
credential_per_second = 100000
credential_burst = 100000

[runs]
per_user = 5000

[models]
probe_local = false

[web]
allow = ["127.0.0.1"]
"#;

fn binary() -> String {
    std::env::var("UNDERSTUDY_BIN").unwrap_or(env!("CARGO_BIN_EXE_understudy").to_owned())
}

pub struct Server {
    folder: tempfile::TempDir,
    child: Option<Child>,
    pub url: String,
}

impl Server {
    /// Starts on an empty folder.
    pub async fn install() -> Server {
        Self::install_with("").await
    }

    /// Starts on an empty folder with more settings.
    pub async fn install_with(settings: &str) -> Server {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("understudy.toml"), format!("{CONFIGURATION}\n{settings}"))
            .unwrap();
        let mut server = Server { folder, child: None, url: String::new() };
        server.spawn();
        server.ready().await;
        server
    }

    /// Starts the process on a port that is free now, and does not wait.
    pub fn spawn(&mut self) {
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let log =
            std::fs::File::options().create(true).append(true).open(self.folder.path().join("log")).unwrap();
        let mut command = Command::new(binary());
        command.arg("serve").arg("--listen").arg(address.to_string());
        command.arg("--data").arg(self.folder.path().join("data"));
        command.arg("--config").arg(self.folder.path().join("understudy.toml"));
        command.current_dir(self.folder.path());
        // The test's own settings are none of the server's.
        command.env_remove("UNDERSTUDY_CRASHES").env_remove("UNDERSTUDY_SEED");
        command.env("UNDERSTUDY_ADMIN_EMAIL", EMAIL).env("UNDERSTUDY_ADMIN_PASSWORD", PASSWORD);
        command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        self.url = format!("http://{address}");
        self.child = Some(command.spawn().unwrap());
    }

    /// Waits until the server says that it is ready.
    pub async fn ready(&mut self) {
        let patience = Instant::now() + Duration::from_secs(20);
        while Instant::now() < patience {
            let ended = self.child.as_mut().and_then(|child| child.try_wait().unwrap());
            assert!(ended.is_none(), "the server ended with {ended:?}:\n{}", self.log());
            if reqwest::get(format!("{}/readyz", self.url)).await.is_ok_and(|answer| answer.status() == 200) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("the server was not ready after 20 s:\n{}", self.log());
    }

    /// SIGKILL: no handler runs, nothing is flushed.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    /// The data folder.
    pub fn data(&self) -> std::path::PathBuf {
        self.folder.path().join("data")
    }

    /// Its process, while it runs.
    pub fn pid(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    /// The end of what the server has logged.
    fn log(&self) -> String {
        let log = std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(40)..].join("\n")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}
