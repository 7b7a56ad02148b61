//! Damaged data folders and full disks, tested from outside the process.

use super::folder::{GIVEN, root};
use super::{bad, good, run, serve, understudy};
use crate::harness::{text, until};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The output of a server that refuses to start.
fn refused(data: &Path) -> Output {
    understudy(data).args(["serve", "--listen", "127.0.0.1:0"]).output().expect("the binary runs")
}

/// Leaves a folder with 40 conversations in the state after its server was killed.
async fn killed(data: &Path) {
    let mut server = serve(data, &GIVEN);
    let root = root(&server.url).await;
    for number in 0..40 {
        let new = json!({"title": format!("Number {number:02}")});
        root.post("/api/conversations", new).await.created();
    }
    server.child.kill().unwrap();
    server.child.wait().unwrap();
}

/// The log segment that contains a text, and the position of the text.
fn log_with(data: &Path, words: &str) -> (PathBuf, usize) {
    for entry in std::fs::read_dir(data.join("engine/log")).unwrap() {
        let path = entry.unwrap().path();
        let content = std::fs::read(&path).unwrap();
        if let Some(at) = content.windows(words.len()).position(|bytes| bytes == words.as_bytes()) {
            return (path, at);
        }
    }
    panic!("no segment contains {words}")
}

async fn titles(data: &Path) -> Vec<String> {
    let server = serve(data, &[]);
    let listed = root(&server.url).await.get("/api/conversations?limit=100").await.ok();
    let mut titles: Vec<_> =
        listed["items"].as_array().unwrap().iter().map(|item| text(&item["title"])).collect();
    titles.sort();
    titles
}

#[tokio::test]
async fn damaged_log_is_refused_by_every_command_and_repaired_by_the_doctor() {
    let parent = tempfile::tempdir().unwrap();
    let data = parent.path().join("data");
    killed(&data).await;
    let (log, at) = log_with(&data, "Number 25");
    let mut content = std::fs::read(&log).unwrap();
    content[at] ^= 1;
    std::fs::write(&log, &content).unwrap();
    for said in [
        bad(&refused(&data), 3),
        bad(&run(&data, &["doctor"]), 3),
        bad(&run(&data, &["backup", parent.path().join("b").to_str().unwrap()]), 3),
    ] {
        assert!(said.contains(&log.display().to_string()) && said.contains("at byte"), "{said}");
        assert!(said.contains("understudy doctor --repair"), "{said}");
        assert!(!said.contains("panicked"), "{said}");
    }
    assert_eq!(std::fs::read(&log).unwrap(), content, "nothing was changed");
    let said = good(&run(&data, &["doctor", "--repair"]));
    assert!(said.contains("recovered") && said.contains("lost:") && said.contains("conversation"), "{said}");
    assert!(good(&run(&data, &["doctor"])).contains("no problems found"));
    let kept: Vec<_> = std::fs::read_dir(data.join("engine.damaged")).unwrap().collect();
    assert_eq!(kept.len(), 1);
    let there = (0..40).filter(|number| *number != 25);
    let expected: Vec<_> = there.map(|number| format!("Number {number:02}")).collect();
    assert_eq!(titles(&data).await, expected);
}

#[tokio::test]
async fn missing_database_files_are_reported_and_prevent_a_first_start() {
    let parent = tempfile::tempdir().unwrap();
    let data = parent.path().join("data");
    killed(&data).await;
    let (log, _) = log_with(&data, "Number 25");
    std::fs::rename(&log, parent.path().join("away")).unwrap();
    for said in [bad(&refused(&data), 3), bad(&run(&data, &["doctor"]), 3)] {
        assert!(said.contains(&format!("{} is missing", log.display())), "{said}");
    }
    std::fs::rename(parent.path().join("away"), &log).unwrap();
    std::fs::rename(data.join("engine"), parent.path().join("away")).unwrap();
    let said = bad(&refused(&data), 3);
    assert!(said.contains("not the first start"), "{said}");
    assert!(!data.join("engine").exists());
    std::fs::rename(parent.path().join("away"), data.join("engine")).unwrap();
    assert_eq!(titles(&data).await.len(), 40);
}

