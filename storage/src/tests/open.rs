use super::{HERE, THERE, Thing};
use crate::engine::{Batch, Direction, KeyRange, LogEngine};
use crate::migrations::{Migration, format_of};
use crate::{Error, OpenError, Scan, Store, StoreOptions, new_id};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const KEY: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const OTHER: &str = "_____wQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";

fn open(dir: &Path, key: Option<&str>, migrations: &[Migration]) -> Result<Store, OpenError> {
    Store::open_with(StoreOptions::new(dir), key.map(str::to_owned), migrations)
}

fn secret(store: &Store) -> Result<Option<Vec<u8>>, Error> {
    store.run_blocking(|tx| tx.get_secret(HERE, "provider"))
}

#[test]
fn open_refuses_a_folder_that_is_already_open() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path(), None, &[]).unwrap();
    let refused = open(dir.path(), None, &[]).map(drop).unwrap_err();
    assert!(matches!(refused, OpenError::Locked { .. }));
    let message = refused.to_string();
    assert!(message.contains(&format!("process {}", std::process::id())), "{message}");
    // Also while only a clone is open.
    let clone = store.clone();
    drop(store);
    assert!(open(dir.path(), None, &[]).is_err());
    drop(clone);
    open(dir.path(), None, &[]).unwrap();
}

#[test]
fn open_waits_for_a_lock_left_by_a_process_that_is_gone() {
    let dir = tempfile::tempdir().unwrap();
    drop(open(dir.path(), None, &[]).unwrap());
    let mut gone = std::process::Command::new("true").spawn().unwrap();
    gone.wait().unwrap();
    std::fs::write(dir.path().join("lock"), format!("{}\n", gone.id())).unwrap();
    let held = std::fs::File::open(dir.path().join("lock")).unwrap();
    held.lock().unwrap();
    let release = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(100));
        drop(held);
    });
    open(dir.path(), None, &[]).unwrap();
    release.join().unwrap();
}

#[test]
fn open_creates_the_secrets_key_once_readable_by_its_owner_only() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path(), None, &[]).unwrap();
    store.run_blocking(|tx| tx.put_secret(HERE, "provider", b"sk-12345678")).unwrap();
    assert_eq!(secret(&store).unwrap().unwrap(), b"sk-12345678");
    drop(store);
    let path = dir.path().join("secrets.key");
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let store = open(dir.path(), None, &[]).unwrap();
    assert_eq!(secret(&store).unwrap().unwrap(), b"sk-12345678");
    drop(store);
    // No file contains the plain text.
    for file in files(dir.path()) {
        let content = std::fs::read(&file).unwrap();
        assert!(!content.windows(8).any(|bytes| bytes == b"12345678"), "{}", file.display());
    }
    // If the key is missing, no new one is created in its place.
    std::fs::rename(&path, dir.path().join("elsewhere")).unwrap();
    assert!(matches!(open(dir.path(), None, &[]), Err(OpenError::SecretsKey(_))));
    assert!(!path.exists());
    let secrets_key = std::fs::read_to_string(dir.path().join("elsewhere")).unwrap();
    let store = open(dir.path(), Some(&secrets_key), &[]).unwrap();
    assert_eq!(secret(&store).unwrap().unwrap(), b"sk-12345678");
}

fn files(dir: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

#[test]
fn open_refuses_a_wrong_or_malformed_secrets_key() {
    let dir = tempfile::tempdir().unwrap();
    drop(open(dir.path(), Some(KEY), &[]).unwrap());
    assert!(!dir.path().join("secrets.key").exists());
    for wrong in [OTHER, "", "AAEC", "not base64!", &KEY.repeat(2)] {
        let refused = open(dir.path(), Some(wrong), &[]);
        assert!(matches!(refused, Err(OpenError::SecretsKey(_))), "{wrong}");
    }
    open(dir.path(), Some(&format!(" {KEY}\n")), &[]).unwrap();
}

#[test]
fn secret_can_be_decrypted_only_under_its_own_name() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path(), None, &[]).unwrap();
    store
        .run_blocking(|tx| {
            tx.put_secret(HERE, "provider", b"one")?;
            tx.put_secret(HERE, "provider", b"two")?;
            tx.put_secret(HERE, "mail", b"")
        })
        .unwrap();
    assert_eq!(secret(&store).unwrap().unwrap(), b"two");
    assert_eq!(store.run_blocking(|tx| tx.get_secret(HERE, "mail")).unwrap().unwrap(), b"");
    assert_eq!(store.run_blocking(|tx| tx.get_secret(THERE, "provider")).unwrap(), None);
    // Moved to another name or with one bit changed, it cannot be decrypted.
    let sealed = |name: &str| crate::keys::record_key(*b"zs", HERE, &name.to_owned());
    let value = store.read_now(|reader| reader.raw_get(&sealed("provider"))).unwrap().unwrap();
    let mut bent = value.to_vec();
    bent[13] ^= 1;
    for (name, value) in [("moved", value.to_vec()), ("provider", bent), ("mail", vec![1, 2])] {
        let mut batch = Batch::new();
        batch.put(sealed(name), value);
        store.commit_blocking(batch).unwrap();
        let opened = store.run_blocking(|tx| tx.get_secret(HERE, name));
        assert!(matches!(opened, Err(Error::Corrupt(_))), "{name}");
    }
    assert!(store.run_blocking(|tx| tx.delete_secret(HERE, "mail")).unwrap());
    assert!(!store.run_blocking(|tx| tx.delete_secret(HERE, "mail")).unwrap());
}

