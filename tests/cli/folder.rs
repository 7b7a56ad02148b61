//! The data folder, tested from outside the process: its permissions, its size, and the behaviour when no more can be
//! written.

use super::{bad, good, run, serve, terminate, understudy};
use crate::harness::{Client, PASSWORD, TestServer, client, text};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

pub const GIVEN: [(&str, &str); 3] =
    [("UNDERSTUDY_ADMIN_EMAIL", "root@example.org"), ("UNDERSTUDY_ADMIN_PASSWORD", PASSWORD), ("FRESH", "1")];

pub async fn root(url: &str) -> Client {
    let body = json!({"email": "root@example.org", "password": PASSWORD});
    let login = Client::send(client().post(format!("{url}/api/auth/login/")).json(&body)).await.ok();
    Client::new(url.to_owned(), Some(text(&login["access_token"])))
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn data_folder_is_private_and_open_permissions_are_reported() {
    let parent = tempfile::tempdir().unwrap();
    let data = parent.path().join("deep/data");
    assert_eq!(serve(&data, &GIVEN).stop(), Some(0));
    assert_eq!(mode(&data), 0o700);
    std::fs::set_permissions(&data, PermissionsExt::from_mode(0o755)).unwrap();
    let log = parent.path().join("log");
    let mut command = understudy(&data);
    command.args(["--listen", "127.0.0.1:0"]).stdout(Stdio::piped());
    let mut child = command.stderr(std::fs::File::create(&log).unwrap()).spawn().unwrap();
    let mut first = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(child.stdout.take().unwrap()), &mut first)
        .unwrap();
    terminate(&child);
    child.wait().unwrap();
    let said = std::fs::read_to_string(&log).unwrap();
    assert!(said.contains("chmod 700"), "{said}");
    assert_eq!(mode(&data), 0o755, "the owner's permissions are left unchanged");
    let restored = parent.path().join("restored");
    let file = parent.path().join("backup");
    good(&run(&data, &["backup", file.to_str().unwrap()]));
    good(&run(&restored, &["restore", file.to_str().unwrap()]));
    assert_eq!(mode(&restored), 0o700);
}

#[tokio::test]
async fn compact_shrinks_the_database() {
    let server = TestServer::start().await;
    let made = server.user().post("/api/conversations", json!({"title": "Kept"})).await.created();
    let (token, dir) = (server.user().bearer().to_owned(), server.dir().to_owned());
    let output = tokio::task::spawn_blocking(move || run(&dir, &["compact"])).await.unwrap();
    assert!(bad(&output, 1).contains("is in use by another process"), "{output:?}");
    let dir = server.stop().await;
    let said = good(&run(dir.path(), &["compact"]));
    assert!(said.contains("the database used") && said.contains("and now uses"), "{said}");
    assert!(good(&run(dir.path(), &["doctor"])).contains("no problems found"));
    let server = serve(dir.path(), &[]);
    let id = text(&made["id"]);
    let ask = client().get(format!("{}/api/conversations/{id}", server.url)).bearer_auth(&token);
    assert_eq!(Client::send(ask).await.ok()["title"], "Kept");
    // The command creates nothing if there is no data folder.
    let nowhere = dir.path().join("nowhere");
    assert!(bad(&run(&nowhere, &["compact"]), 2).contains("there is no data folder"));
    assert!(!nowhere.exists());
}

/// A server whose files cannot grow any more exits and reports why, so that its service manager restarts it. All
/// confirmed data is then still there.
#[tokio::test]
async fn server_that_cannot_write_exits_without_losing_confirmed_data() {
    let parent = tempfile::tempdir().unwrap();
    let (data, log) = (parent.path().join("data"), parent.path().join("log"));
    assert_eq!(serve(&data, &GIVEN).stop(), Some(0));
    // The limit is in blocks of 512 or 1,024 bytes, depending on the shell. SIGXFSZ is ignored, because it would end
    // the server without a message.
    let limited = "trap '' 25; ulimit -f 2048; exec \"$0\" --listen 127.0.0.1:0";
    let plain = understudy(&data);
    let mut command = Command::new("sh");
    command.args(["-c", limited, env!("CARGO_BIN_EXE_understudy")]).stdin(Stdio::null());
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.stdout(Stdio::piped()).stderr(std::fs::File::create(&log).unwrap());
    let mut child = command.spawn().unwrap();
    let mut first = String::new();
    let out = child.stdout.take().unwrap();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(out), &mut first).unwrap();
    let writer = root(first.trim().rsplit(' ').next().unwrap()).await;
    let mut kept = Vec::new();
    let padding = "x".repeat(30_000);
    for number in 0..2_000 {
        let new = json!({"title": format!("Number {number}"), "user_data": {"padding": padding}});
        let sent = writer.request(reqwest::Method::POST, "/api/conversations").json(&new).send().await;
        // Connections fail after the server has ended.
        let Ok(answer) = sent else { break };
        if answer.status() != 201 {
            assert!(answer.status().is_server_error(), "{answer:?}");
            break;
        }
        let Ok(made) = answer.json::<Value>().await else { break };
        kept.push(text(&made["id"]));
    }
    assert!(!kept.is_empty());
    let ended = tokio::task::spawn_blocking(move || child.wait().unwrap()).await.unwrap();
    let said = std::fs::read_to_string(&log).unwrap();
    assert_eq!(ended.code(), Some(1), "{said}");
    assert!(said.contains("understudy: the data folder accepts no more writes"), "{said}");
    assert!(said.contains("File too large"), "{said}");
    let server = serve(&data, &[]);
    let root = root(&server.url).await;
    for id in kept {
        assert_eq!(root.get(&format!("/api/conversations/{id}")).await.ok()["id"], json!(id));
    }
}

#[test]
fn invalid_address_is_reported_with_the_remedy() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    for wrong in ["8080", ":8080", "0.0.0.0", "somewhere:8080"] {
        let said = bad(&run(&data, &["--listen", wrong]), 2);
        assert!(said.contains("127.0.0.1:8080, or 0.0.0.0:8080"), "{said}");
    }
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    // The name `localhost` is accepted.
    let said = bad(&run(&data, &["--listen", &format!("localhost:{port}")]), 1);
    assert!(said.contains(&format!("127.0.0.1:{port}")) && said.contains("--listen"), "{said}");
    let said = bad(&run(&data, &["tenant", "add", "x", "--url", "localhost:8080", "--token", "x"]), 2);
    assert!(said.contains("begins with http://"), "{said}");
    assert!(!data.exists(), "nothing was made");
}
