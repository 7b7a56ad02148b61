//! A complete server on a real socket with its own folder, and people who use it.
//!
//! ```ignore
//! let server = TestServer::start().await;
//! let made = server.editor().post("/api/assistants", json!({"name": "Ada"})).await.created();
//! server.stranger().get(&format!("/api/assistants/{}", made["id"].as_str().unwrap())).await.not_found();
//! ```

mod answer;
mod client;
pub mod counting_server;
pub mod documented;
pub mod failing_provider;
pub mod fake_audio;
pub mod fake_authority;
pub mod fake_directory;
pub mod fake_embedder;
pub mod fake_mcp;
pub mod fake_provider;
pub mod fake_smtp;
pub mod fake_video;
pub mod keyed_provider;
pub mod parts;
mod people;
mod process;
pub mod random_graph;
pub mod reply;
mod socket;

pub use answer::{Answer, text};
pub use client::{Client, client};
pub use people::{PASSWORD, Person};
pub use socket::{PATIENCE, comes, until};

use people::People;
use process::Process;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use storage::records::{Run, RunKind, RunState};
use storage::{Reader, Scan, TenantId};
use tempfile::TempDir;
use understudy::Config;

/// A server with a tenant, an administrator, an editor, a user, and a stranger who administers another
/// tenant. The server stops when this is dropped.
pub struct TestServer {
    process: Process,
    dir: Arc<TempDir>,
    config: Config,
    people: People,
}

/// The body that hides a feature or a model from all members of a tenant.
pub fn hidden() -> serde_json::Value {
    serde_json::json!({"visibility": "nobody"})
}

impl TestServer {
    /// Starts a server with the default settings, except for cheap password hashes and no probing of local
    /// model servers.
    pub async fn start() -> Self {
        Self::start_with(|_| {}).await
    }

    /// Starts a server with other settings.
    pub async fn start_with(settings: impl FnOnce(&mut Config)) -> Self {
        let dir = Arc::new(tempfile::tempdir().expect("a folder"));
        let mut config = Config::default();
        config.storage.data = dir.path().to_owned();
        config.server.listen = SocketAddr::from(([127, 0, 0, 1], 0));
        config.server.workers = 2;
        // Clients of tests that run in parallel may be slow to send a request.
        config.server.head_seconds = 60;
        config.models.probe_local = false;
        // Tests use the built-in model in addition to their own providers.
        config.models.scribe = providers::ScribeUse::On;
        config.sandbox.program = Some(env!("CARGO_BIN_EXE_understudy").into());
        config.knowledge.program = Some(env!("CARGO_BIN_EXE_understudy").into());
        config.web.allow = vec!["127.0.0.1".to_owned()];
        config.directories.hosts = vec!["127.0.0.1".to_owned()];
        config.auth.password_memory_kib = 8;
        config.auth.password_passes = 1;
        // `UNDERSTUDY_UNLOAD_AFTER` makes all tests run with runs that are unloaded from memory as soon as
        // they wait.
        let unload_after = std::env::var("UNDERSTUDY_UNLOAD_AFTER").ok().and_then(|text| text.parse().ok());
        config.runs.unload_after_seconds = unload_after.unwrap_or(config.runs.unload_after_seconds);
        settings(&mut config);
        let process = Process::start(config.clone()).await;
        let people = People::arrive(&process).await;
        Self { process, dir, config, people }
    }

    /// Stops the server, as SIGTERM would with no grace period for live runs, and starts another one on the
    /// same folder. Sessions and tokens stay valid.
    pub async fn restart(self) -> Self {
        self.restart_with(|_| {}).await
    }

    /// Restarts with other settings.
    pub async fn restart_with(self, settings: impl FnOnce(&mut Config)) -> Self {
        let Self { process, dir, mut config, people } = self;
        process.stop().await;
        settings(&mut config);
        let process = Process::start(config.clone()).await;
        Self { process, dir, config, people }
    }

    /// Stops the server and returns its folder for offline operations.
    pub async fn stop(self) -> Arc<TempDir> {
        self.process.stop().await;
        let unlocked =
            || std::fs::File::open(self.dir.path().join("lock")).is_ok_and(|file| file.try_lock().is_ok());
        // The threads of a server that was stopped in this process may use its folder for a moment longer.
        until("the folder is free", async || unlocked()).await;
        self.dir
    }

