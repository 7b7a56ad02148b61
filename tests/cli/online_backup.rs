//! Backups of a data folder that a server uses.

use super::folder::{GIVEN, root};
use super::{Served, bad, good, run, serve};
use crate::harness::{Client, client, text, until};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

const WRITERS: usize = 4;
/// One in this many conversations of a writer has a file.
const FILES: usize = 5;
/// The title of conversations that only add size.
const NOISE: &str = "Noise";

/// Conversations that writers create, each writer one after the other.
#[derive(Default)]
struct Load {
    is_over: AtomicBool,
    /// Number of conversations of each writer that the server has confirmed.
    confirmed: [AtomicUsize; WRITERS],
}

impl Load {
    fn confirmed(&self) -> Vec<usize> {
        self.confirmed.iter().map(|count| count.load(Ordering::SeqCst)).collect()
    }

    /// Writes conversations whose titles contain their number and the numbers that were confirmed before.
    async fn write(&self, client: &Client, writer: usize) {
        while !self.is_over.load(Ordering::SeqCst) {
            let confirmed = self.confirmed();
            let number = confirmed[writer];
            let seen: Vec<_> = confirmed.iter().map(usize::to_string).collect();
            let title = format!("{writer} {number} {}", seen.join(" "));
            let new = json!({"title": title, "user_data": {"padding": "x".repeat(3_000)}});
            let made = client.post("/api/conversations", new).await.created();
            if number.is_multiple_of(FILES) {
                upload(client, &text(&made["id"]), title.into_bytes()).await;
            }
            self.confirmed[writer].fetch_add(1, Ordering::SeqCst);
        }
    }
}

async fn upload(owner: &Client, conversation: &str, bytes: Vec<u8>) {
    let file = json!({"filename": "a.txt", "media_type": "text/plain", "size": bytes.len()});
    let signed = owner.post(&format!("/api/conversations/{conversation}/signed-upload-url"), file).await.ok();
    let sent = client().put(text(&signed["url"])).header("content-type", "text/plain").body(bytes);
    Client::send(sent).await.created();
}

async fn titles(client: &Client) -> Vec<Vec<usize>> {
    let (mut titles, mut query) = (Vec::new(), "?limit=100".to_owned());
    loop {
        let page = client.get(&format!("/api/conversations{query}")).await.ok();
        for item in page["items"].as_array().expect("items") {
            let numbers = text(&item["title"]);
            if numbers == NOISE {
                continue;
            }
            titles.push(numbers.split(' ').map(|number| number.parse().expect("a number")).collect());
        }
        let Some(next) = page["next_cursor"].as_str() else { return titles };
        query = format!("?limit=100&cursor={next}");
    }
}

