//! Runs the commands of the README and of the pages in `docs/` against a server, each page from top to bottom as a reader
//! would paste it.
//!
//! A comment directly above a block changes the expected outcome:
//!
//! - `<!-- not run: REASON -->`: the block needs something that is not available in a test;
//! - `<!-- status: 409 -->`: at least one of its requests gets this status, and every other one succeeds;
//! - `<!-- stops early: REASON -->`: the block reads an endless stream, which the test cuts off.
//!
//! Without a comment, every command of a block has to succeed, and every response must have a status below 400. The statuses
//! are collected separately from the output, so that a refusal in a pipe or in a `$(...)` is noticed as well.
//!
//! These tests need `bash`, `curl`, `jq`, `zip` and `python3`, so they are ignored by default: `cargo test --test it docs::
//! -- --ignored`.

mod readme;

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::harness::TestServer;

/// Time limit for one page, in seconds.
const PAGE_SECONDS: u64 = 240;
/// The address of the server in the pages, and the address of the reader's own server.
const SERVER: &str = "127.0.0.1:8080";
const OWN_SERVER: &str = "localhost:9000";

#[derive(Debug, PartialEq)]
enum Expect {
    Success,
    NotRun,
    Status(String),
    StopsEarly,
}

#[derive(Debug)]
struct Block {
    /// The line of its first command.
    line: usize,
    code: String,
    expect: Expect,
}

/// The `sh` blocks of a page. Panics at a block of commands that would not be recognised (indented, or marked as another
/// shell language), so that no block is skipped silently.
fn blocks(page: &str) -> Vec<Block> {
    let lines: Vec<&str> = page.lines().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let fence = lines[at].trim_start();
        if lines[at] != "```sh" {
            let shell =
                ["```sh", "```bash", "```shell", "```console"].iter().any(|name| fence.starts_with(name));
            assert!(!shell, "line {}: commands stand in unindented ```sh blocks", at + 1);
            at += 1;
            continue;
        }
        let expect = expectation(at.checked_sub(1).map_or("", |above| lines[above]));
        let end = (at + 1..lines.len()).find(|end| lines[*end] == "```").expect("a block ends");
        found.push(Block { line: at + 2, code: lines[at + 1..end].join("\n"), expect });
        at = end + 1;
    }
    found
}

fn expectation(marker: &str) -> Expect {
    let Some(text) = marker.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->")) else {
        return Expect::Success;
    };
    match text.split_once(": ") {
        Some(("not run", reason)) if !reason.is_empty() => Expect::NotRun,
        Some(("status", status)) => Expect::Status(status.to_owned()),
        Some(("stops early", reason)) if !reason.is_empty() => Expect::StopsEarly,
        _ => Expect::Success,
    }
}

/// The script of a page: the blocks of the setup, then its own. The statuses of all responses of a block are compared with
/// the expected ones.
fn script(setup: &[Block], page: &str, own: &[Block]) -> String {
    let mut script = String::from(
        "exec 3>&1\nreached=0 place= printed=$PWD/.printed statuses=$PWD/.statuses\n\
         finish() { code=$?; exec >&3; [ $code = 0 ] || { cat \"$printed\" \"$statuses\"; \
         echo \"FAILED $place, exit $code\"; }; }\n\
         trap finish EXIT\nset -uo pipefail\n\
         curl() { command curl $limits -w '%{stderr}\\nstatus=%{http_code}\\n' \"$@\" 2>>\"$statuses\"; }\n\
         has() { grep -q \"^status=$1\\$\" \"$statuses\"; }\n\
         only() { if grep '^status=' \"$statuses\" | grep -qv \"^status=$1\\$\"; then return 1; fi; }\n",
    );
    let all = setup.iter().map(|block| ("setup.md", block)).chain(own.iter().map(|block| (page, block)));
    for (name, block) in all.filter(|(_, block)| block.expect != Expect::NotRun) {
        let (errors, limits, check) = match &block.expect {
            // curl exits with an error when it is cut off.
            Expect::StopsEarly => ("+e", "--max-time 3", "has 2..\nonly 2..".to_owned()),
            Expect::Status(status) => {
                ("-e", "--max-time 100", format!("has {status}\nonly '\\(2..\\|{status}\\)'"))
            }
            _ => ("-e", "--max-time 100", "only '[23]..'".to_owned()),
        };
        script.push_str(&format!(
            "place={name}:{}\nlimits='{limits}'\nexec >\"$printed\"\n: >\"$statuses\"\nset {errors}\n\
             {}\nset -e\n{check}\nexec >&3\ncat \"$printed\"\nreached=$((reached + 1))\n",
            block.line, block.code
        ));
    }
    script.push_str("echo \"ran $reached blocks\"\n");
    script
}

/// The output of a page, and whether it ran completely and as expected.
struct Pasted {
    success: bool,
    output: String,
}

/// The blocks of a file in `docs/`.
fn read(name: &str) -> Vec<Block> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(name);
    blocks(&std::fs::read_to_string(path).expect("a page"))
}

async fn run(page: &str) {
    let own = if page == "setup.md" { Vec::new() } else { read(page) };
    let Pasted { success, output } = paste(page, &own).await;
    assert!(success, "docs/{page}:\n{output}");
}