    pub fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// The address on which it listens.
    pub fn addr(&self) -> SocketAddr {
        self.process.addr
    }

    /// `http://127.0.0.1:<port>`.
    pub fn url(&self) -> String {
        format!("http://{}", self.process.addr)
    }

    /// The administrator of the tenant, who is also a platform administrator.
    pub fn admin(&self) -> Client {
        self.client(&self.people.admin.access_token)
    }

    /// An editor of the tenant.
    pub fn editor(&self) -> Client {
        self.client(&self.people.editor.access_token)
    }

    /// A member of the tenant with the role `user`.
    pub fn user(&self) -> Client {
        self.client(&self.people.user.access_token)
    }

    /// An administrator of another tenant, who has every right there and none here.
    pub fn stranger(&self) -> Client {
        self.client(&self.people.stranger.access_token)
    }

    /// The platform administrator, in the stranger's tenant.
    pub async fn admin_elsewhere(&self) -> Client {
        let tenant = serde_json::json!({"tenant_id": self.people.stranger.tenant});
        let there = self.admin().post("/api/auth/switch-tenant", tenant).await.ok();
        let home = serde_json::json!({"tenant_id": self.people.admin.tenant});
        let client = self.client(&text(&there["access_token"]));
        client.post("/api/auth/switch-tenant", home).await.ok();
        client
    }

    /// A client without credentials.
    pub fn anonymous(&self) -> Client {
        Client::new(self.url(), None)
    }

    /// The administrator, authenticated by an API token limited to these scopes.
    pub async fn token(&self, scopes: &[&str]) -> Client {
        self.client(&self.api_token(scopes).await)
    }

    /// An API token of the administrator, limited to these scopes.
    pub async fn api_token(&self, scopes: &[&str]) -> String {
        let body = serde_json::json!({"name": "test", "scopes": scopes});
        let made = self.admin().post("/api/auth/api-tokens", body).await.created();
        text(&made["token"])
    }

    /// A client with this bearer token.
    pub fn client(&self, token: &str) -> Client {
        Client::new(self.url(), Some(token.to_owned()))
    }

    /// Waits until only waiting workflows are live. The notification of a run, or its document in an index,
    /// may be stored before the run's end is stored.
    pub async fn settled(&self) {
        let tenants = [&self.people.admin.tenant, &self.people.stranger.tenant];
        let tenants = tenants.map(|id| TenantId(id.parse().expect("an id")));
        let rests = |run: &Run| run.kind == RunKind::Workflow && run.state == RunState::Waiting;
        let is_live = |tenant| {
            let live = |reader: &Reader| reader.scan::<Run>(tenant, Scan::index("live"));
            let runs = self.store().read_now::<_, storage::Error>(live).expect("the store reads");
            runs.items.iter().any(|run| !rests(run))
        };
        until("no run is live", async || !tenants.iter().any(|tenant| is_live(*tenant))).await;
    }

    /// Returns the number of stored keys, after checking that they are consistent.
    pub async fn stored(&self) -> u64 {
        let mut report = self.examined().await;
        // A commit during the examination may appear in one table and not yet in another. A real
        // inconsistency persists.
        for _ in 0..80 {
            if report.problems.is_empty() && report.notes.is_empty() {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(250)).await;
            report = self.examined().await;
        }
        assert_eq!(report.problems, [], "the doctor found something");
        assert_eq!(report.notes, [], "something is left over");
        report.checked
    }

    async fn examined(&self) -> storage::doctor::Report {
        let store = self.process.store.clone();
        let examine = move || storage::doctor::examine(&store, false, &mut |_| {});
        tokio::task::spawn_blocking(examine).await.expect("no panic").expect("the store reads")
    }

    /// The server's store, for states that no operation can produce.
    pub fn store(&self) -> &storage::Store {
        &self.process.store
    }

    /// Identity and credentials of the administrator.
    pub fn admin_person(&self) -> &Person {
        &self.people.admin
    }

    /// Identity and credentials of the editor.
    pub fn editor_person(&self) -> &Person {
        &self.people.editor
    }

    /// Identity and credentials of the user.
    pub fn user_person(&self) -> &Person {
        &self.people.user
    }

    /// Identity and credentials of the stranger.
    pub fn stranger_person(&self) -> &Person {
        &self.people.stranger
    }
}
