//! Data folders of version 1.0, which used sled with a write-ahead log in front of it.

use crate::records::{Conversation, Message, Part};
use crate::{Scan, Store, StoreOptions};
use std::path::Path;

/// A folder of version 1.0 in the state after `kill -9`: twelve conversations, one with a long message, and one that
/// was only in the log. Unpacked into `dir`.
pub(super) fn folder(dir: &Path) -> std::path::PathBuf {
    let packed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data-folders/1.0.tar.gz");
    let file = flate2::read::GzDecoder::new(std::fs::File::open(packed).unwrap());
    tar::Archive::new(file).unpack(dir).unwrap();
    dir.join("data")
}

pub(super) fn check(dir: &Path) {
    let store = Store::open(StoreOptions::new(dir)).unwrap();
    let (titles, longest, last) = store
        .read_now::<_, crate::Error>(|reader| {
            let (mut titles, mut longest, mut last) = (Vec::new(), 0, 0);
            for tenant in reader.tenants()? {
                for row in reader.scan::<Conversation>(tenant, Scan::table())?.items {
                    titles.extend(row.body.title.clone());
                }
                for row in reader.scan::<Message>(tenant, Scan::table())?.items {
                    for part in &row.body.parts {
                        let Part::Text { text } = part else { continue };
                        longest = longest.max(text.len());
                        last += usize::from(text == "The last one is in the log only.");
                    }
                }
            }
            Ok((titles, longest, last))
        })
        .unwrap();
    let mut expected: Vec<_> = (1..=12).map(|number| format!("Chapter {number}")).collect();
    expected.extend(["A long message".to_owned(), "In the log".to_owned()]);
    assert_eq!(titles, expected);
    assert_eq!((longest, last), (17 * 2_400, 1));
    let report = crate::doctor::examine(&store, false, &mut |_| {}).unwrap();
    assert_eq!(report.problems, []);
}

/// The preserved databases. Migrations of rows create other backups.
pub(super) fn backups(dir: &Path) -> Vec<std::path::PathBuf> {
    let found = std::fs::read_dir(dir.join("backups")).into_iter().flatten();
    let paths = found.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with("engine-1-")).collect()
}

#[test]
fn a_folder_of_version_1_is_converted_and_preserved() {
    let parent = tempfile::tempdir().unwrap();
    let dir = folder(parent.path());
    let log = std::fs::read(dir.join("engine/log.1")).unwrap();
    check(&dir);
    let [backup] = &backups(&dir)[..] else { panic!("{:?}", backups(&dir)) };
    assert_eq!(std::fs::read(backup.join("log.1")).unwrap(), log);
    // A second start does not convert again.
    check(&dir);
    assert_eq!(backups(&dir).len(), 1);
    assert!(!dir.join("engine/db").exists());
}

/// Every state that a conversion passes through between its renames.
#[test]
fn interrupted_conversion_restarts_or_is_finished() {
    let whole = tempfile::tempdir().unwrap();
    let before = folder(whole.path());
    let after = whole.path().join("after");
    super::copy(&before, &after);
    check(&after);
    let at = |dir: &Path, name: &str| dir.join(name);
    for state in 0..4 {
        let parent = tempfile::tempdir().unwrap();
        let dir = parent.path().join("data");
        super::copy(&before, &dir);
        match state {
            // While the new database is being written.
            0 => {
                std::fs::create_dir_all(at(&dir, "engine.new/log")).unwrap();
                std::fs::write(at(&dir, "engine.new/log/0000000001.log"), "half of it").unwrap();
            }
            // Before, between and after the renames.
            1 => super::copy(&at(&after, "engine"), &at(&dir, "engine.new")),
            2 => {
                super::copy(&at(&after, "engine"), &at(&dir, "engine.new"));
                std::fs::rename(at(&dir, "engine"), at(&dir, "engine.old")).unwrap();
            }
            _ => {
                std::fs::rename(at(&dir, "engine"), at(&dir, "engine.old")).unwrap();
                super::copy(&at(&after, "engine"), &at(&dir, "engine"));
            }
        }
        check(&dir);
        assert_eq!(backups(&dir).len(), 1, "state {state}");
        for name in ["engine.new", "engine.old"] {
            assert!(!dir.join(name).exists(), "state {state}: {name}");
        }
    }
}

#[test]
fn damaged_folder_of_version_1_is_refused_and_unchanged() {
    let parent = tempfile::tempdir().unwrap();
    let dir = folder(parent.path());
    let path = dir.join("engine/log.1");
    let mut log = std::fs::read(&path).unwrap();
    // A damaged record with later records after it.
    log[4_200] ^= 1;
    std::fs::write(&path, &log).unwrap();
    let refused = Store::open(StoreOptions::new(&dir)).map(drop).unwrap_err().to_string();
    assert!(refused.contains("log.1") && refused.contains("of that version"), "{refused}");
    assert_eq!(std::fs::read(&path).unwrap(), log);
    assert!(!dir.join("engine.new").exists());
}
