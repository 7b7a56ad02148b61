//! Runs the demonstration in the README as a reader would: start, ask, Ctrl-C, `kill -9`, start,
//! attach.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::blocks;
use crate::harness::{client, until};

/// Number of words in the answer that the README requests.
const WORDS: usize = 300;

/// The folder in which the reader works, and the port of the server.
struct Reader {
    folder: tempfile::TempDir,
    port: u16,
}

impl Reader {
    fn new() -> Self {
        let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = free.local_addr().expect("an address").port();
        Self { folder: tempfile::tempdir().expect("a folder"), port }
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Starts a block in a separate process group, with its output in two files.
    fn paste(&self, code: &str, name: &str) -> Child {
        let program = Path::new(env!("CARGO_BIN_EXE_understudy")).parent().expect("a folder");
        let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
        let file = |kind: &str| {
            std::fs::File::create(self.folder.path().join(format!("{name}.{kind}"))).expect("a file")
        };
        let mut command = Command::new("bash");
        command.arg("-euc").arg(code).current_dir(self.folder.path()).process_group(0);
        // The README adds a folder at the front of the path. In this test, that folder contains no
        // program.
        command.env("PATH", path).env("XDG_STATE_HOME", self.folder.path().join("state"));
        command
            .env("UNDERSTUDY_LISTEN", format!("127.0.0.1:{}", self.port))
            .env("UNDERSTUDY_URL", self.url());
        command.env("UNDERSTUDY_MODELS__PROBE_LOCAL", "false");
        command.stdin(Stdio::null()).stdout(Stdio::from(file("out"))).stderr(Stdio::from(file("err")));
        command.spawn().expect("bash")
    }

    fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(file)).expect("a file")
    }

    /// Runs the block that starts the server, and waits until it serves.
    async fn start(&self, code: &str) -> Group {
        assert!(code.ends_with("\ncargo run --release"), "{code}");
        let server = self.paste(&code.replace("cargo run --release", "exec understudy"), "server");
        let ready = format!("{}/readyz", self.url());
        until("the server serves", async || {
            client().get(&ready).send().await.is_ok_and(|response| response.status().is_success())
        })
        .await;
        Group(server)
    }
}

/// A running block. It is killed together with all processes that it has started.
struct Group(Child);

impl Group {
    fn signal(&self, name: &str) {
        let group = format!("-{}", self.0.id());
        let _ = Command::new("kill").args(["-s", name, "--", &group]).stderr(Stdio::null()).status();
    }

    async fn end(&mut self) -> Option<i32> {
        until("the block has ended", async || self.0.try_wait().expect("a process").is_some()).await;
        self.0.wait().expect("it has ended").code()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.signal("KILL");
        let _ = self.0.wait();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs bash"]
async fn readme() {
    let readme = blocks(include_str!("../../README.md"));
    let code: Vec<&str> = readme.iter().map(|block| block.code.as_str()).collect();
    let [start, test, ask, kill, attach] = code[..] else { panic!("other blocks: {code:?}") };
    assert_eq!(test, "cargo test --workspace");

    let reader = Reader::new();
    let mut server = reader.start(start).await;
    let mut asking = Group(reader.paste(ask, "ask"));
    until("some words are printed", async || reader.read("ask.out").split_whitespace().count() > 8).await;
    asking.signal("INT");
    asking.end().await;
    assert!(reader.read("ask.err").contains("understudy ask --attach"), "{}", reader.read("ask.err"));

    assert_eq!(Group(reader.paste(kill, "kill")).end().await, Some(0), "{}", reader.read("kill.err"));
    assert_eq!(server.end().await, None, "the server was ended by a signal");
    let _server = reader.start(start).await;
    // As in the terminal that was used before.
    let exports = ask.lines().next().expect("a line");
    assert!(exports.starts_with("export "), "{exports}");
    let mut attached = Group(reader.paste(&format!("{exports}\n{attach}"), "attach"));
    assert_eq!(attached.end().await, Some(0), "{}", reader.read("attach.err"));
    assert!(reader.read("attach.err").contains("the answer continues"), "{}", reader.read("attach.err"));
    let answer = reader.read("ask.out") + &reader.read("attach.out");
    assert_eq!(answer.split_whitespace().count(), WORDS, "{answer}");
    assert!(
        answer.contains("Closest to your question:\n\nYour message: “The moon pulls the sea.”"),
        "{answer}"
    );
}