/// Runs the setup and then these blocks against a new server.
async fn paste(page: &str, own: &[Block]) -> Pasted {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let setup = read("setup.md");
    let runs = setup.iter().chain(own).filter(|block| block.expect != Expect::NotRun).count();
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let neighbour = format!("localhost:{}", free.local_addr().expect("an address").port());
    drop(free);
    let allowed = neighbour.clone();
    let server = TestServer::start_with(move |config| config.web.allow = vec![allowed]).await;
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["docs", "catalog"] {
        std::os::unix::fs::symlink(root.join(name), folder.path().join(name)).expect("a link");
    }
    let program = Path::new(env!("CARGO_BIN_EXE_understudy")).parent().expect("a folder").to_owned();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
    let port = |text: &str| text.rsplit(':').next().unwrap_or_default().to_owned();
    let code = script(&setup, page, own)
        .replace(SERVER, &server.addr().to_string())
        .replace(OWN_SERVER, &neighbour)
        // The server in the example binds this port.
        .replace(
            &format!("\"localhost\", {}", port(OWN_SERVER)),
            &format!("\"localhost\", {}", port(&neighbour)),
        );
    let (log, program) = (folder.path().join(".log"), folder.path().join(".script"));
    std::fs::write(&program, code).expect("a script");
    let out = std::fs::OpenOptions::new().create(true).append(true).open(&log).expect("a log");
    let mut child = Command::new("bash")
        .arg(&program)
        .current_dir(folder.path())
        .env("PATH", path)
        .env("PASSWORD", &server.admin_person().password)
        .stdin(Stdio::null())
        .stdout(out.try_clone().expect("a log"))
        .stderr(out)
        .process_group(0)
        .spawn()
        .expect("bash");
    let group = i32::try_from(child.id()).expect("a process id");
    let waited = tokio::task::spawn_blocking(move || {
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(PAGE_SECONDS);
        loop {
            match child.try_wait().expect("a process") {
                Some(status) => return Some(status),
                None if std::time::Instant::now() > deadline => return None,
                None => std::thread::sleep(std::time::Duration::from_millis(50)),
            }
        }
    });
    let status = waited.await.expect("no panic");
    // Servers that the page started in the background.
    let _ =
        Command::new("kill").arg("-KILL").arg("--").arg(format!("-{group}")).stderr(Stdio::null()).status();
    let mut output = String::from_utf8_lossy(&std::fs::read(&log).expect("a log")).into_owned();
    let ended = status.is_some_and(|status| status.success());
    // A page that exits the shell early has not run completely, regardless of its status.
    let success = ended && output.ends_with(&format!("ran {runs} blocks\n"));
    output.push_str(&format!("{status:?}, of {runs} blocks"));
    Pasted { success, output }
}

/// One test per page, and a test that every page has one.
macro_rules! pages {
    ($($name:ident: $page:literal,)*) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            #[ignore = "needs bash, curl, jq, zip and python3"]
            async fn $name() {
                run($page).await;
            }
        )*

        #[test]
        fn every_page_has_a_test() {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
            let known = [$($page),*];
            for entry in std::fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.extension().is_none_or(|extension| extension != "md") {
                    continue;
                }
                let name = path.file_name().expect("a name").to_string_lossy().into_owned();
                let has_commands = !blocks(&std::fs::read_to_string(&path).expect("a page")).is_empty();
                assert!(!has_commands || known.contains(&name.as_str()), "docs/{name} is not run by any test");
            }
        }
    };
}

pages! {
    setup: "setup.md",
    assistants: "assistants.md",
    audio: "audio.md",
    automations: "automations.md",
    catalog: "catalog.md",
    control_tower: "control-tower.md",
    conversations: "conversations.md",
    debugging: "debugging.md",
    durability: "durability.md",
    external_services: "external-services.md",
    gateway: "gateway.md",
    knowledge: "knowledge.md",
    live: "live.md",
    memories: "memories.md",
    models: "models.md",
    notifications: "notifications.md",
    operations: "operations.md",
    people: "people.md",
    projects: "projects.md",
    skills: "skills.md",
    tool_servers: "tool-servers.md",
    tour: "tour.md",
    usage: "usage.md",
    video: "video.md",
    workflows: "workflows.md",
}

#[test]
fn blocks_reads_markers() {
    let page = "a\n```sh\none\n```\n<!-- not run: root -->\n```sh\ntwo\nthree\n```\n<!-- status: 409 -->\n```sh\nfour\n```\n";
    let found = blocks(page);
    let told: Vec<_> = found.iter().map(|block| (block.line, block.code.as_str(), &block.expect)).collect();
    let refused = Expect::Status("409".to_owned());
    assert_eq!(
        told,
        [(3, "one", &Expect::Success), (7, "two\nthree", &Expect::NotRun), (12, "four", &refused)]
    );
}

#[test]
#[should_panic(expected = "line 3: commands stand in unindented")]
fn blocks_refuses_indented_commands() {
    blocks("- a list\n\n  ```sh\n  one\n  ```\n");
}

/// Any fault in a block makes its page fail.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs bash, curl, jq, zip and python3"]
async fn paste_detects_every_fault_of_a_page() {
    let good = "<!-- status: 404 -->\n```sh\napi no/such\napi users/me\n```\n\
                <!-- stops early: it has no end -->\n```sh\napi notifications -H 'accept: text/event-stream'\n```\n";
    let pasted = paste("good.md", &blocks(good)).await;
    assert!(pasted.success, "{}", pasted.output);
    for bad in [
        "```sh\nfalse\n```\n",
        "```sh\nexit 0\n```\n",
        "```sh\necho $UNDEFINED\n```\n",
        "```sh\napi no/such | cat\n```\n",
        "```sh\nONE=$(api no/such) TWO=$(api users/me)\n```\n",
        "<!-- status: 409 -->\n```sh\napi no/such\n```\n",
        "<!-- status: 404 -->\n```sh\napi users/me\n```\n",
        "<!-- stops early: it is missing -->\n```sh\napi no/such\n```\n",
    ] {
        let pasted = paste("bad.md", &blocks(bad)).await;
        assert!(!pasted.success, "{bad}{}", pasted.output);
        assert!(pasted.output.contains("FAILED bad.md:") || bad.contains("exit 0"), "{}", pasted.output);
    }
}
