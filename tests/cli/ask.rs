//! `understudy ask` against real servers.

use super::process::ServerProcess;
use super::{bad, good, understudy};
use crate::harness::{Client, PASSWORD, text, until};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use tempfile::TempDir;

const QUESTION: &str = "Why do tides follow the moon? The moon pulls the sea. Cats sleep.";
/// Five seconds of text from the built-in model.
const SLOWLY: [&str; 2] = ["--parameters", r#"{"length": 100, "pace_ms": 50}"#];

/// A server that can be killed and started again at the same address, and the files of a user of the
/// command.
struct Scene {
    folder: TempDir,
    port: u16,
    server: Option<ServerProcess>,
    config: Option<PathBuf>,
}

impl Scene {
    async fn start() -> Self {
        Self::start_with(None).await
    }

    async fn start_with(config: Option<&str>) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = free.local_addr().expect("an address").port();
        drop(free);
        let config = config.map(|text| {
            let path = folder.path().join("settings.toml");
            std::fs::write(&path, text).expect("a file");
            path
        });
        let mut scene = Self { folder, port, server: None, config };
        scene.start_server().await;
        scene
    }

    async fn start_server(&mut self) {
        let mut command = understudy(&self.folder.path().join("data"));
        command.args(["serve", "--listen", &format!("127.0.0.1:{}", self.port)]);
        command.env("UNDERSTUDY_ADMIN_PASSWORD", PASSWORD);
        command.envs(self.config.as_ref().map(|path| ("UNDERSTUDY_CONFIG", path)));
        let mut server = ServerProcess::spawn_command(command);
        server.until_greeted().await;
        self.server = Some(server);
    }

    fn kill_server(&mut self) {
        self.server.take().expect("a server").kill();
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    fn state(&self) -> PathBuf {
        self.folder.path().join("state/understudy/ask.json")
    }

    fn command(&self, line: &[&str]) -> Command {
        let mut command = understudy(&self.folder.path().join("nowhere"));
        command.arg("ask").args(line).env("UNDERSTUDY_URL", self.url());
        command.env("XDG_STATE_HOME", self.folder.path().join("state"));
        command.env("UNDERSTUDY_ADMIN_PASSWORD", PASSWORD);
        command
    }

    /// Runs the command to its end.
    async fn ask(&self, line: &[&str]) -> Output {
        let mut command = self.command(line);
        tokio::task::spawn_blocking(move || command.output().expect("the binary runs"))
            .await
            .expect("no panic")
    }

    fn begin(&self, line: &[&str]) -> Asking {
        Asking::spawn(self.command(line))
    }

    /// A client of the administrator.
    async fn admin(&self) -> Client {
        let server = self.server.as_ref().expect("a server");
        let token = text(&server.log_in(PASSWORD).await.ok()["access_token"]);
        Client::new(self.url(), Some(token))
    }

    /// The text of the answer as stored by the server.
    async fn stored_answer(&self) -> String {
        let state: Value =
            serde_json::from_slice(&std::fs::read(self.state()).expect("a file")).expect("JSON");
        let path = format!("/api/conversations/{}", text(&state["conversation_id"]));
        let conversation = self.admin().await.get(&path).await.ok();
        let answer =
            conversation["messages"].as_array().and_then(|all| all.last().cloned()).expect("an answer");
        assert_eq!(answer["status"], "complete", "{answer}");
        text(&answer["parts"][0]["text"])
    }
}

/// A running command, with its output in files.
struct Asking {
    child: Child,
    output: TempDir,
}

impl Asking {
    fn spawn(mut command: Command) -> Self {
        let output = tempfile::tempdir().expect("a folder");
        let file = |name: &str| std::fs::File::create(output.path().join(name)).expect("a file");
        let child = command.stdout(Stdio::from(file("out"))).stderr(Stdio::from(file("err"))).spawn();
        Self { child: child.expect("the binary runs"), output }
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.output.path().join(name)).expect("a file")
    }

    async fn until_printed(&self, least: usize) {
        until("something is printed", async || self.read("out").len() >= least).await;
    }

    fn interrupt(&self) {
        let sent =
            Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().expect("kill runs");
        assert!(sent.success());
    }

    /// Waits for the end of the command. Returns its exit code, standard output and standard error.
    async fn end(mut self) -> (Option<i32>, String, String) {
        until("the command has ended", async || self.child.try_wait().expect("a child").is_some()).await;
        let code = self.child.wait().expect("it has ended").code();
        (code, self.read("out"), self.read("err"))
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Parses NDJSON lines and checks that the events are numbered 1, 2, 3 and so on.
fn gapless(lines: &str) -> Vec<Value> {
    let events: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let numbers: Vec<_> = events.iter().map(|event| event["seq"].as_u64().expect("a number")).collect();
    assert_eq!(numbers, (1..=events.len() as u64).collect::<Vec<_>>(), "{lines}");
    assert!(lines.ends_with('\n'));
    events
}

fn text_of(events: &[Value]) -> String {
    events
        .iter()
        .filter(|event| event["type"] == "text.delta")
        .map(|event| text(&event["data"]["text"]))
        .collect()
}

#[tokio::test]
async fn ask_prints_the_answer_and_stores_its_state_without_secrets() {
    let scene = Scene::start().await;
    let printed = good(&scene.ask(&[QUESTION]).await);
    assert_eq!(printed, scene.stored_answer().await + "\n");
    let file = scene.state();
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let stored = std::fs::read_to_string(&file).unwrap();
    let fields: serde_json::Map<String, Value> = serde_json::from_str(&stored).unwrap();
    let names: Vec<_> = fields.keys().map(String::as_str).collect();
    assert_eq!(names, ["conversation_id", "ended", "last_seq", "stream_id", "url"]);
    assert!(!stored.contains(PASSWORD), "{stored}");
    // The whole answer was already printed.
    let said = bad(&scene.ask(&["--attach"]).await, 1);
    assert!(said.contains("nothing to attach to") && said.lines().count() == 1, "{said}");
    // With a named conversation, its last stream is used; a conversation without an answer has no stream.
    let id = text(&fields["conversation_id"]);
    assert!(bad(&scene.ask(&["--attach", "--conversation", &id]).await, 1).contains("nothing to attach to"));
    let empty = text(&scene.admin().await.post("/api/conversations", json!({})).await.created()["id"]);
    assert!(bad(&scene.ask(&["--attach", "--conversation", &empty]).await, 1).contains("has no answer"));
    // Without its state file the command prints the newest answer from its beginning.
    std::fs::remove_file(&file).unwrap();
    assert_eq!(good(&scene.ask(&["--attach", "--conversation", &id]).await), printed);
}

#[tokio::test]
async fn ask_json_prints_the_events_as_the_server_sends_them() {
    let scene = Scene::start().await;
    let events = gapless(&good(&scene.ask(&[QUESTION, "--json"]).await));
    assert_eq!(events.first().unwrap()["type"], "run.started");
    assert_eq!(events.last().unwrap()["type"], "run.ended");
    assert_eq!(text_of(&events), scene.stored_answer().await);
    let (stream, conversation) = {
        let state: Value = serde_json::from_slice(&std::fs::read(scene.state()).unwrap()).unwrap();
        (text(&state["stream_id"]), text(&state["conversation_id"]))
    };
    assert!(events.iter().all(|event| event["run_id"] == *stream));
    // A second question in the same conversation.
    let more = ["And cats?", "--json", "--conversation", &conversation];
    gapless(&good(&scene.ask(&more).await));
    let messages = scene.admin().await.get(&format!("/api/conversations/{conversation}")).await.ok();
    assert_eq!(messages["messages"].as_array().unwrap().len(), 4);
}

#[tokio::test]
async fn ask_continues_automatically_after_kill_9() {
    let mut scene = Scene::start().await;
    let asking = scene.begin(&[&[QUESTION, "--json"][..], &SLOWLY].concat());
    asking.until_printed(1_500).await;
    scene.kill_server();
    scene.start_server().await;
    let (code, printed, said) = asking.end().await;
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("was lost; reconnecting"), "{said}");
    let events = gapless(&printed);
    assert!(events.iter().any(|event| event["type"] == "run.recovered"), "{printed}");
    assert_eq!(text_of(&events), scene.stored_answer().await);
}

#[tokio::test]
async fn ask_attach_continues_after_ctrl_c_and_kill_9() {
    let mut scene = Scene::start().await;
    let asking = scene.begin(&[&[QUESTION][..], &SLOWLY].concat());
    asking.until_printed(40).await;
    asking.interrupt();
    let (code, first, said) = asking.end().await;
    assert_eq!(code, Some(130), "{said}");
    assert!(said.contains("understudy ask --attach") && said.lines().count() == 1, "{said}");
    scene.kill_server();
    // The command waits for a server that is starting.
    let asking = scene.begin(&["--attach"]);
    until("it waits", async || asking.read("err").contains("trying again")).await;
    scene.start_server().await;
    let (code, rest, said) = asking.end().await;
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("the answer continues"), "{said}");
    assert!(!first.is_empty() && rest.len() > first.len());
    assert_eq!(first + &rest, scene.stored_answer().await + "\n");
}

