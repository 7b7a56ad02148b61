//! The real binary, called as users call it.

mod ask;
mod config_check;
mod damage;
mod first_start;
mod folder;
mod idle;
mod lists;
mod online_backup;
mod prices;
mod process;
mod request_log;
mod service_manager;
mod signals;
mod tls;

use crate::api::streams::reading::Stream;
use crate::api::workflows::scene::{Run, approval, workflow, writing};
use crate::harness::{Client, PASSWORD, TestServer, client, text};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use storage::TenantId;
use storage::records::Tenant;

fn understudy(dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_understudy"));
    let strange = std::env::vars().map(|(name, _)| name).filter(|name| name.starts_with("UNDERSTUDY_"));
    for name in strange {
        command.env_remove(name);
    }
    command.env("UNDERSTUDY_DATA", dir).env("UNDERSTUDY_MODELS__PROBE_LOCAL", "false");
    command.env("UNDERSTUDY_AUTH__PASSWORD_MEMORY_KIB", "8").stdin(Stdio::null());
    command
}

fn run(dir: &Path, line: &[&str]) -> Output {
    understudy(dir).args(line).output().expect("the binary runs")
}

#[track_caller]
fn good(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[track_caller]
fn bad(output: &Output, code: i32) -> String {
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A server on a data folder; stopped by SIGTERM when it is dropped.
struct Served {
    child: Child,
    url: String,
    /// The lines that it printed before it was ready.
    said: Vec<String>,
}

impl Served {
    fn start(command: &mut Command) -> Self {
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the binary runs");
        let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let first = lines.next().expect("a line").expect("text");
        let url = first.rsplit(' ').next().unwrap_or_default().to_owned();
        let mut said = vec![first];
        // The greeting of a first start ends with the line that shows how to log in.
        let fresh = command.get_envs().any(|(name, _)| name == "FRESH");
        while fresh
            && !said
                .last()
                .is_some_and(|line| line.trim_start().starts_with("curl") || line.contains("the one in"))
        {
            said.push(lines.next().expect("a line").expect("text"));
        }
        Self { child, url, said }
    }

    fn stop(mut self) -> Option<i32> {
        terminate(&self.child);
        self.child.wait().expect("it ends").code()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn terminate(child: &Child) {
    let told = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().expect("kill runs");
    assert!(told.success());
}

fn serve(dir: &Path, more: &[(&str, &str)]) -> Served {
    let mut command = understudy(dir);
    command.args(["serve", "--listen", "127.0.0.1:0"]).envs(more.iter().copied());
    Served::start(&mut command)
}

#[test]
fn config_prints_settings_that_can_be_read_back() {
    let dir = tempfile::tempdir().unwrap();
    let printed = good(&run(dir.path(), &["config"]));
    assert!(printed.contains("[server]") && printed.contains("[[providers]]"));
    let file = dir.path().join("all.toml");
    std::fs::write(&file, printed).unwrap();
    understudy::Config::load(Some(&file)).unwrap();
}

#[test]
fn misspelt_setting_is_fatal_and_named() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("my.toml");
    std::fs::write(&file, "[limits]\njson_byts = 5\n").unwrap();
    let data = dir.path().join("data");
    let said = bad(&run(&data, &["--config", file.to_str().unwrap()]), 2);
    assert!(said.contains("limits.json_byts") && said.contains("did you mean `json_bytes`"), "{said}");
    let said = bad(&understudy(&data).env("UNDERSTUDY_SERVER__LISTN", "x").output().unwrap(), 2);
    assert!(said.contains("environment: there is no setting `server.listn`"), "{said}");
    assert!(!data.exists(), "nothing was made");
}

#[test]
fn openapi_prints_the_committed_document() {
    let dir = tempfile::tempdir().unwrap();
    let printed: Value = serde_json::from_str(&good(&run(dir.path(), &["openapi"]))).unwrap();
    assert_eq!(printed, understudy::INDEX.document());
}

#[tokio::test]
async fn first_start_prints_a_working_login() {
    let dir = tempfile::tempdir().unwrap();
    let server = serve(dir.path(), &[("FRESH", "1")]);
    let line = server.said.last().unwrap().trim();
    let (url, body) = line
        .strip_prefix("curl -s ")
        .and_then(|rest| rest.split_once(" -H 'content-type: application/json' -d "))
        .expect("the line");
    let body: Value = serde_json::from_str(body.trim_matches('\'')).unwrap();
    let login = Client::send(client().post(url).json(&body)).await.ok();
    assert_eq!(login["user"]["email"], "admin@localhost");
    assert_eq!(server.stop(), Some(0), "SIGTERM ends with exit code 0");
    // The password is not printed a second time.
    let server = serve(dir.path(), &[]);
    let again = Client::send(client().post(format!("{}/api/auth/login/", server.url)).json(&body)).await;
    again.ok();
}

#[tokio::test]
async fn shutdown_does_not_wait_for_forms_and_feeds() {
    const GRACE: u64 = 60;
    let dir = tempfile::tempdir().unwrap();
    let given = [
        ("UNDERSTUDY_ADMIN_EMAIL", "root@example.org"),
        ("UNDERSTUDY_ADMIN_PASSWORD", PASSWORD),
        ("UNDERSTUDY_RUNS__SHUTDOWN_GRACE_SECONDS", "60"),
        ("FRESH", "1"),
    ];
    let server = serve(dir.path(), &given);
    let body = json!({"email": "root@example.org", "password": PASSWORD});
    let login = Client::send(client().post(format!("{}/api/auth/login/", server.url)).json(&body)).await.ok();
    let root = Client::new(server.url.clone(), Some(text(&login["access_token"])));
    let flow = workflow(&root, approval(None)).await;
    let waiting = Run::start(&root, &flow, json!({})).await;
    waiting.until_state(&root, "waiting").await;
    let feed = root.request(reqwest::Method::GET, "/api/notifications").header("accept", "text/event-stream");
    let mut feed = Stream::open(feed).await;
    feed.frame().await.expect("it is open");
    // A running run keeps the server up for a while, so that the test can inspect it.
    let slow = writing(5_000, 20);
    let slow = Run::start(&root, &workflow(&root, slow).await, json!({})).await;
    slow.until_state(&root, "running").await;
    let began = std::time::Instant::now();
    terminate(&server.child);
    while feed.frame().await.is_some() {}
    assert!(began.elapsed().as_secs() < GRACE / 2, "a feed ends immediately");
    let address = server.url.trim_start_matches("http://").to_owned();
    assert!(std::net::TcpStream::connect(address).is_err(), "no connection is accepted");
    root.post(&slow.path("cancel"), json!({})).await;
    assert_eq!(server.stop(), Some(0));
    assert!(began.elapsed().as_secs() < GRACE / 2, "it did not wait for the form");
}

#[tokio::test]
async fn first_administrator_is_read_from_the_environment() {
    let dir = tempfile::tempdir().unwrap();
    let given = [
        ("UNDERSTUDY_ADMIN_EMAIL", "Root@Example.org"),
        ("UNDERSTUDY_ADMIN_PASSWORD", PASSWORD),
        ("FRESH", "1"),
    ];
    let server = serve(dir.path(), &given);
    assert!(server.said.iter().all(|line| !line.contains(PASSWORD)));
    let body = json!({"email": "root@example.org", "password": PASSWORD});
    Client::send(client().post(format!("{}/api/auth/login/", server.url)).json(&body)).await.ok();
}

#[test]
fn first_password_that_is_too_short_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = understudy(dir.path());
    command.args(["--listen", "127.0.0.1:0"]).env("UNDERSTUDY_ADMIN_PASSWORD", "short");
    let said = bad(&command.output().unwrap(), 2);
    assert!(said.contains("UNDERSTUDY_ADMIN_PASSWORD must have at least 12 characters"), "{said}");
}

#[tokio::test]
async fn users_and_tokens_are_created_offline() {
    let server = TestServer::start().await;
    let dir = server.stop().await;
    let said = good(&run(
        dir.path(),
        &["user", "add", "ada@example.org", "--role", "editor", "--tenant", "Default"],
    ));
    let password = said.lines().find_map(|line| line.strip_prefix("password  ")).unwrap();
    let password = password.split(' ').next().unwrap().to_owned();
    good(&run(dir.path(), &["tenant", "add", "Third", "--slug", "third"]));
    let line =
        ["token", "create", "CI", "--user", "ada@example.org", "--scope", "account:read", "--days", "3"];
    let token = good(&run(dir.path(), &line)).trim().to_owned();

    let said = bad(&run(dir.path(), &["user", "add", "ada@example.org", "--tenant", "third"]), 1);
    assert!(said.contains("email exists already"), "{said}");
    let said = bad(&run(dir.path(), &["user", "add", "bob@example.org"]), 2);
    assert!(said.contains("--tenant is required; one of: Default, Elsewhere, Third"), "{said}");
    let said = bad(&run(dir.path(), &["user", "add", "bob", "--tenant", "third"]), 2);
    assert!(said.contains("email is not an e-mail address"), "{said}");
    let said =
        bad(&run(dir.path(), &["token", "create", "x", "--user", "ada@example.org", "--scope", "all"]), 2);
    assert!(said.contains("is not a scope"), "{said}");

    let server = serve(dir.path(), &[]);
    let me = client().get(format!("{}/api/users/me", server.url)).bearer_auth(&token);
    assert_eq!(Client::send(me).await.ok()["scopes"], json!(["account:read"]));
    let body = json!({"email": "ada@example.org", "password": password});
    let login = Client::send(client().post(format!("{}/api/auth/login/", server.url)).json(&body)).await;
    assert_eq!(login.ok()["tenants"][0]["role"], "editor");
}

#[tokio::test]
async fn access_to_the_folder_allows_setting_passwords() {
    let server = TestServer::start().await;
    let old = server.user_person().clone();
    let said = bad(&run(server.dir(), &["user", "password", &old.email]), 1);
    assert!(said.contains("in use"), "{said}");
    let dir = server.stop().await;
    let said = good(&run(dir.path(), &["user", "password", "User@Example.org"]));
    let password = said.lines().find_map(|line| line.strip_prefix("password  ")).unwrap();
    let password = password.split(' ').next().unwrap().to_owned();
    let said = bad(&run(dir.path(), &["user", "password", "unknown@example.org"]), 2);
    assert!(said.contains("there is no account for unknown@example.org"), "{said}");

    let server = serve(dir.path(), &[]);
    let log_in = async |password: &str| {
        let body = json!({"email": old.email, "password": password});
        Client::send(client().post(format!("{}/api/auth/login/", server.url)).json(&body)).await
    };
    log_in(&old.password).await.problem(401, "login_failed");
    log_in(&password).await.ok();
    let me = client().get(format!("{}/api/users/me", server.url)).bearer_auth(&old.access_token);
    Client::send(me).await.problem(401, "session_ended");
}

/// The names of tenants are unique now, but a data folder of an earlier version may contain two
/// tenants with the same name.
#[tokio::test]
async fn ambiguous_tenant_name_is_refused_and_the_id_accepted() {
    let server = TestServer::start().await;
    let ids = [storage::new_id(), storage::new_id()];
    let made = server.store().run(move |tx| {
        for id in ids {
            let tenant = Tenant { name: "Twins".to_owned(), ..Tenant::default() };
            tx.insert(TenantId::SYSTEM, id, tenant)?;
        }
        Ok::<_, storage::Error>(())
    });
    made.await.unwrap();
    let dir = server.stop().await;
    let said = bad(&run(dir.path(), &["user", "add", "bob@example.org", "--tenant", "Twins"]), 2);
    assert!(said.contains("several tenants are named Twins; use the id"), "{said}");
    // The refusal has created no user.
    let id = ids[1].to_string();
    good(&run(dir.path(), &["user", "add", "bob@example.org", "--tenant", &id]));
    let line = ["token", "create", "CI", "--user", "bob@example.org", "--tenant", "Twins"];
    let token = good(&run(dir.path(), &line)).trim().to_owned();
    let server = serve(dir.path(), &[]);
    let me = client().get(format!("{}/api/users/me", server.url)).bearer_auth(&token);
    assert_eq!(Client::send(me).await.ok()["tenant"]["id"], json!(id));
}

#[tokio::test]
async fn users_and_tokens_are_created_on_a_running_server() {
    let server = TestServer::start().await;
    let (url, token) = (server.url(), server.admin().bearer().to_owned());
    let nowhere = server.dir().join("nowhere");
    let ask = async |line: Vec<String>, input: &'static str, token: Option<String>| {
        let nowhere = nowhere.clone();
        tokio::task::spawn_blocking(move || {
            let mut command = understudy(&nowhere);
            command.args(line).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            command.envs(token.map(|token| ("UNDERSTUDY_TOKEN", token)));
            let mut child = command.spawn().unwrap();
            child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
            child.wait_with_output().unwrap()
        })
        .await
        .unwrap()
    };
    let line =
        |words: &str| words.split(' ').map(str::to_owned).chain(["--url".to_owned(), url.clone()]).collect();

    good(
        &ask(
            line("user add ada@example.org --password-stdin"),
            "a long enough password\n",
            Some(token.clone()),
        )
        .await,
    );
    good(&ask(line("tenant add Third"), "", Some(token.clone())).await);
    let made = good(&ask(line("token create CI --scope account:read"), "", Some(token.clone())).await);
    let me = server.client(made.trim()).get("/api/users/me").await.ok();
    assert_eq!(me["email"], "admin@localhost");
    let made = ask(line("token create mine --login ada@example.org"), "a long enough password\n", None).await;
    let me = server.client(good(&made).trim()).get("/api/users/me").await.ok();
    assert_eq!(me["email"], "ada@example.org");

    let said = bad(&ask(line("user add ada@example.org"), "", Some(token.clone())).await, 1);
    assert!(said.contains("409"), "{said}");
    let said = bad(&ask(line("user add bob --password-stdin"), "short\n", Some(token)).await, 1);
    assert!(said.contains("is not an e-mail address; password must have at least 12 characters"), "{said}");
    let said = bad(&ask(line("tenant add x"), "", None).await, 2);
    assert!(said.contains("--url needs --token"), "{said}");
    let said = bad(&ask(line("tenant add x"), "", Some("und_x".to_owned())).await, 1);
    assert!(said.contains("401"), "{said}");
    assert!(!nowhere.exists());
}

#[tokio::test]
async fn doctor_refuses_a_folder_in_use() {
    let server = TestServer::start().await;
    let dir = server.dir().to_owned();
    let output = tokio::task::spawn_blocking(move || run(&dir, &["doctor"])).await.unwrap();
    assert!(bad(&output, 1).contains("is in use by another process"), "{output:?}");
    server.user().get("/api/users/me").await.ok();
}

#[tokio::test]
async fn backup_restore_and_doctor() {
    let server = TestServer::start().await;
    let before = server.user().get("/api/users/me").await.ok();
    let (token, dir) = (server.user().bearer().to_owned(), server.stop().await);
    let elsewhere = tempfile::tempdir().unwrap();
    let (file, data) = (elsewhere.path().join("b.tar.gz"), elsewhere.path().join("data"));
    let file = file.to_str().unwrap();

    assert!(good(&run(dir.path(), &["doctor"])).contains("no problems found"));
    good(&run(dir.path(), &["backup", file]));
    bad(&run(dir.path(), &["backup", file]), 1);
    assert!(bad(&run(dir.path(), &["restore", file]), 1).contains("not empty"));
    good(&run(&data, &["restore", file]));
    assert!(good(&run(&data, &["doctor"])).contains("no problems found"));

    // Sessions from before the backup are valid, because the backup includes the signing key.
    let server = serve(&data, &[]);
    let me = client().get(format!("{}/api/users/me", server.url)).bearer_auth(token);
    assert_eq!(Client::send(me).await.ok(), before);
    drop(server);
    bad(&run(&elsewhere.path().join("none"), &["doctor"]), 2);
    bad(&run(&elsewhere.path().join("other"), &["restore", "no-such-file"]), 1);
}

#[test]
fn second_signal_stops_immediately() {
    let dir = tempfile::tempdir().unwrap();
    let mut server = serve(dir.path(), &[("UNDERSTUDY_RUNS__SHUTDOWN_GRACE_SECONDS", "600")]);
    terminate(&server.child);
    terminate(&server.child);
    assert!(server.child.wait().unwrap().success());
}
