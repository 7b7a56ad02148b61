//! The real binary as a child process on a folder of its own.

use std::fs::File;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::harness::{PATIENCE, client};

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

    /// Starts on an empty folder with more settings.
    pub async fn install_with(settings: &str) -> Server {
        Self::install_configured(format!("{CONFIGURATION}\n{settings}")).await
    }

    /// Starts on an empty folder; runs that wait leave memory at once.
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

    /// Starts the process and does not wait. It takes a free port by itself: a port that was chosen before may be in use
    /// by then.
    pub fn spawn(&mut self) {
        let log = File::options().create(true).append(true).open(self.folder.path().join("log")).unwrap();
        let said = File::create(self.folder.path().join("said")).unwrap();
        let mut command = Command::new(binary());
        command.arg("serve").arg("--listen").arg("127.0.0.1:0");
        command.arg("--data").arg(self.folder.path().join("data"));
        command.arg("--config").arg(self.folder.path().join("understudy.toml"));
        command.current_dir(self.folder.path());
        // The test's own settings are none of the server's.
        command.env_remove("UNDERSTUDY_CRASHES").env_remove("UNDERSTUDY_SEED");
        command.env("UNDERSTUDY_ADMIN_EMAIL", EMAIL).env("UNDERSTUDY_ADMIN_PASSWORD", PASSWORD);
        command.stdin(Stdio::null()).stdout(said).stderr(log);
        self.url.clear();
        self.child = Some(command.spawn().unwrap());
    }

    /// Waits until the server says that it is ready.
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
            // Only a whole line has the whole address in it.
            let Some((first, _)) = said.split_once('\n') else { return false };
            self.url = first.rsplit(' ').next().unwrap_or_default().to_owned();
        }
        client().get(format!("{}/readyz", self.url)).send().await.is_ok_and(|answer| answer.status() == 200)
    }

    /// SIGKILL: no handler runs, nothing is flushed.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    pub fn data(&self) -> std::path::PathBuf {
        self.folder.path().join("data")
    }

    /// Its process, while it runs.
    pub fn pid(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    pub fn logged(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// The end of what the server has logged.
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
