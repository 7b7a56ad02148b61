//! A server on a data folder whose output is written to files, so that it can be read at any time.

use super::{terminate, understudy};
use crate::harness::{Answer, Client, client, comes, until};
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use tempfile::TempDir;

/// A process of the server. Killed when it is dropped.
pub struct ServerProcess {
    child: Child,
    output: TempDir,
}

impl ServerProcess {
    /// Starts a server on a free port, with additional environment variables.
    pub fn spawn(dir: &Path, variables: &[(&str, &str)]) -> Self {
        let mut command = understudy(dir);
        command.args(["serve", "--listen", "127.0.0.1:0"]).envs(variables.iter().copied());
        Self::spawn_command(command)
    }

    pub fn spawn_command(mut command: Command) -> Self {
        let output = tempfile::tempdir().expect("a folder");
        let file = |name: &str| std::fs::File::create(output.path().join(name)).expect("a file");
        let child = command.stdout(Stdio::from(file("stdout"))).stderr(Stdio::from(file("stderr"))).spawn();
        Self { child: child.expect("the binary runs"), output }
    }

    /// Like `spawn`, but waits until the server has printed its address.
    pub async fn start(dir: &Path, variables: &[(&str, &str)]) -> Self {
        let mut server = Self::spawn(dir, variables);
        server.until_greeted().await;
        server
    }

    pub async fn until_greeted(&mut self) {
        let greeted = comes(async || !self.greeting().is_empty() || self.has_ended()).await;
        assert!(greeted && !self.greeting().is_empty(), "the server does not start: {}", self.log());
    }

    /// The text that it has printed. A greeting is printed as a whole.
    pub fn greeting(&self) -> String {
        std::fs::read_to_string(self.output.path().join("stdout")).expect("a file")
    }

    pub fn log(&self) -> String {
        std::fs::read_to_string(self.output.path().join("stderr")).expect("a file")
    }

    pub fn url(&self) -> String {
        let greeting = self.greeting();
        greeting.lines().next().and_then(|line| line.rsplit(' ').next()).expect("an address").to_owned()
    }

    /// The generated password of the first administrator, if the greeting contains one.
    pub fn password(&self) -> Option<String> {
        let greeting = self.greeting();
        let line = greeting.lines().find_map(|line| line.trim().strip_prefix("password  "))?.to_owned();
        line.strip_suffix("   (shown until the first login)").map(str::to_owned)
    }

    pub async fn log_in(&self, password: &str) -> Answer {
        self.log_in_with(&client(), password).await
    }

    pub async fn log_in_with(&self, client: &reqwest::Client, password: &str) -> Answer {
        let body: Value = json!({"email": "admin@localhost", "password": password});
        Client::send(client.post(format!("{}/api/auth/login/", self.url())).json(&body)).await
    }

    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().expect("a child").is_some()
    }

    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").args(["-s", name, &self.child.id().to_string()]).status();
        assert!(sent.expect("kill runs").success(), "{name} was not sent");
    }

    /// Waits until the log contains a text.
    pub async fn until_logged(&self, text: &str) {
        let logged = comes(async || self.log().contains(text)).await;
        assert!(logged, "{text:?} is not in the log:\n{}", self.log());
    }

    /// Resident memory that is backed by files, in KiB.
    pub fn mapped_of_files(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("a process");
        let line = status.lines().find_map(|line| line.strip_prefix("RssFile:")).expect("a line");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }

    /// Stops the process by SIGTERM.
    pub async fn stop(mut self) -> ExitStatus {
        terminate(&self.child);
        self.until_ended().await
    }

    pub async fn until_ended(&mut self) -> ExitStatus {
        until("the server has ended", async || self.has_ended()).await;
        self.child.wait().expect("it has ended")
    }

    /// Stops the process by SIGKILL.
    pub fn kill(mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