/// If two commands run concurrently, `--attach` continues the question that was asked last.
#[tokio::test]
async fn ask_attach_continues_the_question_asked_last() {
    let scene = Scene::start().await;
    let line = [&[QUESTION][..], &SLOWLY].concat();
    let before = scene.begin(&line);
    before.until_printed(20).await;
    let after = scene.begin(&line);
    after.until_printed(20).await;
    after.interrupt();
    let (_, first, _) = after.end().await;
    before.interrupt();
    let (code, _, said) = before.end().await;
    assert_eq!(code, Some(130));
    assert!(said.contains("understudy ask --attach --conversation "), "{said}");
    let rest = good(&scene.ask(&["--attach"]).await);
    assert_eq!(first + &rest, scene.stored_answer().await + "\n");
}

#[tokio::test]
async fn ask_fails_with_one_line_that_states_the_reason() {
    const PROVIDER: &str = "[models]\ndefault = \"builtin/scribe\"\n\
        [[providers]]\nname = \"gone\"\nbase_url = \"http://127.0.0.1:9/v1\"\nmodels = [\"one\"]\n";
    let mut scene = Scene::start_with(Some(PROVIDER)).await;
    let only_line = |said: String| {
        assert_eq!(said.lines().count(), 1, "{said}");
        said
    };
    let nothing = only_line(bad(&scene.ask(&["--attach"]).await, 1));
    assert!(nothing.contains("nothing to attach to"), "{nothing}");
    let run = async |mut command: Command| {
        tokio::task::spawn_blocking(move || command.output().expect("the binary runs"))
            .await
            .expect("no panic")
    };
    let with = |name: &str, value: &str| {
        let mut command = scene.command(&[QUESTION]);
        command.env(name, value);
        command
    };
    let said = only_line(bad(&run(with("UNDERSTUDY_ADMIN_PASSWORD", "wrong-password")).await, 1));
    assert!(said.contains("status 401"), "{said}");
    let said = only_line(bad(&run(with("UNDERSTUDY_TOKEN", "und_x")).await, 1));
    assert!(said.contains("status 401"), "{said}");
    let said = only_line(bad(&run(with("UNDERSTUDY_ADMIN_PASSWORD", "")).await, 2));
    assert!(said.contains("UNDERSTUDY_TOKEN"), "{said}");
    let said = only_line(bad(&run(with("UNDERSTUDY_URL", "localhost")).await, 2));
    assert!(said.contains("http://"), "{said}");
    bad(&scene.ask(&[QUESTION, "--parameters", "[]"]).await, 2);
    bad(&scene.ask(&[]).await, 2);
    bad(&scene.ask(&[QUESTION, "--attach"]).await, 2);

    let said = only_line(bad(&scene.ask(&[QUESTION, "--model", "no/such"]).await, 1));
    assert!(said.contains("status 4"), "{said}");
    let said = bad(&scene.ask(&[QUESTION, "--model", "gone/one"]).await, 1);
    assert!(said.contains("the run failed: "), "{said}");

    // A conversation with a live answer refuses a second question.
    let asking = scene.begin(&[&[QUESTION][..], &SLOWLY].concat());
    asking.until_printed(20).await;
    let state: Value = serde_json::from_slice(&std::fs::read(scene.state()).unwrap()).unwrap();
    let id = text(&state["conversation_id"]);
    let said = only_line(bad(&scene.ask(&[QUESTION, "--conversation", &id]).await, 1));
    assert!(said.contains("status 409"), "{said}");
    let stop = format!("/api/conversations/{id}/streams/{}", text(&state["stream_id"]));
    scene.admin().await.delete(&stop).await;
    let (code, _, said) = asking.end().await;
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("the run ended as cancelled"), "{said}");

    scene.kill_server();
    let said = only_line(bad(&scene.ask(&[QUESTION]).await, 1));
    assert!(said.contains("refused"), "{said}");
    let said = bad(&scene.ask(&["--attach", "--reconnect-seconds", "0"]).await, 1);
    assert!(only_line(said).contains("refused"));
}

/// The command works even if its state file cannot be written.
#[tokio::test]
async fn ask_works_without_a_writable_state_file() {
    let scene = Scene::start().await;
    let blocked: &Path = &scene.folder.path().join("blocked");
    std::fs::write(blocked, "a file, not a folder").unwrap();
    let mut command = scene.command(&[QUESTION]);
    command.env("XDG_STATE_HOME", blocked);
    let output =
        tokio::task::spawn_blocking(move || command.output().expect("the binary runs")).await.unwrap();
    assert!(good(&output).contains("The moon pulls the sea."), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("--attach will not find"), "{output:?}");
}
