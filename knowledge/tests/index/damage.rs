//! Crashes, damaged files and unknown files.

use std::path::{Path, PathBuf};

use uuid::Uuid;

use super::{TestIndex, doc};

/// Copies every file of an index in its current state, as it would be after a `kill -9`.
fn snapshot(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            std::fs::create_dir_all(&target).unwrap();
            snapshot(&entry.path(), &target);
        } else if std::fs::copy(entry.path(), &target).is_err() {
            // A file that a merge has deleted since the listing.
            assert!(!entry.path().exists());
        }
    }
}

fn folder(dir: &Path) -> PathBuf {
    dir.join(Uuid::from_u128(1).to_string())
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder(dir)).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.is_file()).collect()
}

#[tokio::test]
async fn apply_survives_a_kill() {
    let dir = tempfile::tempdir().unwrap();
    let index = TestIndex::open(dir.path());
    for number in 0..12 {
        index.put(doc(number), &["kettle"]).await;
        let copy = tempfile::tempdir().unwrap();
        // The writer is still open, its lock is on the disk, and merges may be in progress.
        snapshot(dir.path(), copy.path());
        let after = TestIndex::open(copy.path());
        let mut losses = after.lexical.losses();
        let held = after.lexical.documents(after.tenant).await.unwrap();
        assert_eq!(held, (0..=number).map(|n| (doc(n), 1)).collect());
        after.put(doc(100), &["lamp"]).await;
        assert_eq!(after.found("lamp").await, [(doc(100), 0)]);
        assert!(losses.try_recv().is_err());
    }
}

#[tokio::test]
async fn open_finds_everything_after_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    {
        let index = TestIndex::open(dir.path());
        index.put(doc(1), &["kettle"]).await;
    }
    let index = TestIndex::open(dir.path());
    assert_eq!(index.found("kettle").await, [(doc(1), 0)]);
}

#[tokio::test]
async fn open_detects_damage_of_any_file() {
    let dir = tempfile::tempdir().unwrap();
    TestIndex::open(dir.path()).put(doc(1), &["kettle", "lamp"]).await;
    let names: Vec<PathBuf> = files(dir.path());
    assert!(names.len() > 3, "{names:?}");
    let mut lost = 0;
    let spoils: [fn(&mut Vec<u8>); 3] =
        [|bytes| alter(bytes), |bytes| bytes.truncate(bytes.len() / 2), Vec::clear];
    for file in names {
        for spoil in spoils {
            let copy = tempfile::tempdir().unwrap();
            snapshot(dir.path(), copy.path());
            let path = folder(copy.path()).join(file.file_name().unwrap());
            let mut bytes = std::fs::read(&path).unwrap();
            spoil(&mut bytes);
            std::fs::write(&path, bytes).unwrap();
            lost += usize::from(opens_sound(copy.path()).await);
        }
    }
    assert!(lost > 3, "damage was noticed {lost} times");
}

fn alter(bytes: &mut [u8]) {
    let middle = bytes.len() / 2;
    bytes.iter_mut().skip(middle).take(1).for_each(|byte| *byte ^= 0x55);
}

/// Returns whether the index was recreated. In that case it is empty; otherwise it contains everything. It accepts
/// changes.
async fn opens_sound(dir: &Path) -> bool {
    let index = TestIndex::open(dir);
    let mut losses = index.lexical.losses();
    let held = index.lexical.documents(index.tenant).await.unwrap();
    let lost = losses.try_recv().is_ok_and(|tenant| tenant == index.tenant);
    assert_eq!(held.get(&doc(1)), (!lost).then_some(&2));
    assert_eq!(index.found("kettle").await.len(), usize::from(!lost));
    index.put(doc(2), &["stove"]).await;
    assert_eq!(index.found("stove").await, [(doc(2), 0)]);
    lost
}

#[tokio::test]
async fn open_recreates_an_unknown_folder() {
    let dir = tempfile::tempdir().unwrap();
    for content in [None, Some("0"), Some("999"), Some("\u{0}")] {
        let _ = std::fs::remove_dir_all(folder(dir.path()));
        std::fs::create_dir_all(folder(dir.path())).unwrap();
        std::fs::write(folder(dir.path()).join("other"), "x").unwrap();
        if let Some(content) = content {
            std::fs::write(folder(dir.path()).join("form"), content).unwrap();
        }
        assert!(!TestIndex::open(dir.path()).hits("kettle").await.iter().any(|_| true));
        assert!(!folder(dir.path()).join("other").exists());
    }
    // A file in place of the folder.
    std::fs::remove_dir_all(folder(dir.path())).unwrap();
    std::fs::write(folder(dir.path()), "x").unwrap();
    let index = TestIndex::open(dir.path());
    index.put(doc(1), &["kettle"]).await;
    assert_eq!(index.found("kettle").await.len(), 1);
}

#[cfg(unix)]
#[tokio::test]
async fn open_recovers_once_the_folder_can_be_created() {
    let dir = tempfile::tempdir().unwrap();
    let blocked = dir.path().join("blocked");
    std::fs::write(&blocked, "x").unwrap();
    let index = TestIndex::open(&blocked.join("index"));
    assert!(index.lexical.documents(index.tenant).await.is_err());
    std::fs::remove_file(&blocked).unwrap();
    index.put(doc(1), &["kettle"]).await;
    assert_eq!(index.found("kettle").await.len(), 1);
}