const DOUBLE: Migration = Migration {
    name: "double every amount",
    work: |reader, batch| {
        for row in reader.scan::<Thing>(HERE, Scan::table())?.items {
            let mut row = row;
            row.amount *= 2;
            batch.put(crate::keys::record_key(*b"xt", HERE, &row.id), row.encode()?);
        }
        Ok(())
    },
};
const FAIL: Migration = Migration {
    name: "fail after some work",
    work: |_, batch| {
        batch.put("xt never", "never");
        Err(Error::Corrupt("on purpose".into()))
    },
};

fn amounts(store: &Store) -> Vec<i64> {
    let page = store.read_now(|reader| reader.scan::<Thing>(HERE, Scan::table())).unwrap();
    page.items.iter().map(|row| row.amount).collect()
}

fn format(store: &Store) -> u32 {
    format_of(&*store.inner.engine).unwrap().unwrap()
}

#[test]
fn migrations_run_once_in_order_after_a_backup() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path(), None, &[]).unwrap();
    for amount in [1, 2, 3] {
        let thing = Thing { name: amount.to_string(), amount, ..Thing::default() };
        store.run_blocking(|tx| tx.insert(HERE, new_id(), thing.clone())).unwrap();
    }
    assert_eq!(format(&store), 1);
    drop(store);

    let store = open(dir.path(), None, &[DOUBLE, DOUBLE]).unwrap();
    assert_eq!((amounts(&store), format(&store)), (vec![4, 8, 12], 3));
    drop(store);
    let store = open(dir.path(), None, &[DOUBLE, DOUBLE]).unwrap();
    assert_eq!((amounts(&store), format(&store)), (vec![4, 8, 12], 3), "they ran again");
    drop(store);
    let backups: Vec<_> = std::fs::read_dir(dir.path().join("backups")).unwrap().collect();
    assert_eq!(backups.len(), 1);

    // The backup contains the data from before the migrations.
    let before = tempfile::tempdir().unwrap();
    let file = backups[0].as_ref().unwrap().path();
    crate::backup::restore(&file, before.path(), &Default::default(), &mut |_| {}).unwrap();
    let store = open(before.path(), None, &[]).unwrap();
    assert_eq!((amounts(&store), format(&store)), (vec![1, 2, 3], 1));
}

#[test]
fn failing_migration_changes_nothing_and_reports_the_backup() {
    let dir = tempfile::tempdir().unwrap();
    drop(open(dir.path(), None, &[]).unwrap());
    let Err(OpenError::Migration { to: 3, backup, source }) = open(dir.path(), None, &[DOUBLE, FAIL]) else {
        panic!()
    };
    assert!(backup.is_file());
    assert!(source.to_string().contains("on purpose"));
    // The first step is in effect, and the second has left nothing behind.
    let store = open(dir.path(), None, &[DOUBLE]).unwrap();
    assert_eq!(format(&store), 2);
    assert!(store.read_now(|reader| reader.raw_get(b"xt never")).unwrap().is_none());
}

#[test]
fn open_refuses_a_newer_folder_and_leaves_it_unchanged() {
    let dir = tempfile::tempdir().unwrap();
    drop(open(dir.path(), None, &[DOUBLE, DOUBLE]).unwrap());
    let all = |dir: &Path| {
        let engine = super::engine_at(&dir.join("engine"));
        use crate::engine::Engine;
        engine.scan(KeyRange::all(), Direction::Forward, usize::MAX).unwrap()
    };
    let before = all(dir.path());
    let refused = open(dir.path(), None, &[DOUBLE]).map(drop).unwrap_err();
    assert!(matches!(refused, OpenError::Newer { found: 3, known: 2, .. }));
    assert!(refused.to_string().contains("use a newer version"));
    assert_eq!(all(dir.path()), before);
}

#[test]
fn commits_survive_closing_with_either_durability() {
    for durability in [crate::Durability::Process, crate::Durability::Power] {
        let dir = tempfile::tempdir().unwrap();
        let id = new_id();
        let options = || StoreOptions { durability, ..StoreOptions::new(dir.path()) };
        let store = Store::open_with(options(), None, &[]).unwrap();
        store.run_blocking(|tx| tx.insert(HERE, id, Thing::default())).unwrap();
        drop(store);
        let store = Store::open_with(options(), None, &[]).unwrap();
        assert!(store.read_now(|reader| reader.get::<Thing>(HERE, &id)).unwrap().is_some());
    }
}

#[test]
fn open_reports_a_folder_that_cannot_be_created() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    std::fs::write(&file, "x").unwrap();
    let refused = open(&file, None, &[]).map(drop).unwrap_err();
    assert!(refused.to_string().starts_with(&format!("cannot open {}", file.display())), "{refused}");
    std::fs::write(dir.path().join("restoring"), "").unwrap();
    let refused = open(dir.path(), None, &[]).map(drop).unwrap_err();
    assert!(refused.to_string().contains("restore"), "{refused}");
    let _: fn(&Path, _) -> _ = LogEngine::open;
}
