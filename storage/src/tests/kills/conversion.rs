//! The first start on a data folder of version 1.0: its database is converted, and its rows are migrated.

pub(in crate::tests) use super::super::conversion::folder as folder_of_version_1;
use super::super::conversion::{backups, check, folder};
use super::{at_every_operation, at_every_operation_in, names, open_until, seed};
use crate::files::simulated::Random;
use crate::files::stopping::{Stop, StoppingFiles};
use crate::migrations::MIGRATIONS;
use crate::{Store, StoreOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

const FOLDER: &str = "STORAGE_CONVERSION_FOLDER";
const STOP: &str = "STORAGE_CONVERSION_STOP";
const TORN: &str = "STORAGE_CONVERSION_TORN";
/// The output of a process that has reached its stop: at an operation that cannot be torn, or at one that can.
const BEFORE: &str = "halted before an operation";
const WITHIN: &str = "halted at a write";
/// Approximate number of operations of a start that converts a database.
const OPERATIONS: u64 = 100;

/// Checks a folder after the next start: all content exists, together with one complete backup of the old database.
pub(in crate::tests) fn check_all(dir: &Path, before: &Path, context: &str) {
    println!("{context}");
    check(dir);
    let [backup] = &backups(dir)[..] else { panic!("{context}: {:?}", backups(dir)) };
    for name in ["conf", "db", "log.0", "log.1"] {
        let content = |dir: &Path| std::fs::read(dir.join(name)).unwrap();
        let is_whole = match name {
            // sled may write its file when it is opened.
            "db" => content(backup).len() >= content(&before.join("engine")).len(),
            _ => content(backup) == content(&before.join("engine")),
        };
        assert!(is_whole, "{context}: {name} of the backup");
    }
    let rest: Vec<_> =
        names(dir).into_iter().filter(|name| name.starts_with("engine") && name != "engine").collect();
    assert!(rest.is_empty(), "{context}: {rest:?}");
    let mut of_rows = names(&dir.join("backups"));
    of_rows.retain(|name| !name.starts_with("engine-1-"));
    assert!(!of_rows.is_empty(), "{context}: no backup of the rows");
    assert!(of_rows.iter().all(|name| name.ends_with(".tar.gz")), "{context}: {of_rows:?}");
}

/// Checks that version 1.0 can continue with the preserved database: it can be converted again.
fn check_backup(dir: &Path) {
    let engine = dir.join("engine");
    let backup = backups(dir).remove(0);
    std::fs::remove_dir_all(&engine).unwrap();
    super::super::copy(&backup, &engine);
    std::fs::remove_dir_all(dir.join("backups")).unwrap();
    check(dir);
}

#[test]
fn conversion_killed_at_any_file_operation_loses_nothing() {
    let seed = seed();
    let whole = tempfile::tempdir().unwrap();
    let before = folder(whole.path());
    let stops = at_every_operation(|stop| {
        let mut random = Random::new(seed ^ (stop.after * 2 + u64::from(stop.is_torn)));
        let parent = tempfile::tempdir().unwrap();
        let dir = parent.path().join("data");
        super::super::copy(&before, &dir);
        let stopped = open_until(stop, &dir, MIGRATIONS);
        let mut context = format!("{stop:?}, at {stopped:?}");
        // The next start may be killed as well.
        if random.once_in(4) {
            let again = open_until(Stop::after(random.below(OPERATIONS)), &dir, MIGRATIONS);
            context = format!("{context}, then at {again:?}");
        }
        check_all(&dir, &before, &context);
        if random.once_in(8) {
            check_backup(&dir);
        }
        stopped.map(|stopped| stopped.can_be_torn())
    });
    assert!(stops >= 80, "a conversion has {stops} operations");
}

#[test]
#[ignore = "the process that is killed"]
fn child() {
    let variable = |name: &str| std::env::var(name).ok();
    let (Some(dir), Some(stop)) = (variable(FOLDER), variable(STOP)) else { return };
    let stop = Stop { after: stop.parse().unwrap(), is_torn: variable(TORN).is_some() };
    let files = StoppingFiles::halting(stop, |at| {
        let can_be_torn = if at.can_be_torn() { WITHIN } else { BEFORE };
        writeln!(std::io::stdout(), "{can_be_torn}").unwrap();
    });
    drop(Store::open_on(Arc::new(files), StoreOptions::new(dir), None, MIGRATIONS));
}

fn run(name: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", &format!("tests::kills::conversion::{name}"), "--ignored", "--nocapture"]);
    command
}

/// This also covers sled's own files in the state in which the end of a process leaves them.
#[test]
fn conversion_with_its_process_killed_at_any_file_operation_loses_nothing() {
    // A process that is starting briefly has a copy of every lock of its parent. If this process started that many, its
    // other tests would find their folders locked.
    let output = run("parent").env(FOLDER, "").output().unwrap();
    let [text, errors] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    assert!(output.status.success() && text.contains("1 passed"), "{text}\n{errors}");
}

#[test]
#[ignore = "the process that kills others"]
fn parent() {
    if std::env::var_os(FOLDER).is_none() {
        return;
    }
    let whole = tempfile::tempdir().unwrap();
    let before = folder(whole.path());
    let stops = at_every_operation_in(1, |stop| {
        let parent = tempfile::tempdir().unwrap();
        let dir = parent.path().join("data");
        super::super::copy(&before, &dir);
        let mut command = run("child");
        command.env(FOLDER, &dir).env(STOP, stop.after.to_string()).stdout(Stdio::piped());
        if stop.is_torn {
            command.env(TORN, "");
        }
        let mut child = command.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let halted = output.lines().map_while(Result::ok).find_map(|line| {
            // The test harness writes the beginning of the line.
            [(BEFORE, false), (WITHIN, true)].into_iter().find(|(end, _)| line.ends_with(end))
        });
        child.kill().unwrap();
        let end = child.wait().unwrap();
        assert!(halted.is_some() || end.success(), "{stop:?}: {end}");
        check_all(&dir, &before, &format!("{stop:?}, {halted:?}"));
        halted.map(|(_, can_be_torn)| can_be_torn)
    });
    assert!(stops >= 80, "a conversion has {stops} operations");
}