#[tokio::test]
async fn bad_signing_key_is_found_by_the_doctor_and_moved_away_on_request() {
    let parent = tempfile::tempdir().unwrap();
    let data = parent.path().join("data");
    assert_eq!(serve(&data, &GIVEN).stop(), Some(0));
    std::fs::write(data.join("signing.key"), "no key").unwrap();
    let output = run(&data, &["doctor"]);
    bad(&output, 3);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("signing.key is not an Ed25519 key"), "{said}");
    assert!(good(&run(&data, &["doctor", "--repair"])).contains("signing.key.damaged"));
    assert!(good(&run(&data, &["doctor"])).contains("no problems found"));
    let server = serve(&data, &[]);
    root(&server.url).await.get("/api/users/me").await.ok();
}

/// A small disk in memory; `None` if this process is not permitted to mount one.
struct Disk(tempfile::TempDir);

impl Disk {
    fn mount(mib: u64) -> Option<Self> {
        let dir = tempfile::tempdir().unwrap();
        let size = format!("size={mib}m");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &size, "tmpfs"])
            .arg(dir.path())
            .output()
            .is_ok_and(|output| output.status.success());
        mounted.then(|| Self(dir))
    }

    fn filler(&self) -> PathBuf {
        self.0.path().join("filler")
    }

    /// Fills the disk up to the last byte.
    fn fill(&self) {
        let mut file = std::fs::File::create(self.filler()).unwrap();
        let mut piece = vec![1; 1 << 20];
        while !piece.is_empty() {
            if std::io::Write::write_all(&mut file, &piece).is_err() {
                piece.truncate(piece.len() / 2);
            }
        }
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0.path()).status();
    }
}

/// The same as with the settings alone (`tests/api/storage_room.rs`), on a disk that is really full.
#[tokio::test]
async fn full_disk_refuses_writes_and_serves_reads_until_space_is_freed() {
    let Some(disk) = Disk::mount(96) else {
        eprintln!("no file system can be mounted here; the settings are tested in tests/api/storage_room.rs");
        return;
    };
    let data = disk.0.path().join("data");
    let mut settings = GIVEN.to_vec();
    settings.extend([("UNDERSTUDY_STORAGE__LOW_WATER_MIB", "24"), ("UNDERSTUDY_STORAGE__RESERVE_MIB", "8")]);
    let server = serve(&data, &settings);
    assert!(data.join("reserve").is_file());
    let client = root(&server.url).await;
    let made = client.post("/api/conversations", json!({"title": "Kept"})).await.created();
    let path = format!("/api/conversations/{}", text(&made["id"]));
    disk.fill();
    let create = async || client.post("/api/conversations", json!({})).await.status;
    until("writes are refused", async || create().await == 507).await;
    client.post("/api/conversations", json!({})).await.problem(507, "storage_full");
    assert_eq!(client.get(&path).await.ok()["title"], "Kept");
    assert_eq!(client.get("/readyz").await.ok()["status"], "degraded");
    std::fs::remove_file(disk.filler()).unwrap();
    until("writes are accepted", async || create().await == 201).await;
    // A server that was killed on a full disk starts there, using the space that it has reserved.
    disk.fill();
    drop(server);
    let told = [("UNDERSTUDY_STORAGE__LOW_WATER_MIB", "24"), ("UNDERSTUDY_STORAGE__RESERVE_MIB", "8")];
    let server = serve(&data, &told);
    assert!(!data.join("reserve").exists());
    let again = crate::harness::Client::new(server.url.clone(), Some(client.bearer().to_owned()));
    assert_eq!(again.get(&path).await.ok()["title"], "Kept");
    again.post("/api/conversations", json!({})).await.problem(507, "storage_full");
    assert_eq!(server.stop(), Some(0));
    let elsewhere = tempfile::tempdir().unwrap();
    let file = elsewhere.path().join("b.tar.gz");
    let on_it = |line: &[&str]| understudy(&data).envs(told).args(line).output().unwrap();
    assert!(good(&on_it(&["doctor"])).contains("no problems found"));
    good(&on_it(&["backup", file.to_str().unwrap()]));
    std::fs::remove_file(disk.filler()).unwrap();
    let server = serve(&data, &told);
    let again = crate::harness::Client::new(server.url.clone(), Some(client.bearer().to_owned()));
    again.post("/api/conversations", json!({})).await.created();
}