async fn run_beside(dir: &Path, line: &[&str]) -> Output {
    let (dir, line) = (dir.to_owned(), line.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
    let run = move || run(&dir, &line.iter().map(String::as_str).collect::<Vec<_>>());
    tokio::task::spawn_blocking(run).await.expect("a command")
}

/// Checks that each writer's conversations are there without a gap, including all that were confirmed before the backup
/// began, and for each conversation all that were confirmed before it.
async fn check(file: &Path, least: &[usize], to: &Path) {
    good(&run_beside(to, &["restore", file.to_str().unwrap()]).await);
    let said = good(&run_beside(to, &["doctor"]).await);
    assert!(said.contains("no problems found"), "{said}");
    let server = serve(to, &[]);
    let titles = titles(&root(&server.url).await).await;
    let count = |writer| titles.iter().filter(|title| title[0] == writer).count();
    let counts: Vec<_> = (0..WRITERS).map(count).collect();
    assert!(counts.iter().zip(least).all(|(count, least)| count >= least), "{counts:?} of {least:?}");
    for title in &titles {
        let (writer, number, seen) = (title[0], title[1], &title[2..]);
        assert!(number < counts[writer], "writer {writer} has a gap below {number} of {counts:?}");
        assert!(seen.iter().zip(&counts).all(|(seen, count)| seen <= count), "{title:?} of {counts:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn backup_of_a_running_server_is_a_consistent_snapshot() {
    let parent = tempfile::tempdir().unwrap();
    let data = parent.path().join("data");
    // Enough data for copying to take a while.
    let (server, client) = server_with_noise(&data, 200).await;
    let load = Arc::new(Load::default());
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let (client, load) = (client.clone(), load.clone());
            tokio::spawn(async move { load.write(&client, writer).await })
        })
        .collect();
    let mut copies: Vec<(PathBuf, Vec<usize>)> = Vec::new();
    for number in 1..=2 {
        until("every writer has written", async || {
            load.confirmed().iter().all(|count| *count >= 20 * number)
        })
        .await;
        let (file, least) = (parent.path().join(format!("backup-{number}")), load.confirmed());
        let said = good(&run_beside(&data, &["backup", file.to_str().unwrap()]).await);
        assert!(said.contains("records") && said.contains("2 keys"), "{said}");
        let beside = load.confirmed().iter().sum::<usize>() - least.iter().sum::<usize>();
        println!("{beside} conversations were created beside a backup");
        assert!(beside > 0, "there was no load");
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        copies.push((file, least));
    }
    load.is_over.store(true, Ordering::SeqCst);
    for writer in writers {
        writer.await.unwrap();
    }
    // An existing file is not overwritten.
    let again = run_beside(&data, &["backup", copies[0].0.to_str().unwrap()]).await;
    assert!(bad(&again, 1).contains("exists"), "{again:?}");
    assert_eq!(server.stop(), Some(0));
    for (number, (file, least)) in copies.iter().enumerate() {
        check(file, least, &parent.path().join(format!("restored-{number}"))).await;
    }
}

/// Sends a request to the socket of a server. Returns the connection, and the first line of the response.
fn ask(data: &Path, request: &[u8]) -> (BufReader<UnixStream>, Value) {
    let mut stream = UnixStream::connect(data.join("control.sock")).unwrap();
    stream.write_all(request).unwrap();
    let (mut reader, mut line) = (BufReader::new(stream), String::new());
    reader.read_line(&mut line).unwrap();
    (reader, serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}")))
}

/// A new server with conversations of 20 KB that hardly compress.
async fn server_with_noise(data: &Path, conversations: usize) -> (Served, Client) {
    let server = serve(data, &GIVEN);
    let client = root(&server.url).await;
    for _ in 0..conversations {
        let noise: Vec<String> = (0..500).map(|_| rand::random::<u128>().to_string()).collect();
        let new = json!({"title": NOISE, "user_data": {"noise": noise.concat()}});
        client.post("/api/conversations", new).await.created();
    }
    (server, client)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn backup_with_a_stalled_client_blocks_nothing_else() {
    let parent = tempfile::tempdir().unwrap();
    let data = parent.path().join("data");
    // More data than a socket buffers.
    let (server, client) = server_with_noise(&data, 60).await;
    let socket = data.join("control.sock");
    let found = std::fs::metadata(&socket).unwrap();
    assert!(found.file_type().is_socket());
    assert_eq!(found.permissions().mode() & 0o777, 0o600);

    let unclear = |request: &[u8]| {
        let (mut reader, error) = ask(&data, request);
        let message = text(&error["error"]["message"]);
        assert_eq!(reader.read_line(&mut String::new()).unwrap(), 0, "the server hangs up");
        message
    };
    for request in [&b"{\"restore\":{}}\n"[..], b"backup\n", b"\n", b"{\"backup\":{\"file\":\"/x\"}}\n"] {
        assert!(unclear(request).contains("not understood"));
    }
    assert!(unclear(&[b'x'; 8 << 10]).contains("not understood"), "a line without an end");

    let (mut stalled, _) = ask(&data, b"{\"backup\":{}}\n");
    let file = parent.path().join("backup");
    let refused = run_beside(&data, &["backup", file.to_str().unwrap()]).await;
    assert!(bad(&refused, 1).contains("another backup"), "{refused:?}");
    assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 1, "no partial backup is left");
    client.post("/api/conversations", json!({"title": "Beside it"})).await.created();
    // The server does not wait for the client, and closes the connection.
    let ended = tokio::task::spawn_blocking(move || server.stop()).await.unwrap();
    assert_eq!(ended, Some(0));
    assert!(!socket.exists());
    let mut rest = Vec::new();
    let _ = stalled.read_to_end(&mut rest);
    assert!(!String::from_utf8_lossy(&rest).contains("\"done\":{"), "only a part was received");
    // No backup is in progress, and the folder is consistent.
    good(&run_beside(&data, &["backup", file.to_str().unwrap()]).await);
    assert!(good(&run_beside(&data, &["doctor"]).await).contains("no problems found"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stale_socket_of_a_killed_server_blocks_nothing() {
    let parent = tempfile::tempdir().unwrap();
    let data = parent.path().join("data");
    // Dropping the server kills it.
    drop(serve(&data, &GIVEN));
    assert!(data.join("control.sock").exists());
    let file = parent.path().join("stopped");
    good(&run_beside(&data, &["backup", file.to_str().unwrap()]).await);
    let _server = serve(&data, &[]);
    let file = parent.path().join("running");
    good(&run_beside(&data, &["backup", file.to_str().unwrap()]).await);
}
