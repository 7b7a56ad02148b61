//! The real binary as a child process with its own folder.

use std::fs::File;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::harness::{PATIENCE, client};

pub const EMAIL: &str = "admin@example.com";
pub const PASSWORD: &str = "a-password-for-the-crash-test";

/// The settings that differ from the defaults: limits that many clients of one user would reach.
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

[directories]
hosts = ["127.0.0.1"]
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

    /// Starts on an empty folder with additional settings.
    pub async fn install_with(settings: &str) -> Server {
        Self::install_configured(format!("{CONFIGURATION}\n{settings}")).await
    }

    /// Starts on an empty folder; waiting runs are unloaded from memory immediately.
    pub async fn install_unloading() -> Server {
        let settings = CONFIGURATION.replace("[runs]", "[runs]\nunload_after_seconds = 0");
        Self::install_configured(settings).await
    }

    async fn install_configured(configuration: String) -> Server {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("understudy.toml"), configuration).unwrap();
        let mut server = Server { folder, child: None, url: String::new() };
        server.spawn();
        server.ready().await;
        server
    }

    /// Starts the process without waiting for it. The process selects a free port itself, because a port that was
    /// selected in advance may be in use by then.
    pub fn spawn(&mut self) {
        let log = File::options().create(true).append(true).open(self.folder.path().join("log")).unwrap();
        let said = File::create(self.folder.path().join("said")).unwrap();
        let mut command = Command::new(binary());
        command.arg("serve").arg("--listen").arg("127.0.0.1:0");
        command.arg("--data").arg(self.folder.path().join("data"));
        command.arg("--config").arg(self.folder.path().join("understudy.toml"));
        command.current_dir(self.folder.path());
        // These settings are for the test and not for the server.
        command.env_remove("UNDERSTUDY_CRASHES").env_remove("UNDERSTUDY_SEED");
        command.env("UNDERSTUDY_ADMIN_EMAIL", EMAIL).env("UNDERSTUDY_ADMIN_PASSWORD", PASSWORD);
        command.stdin(Stdio::null()).stdout(said).stderr(log);
        self.url.clear();
        self.child = Some(command.spawn().unwrap());
    }

    /// Waits until the server reports that it is ready.
    pub async fn ready(&mut self) {
        let is_ready = async {
            while !self.is_ready().await {
                let ended = self.child.as_mut().and_then(|child| child.try_wait().unwrap());
                assert!(ended.is_none(), "the server ended with {ended:?}:\n{}", self.log());
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let in_time = tokio::time::timeout(PATIENCE, is_ready).await;
        assert!(in_time.is_ok(), "the server was not ready after {PATIENCE:?}:\n{}", self.log());
    }

    async fn is_ready(&mut self) -> bool {
        if self.url.is_empty() {
            let said = std::fs::read_to_string(self.folder.path().join("said")).unwrap_or_default();
            // Only a complete line contains the complete address.
            let Some((first, _)) = said.split_once('\n') else { return false };
            self.url = first.rsplit(' ').next().unwrap_or_default().to_owned();
        }
        client().get(format!("{}/readyz", self.url)).send().await.is_ok_and(|answer| answer.status() == 200)
    }

    /// Sends SIGKILL: no handler runs, nothing is flushed.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    pub fn data(&self) -> std::path::PathBuf {
        self.folder.path().join("data")
    }

    /// The process id, while the process runs.
    pub fn pid(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    pub fn logged(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// The last lines of the server's log.
    fn log(&self) -> String {
        let log = self.logged();
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(40)..].join("\n")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}
