//! The commands `backup`, `restore`, `compact` and `doctor`.

use super::{Done, Failure, Locations, UNSOUND, say};
use crate::control_socket::ControlClient;
use crate::http::credentials::{SIGNING_KEY, SigningKeys};
use indicatif::{HumanBytes, ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::path::Path;
use storage::Progress;
use storage::backup::{BackupSummary, RestoreOptions};

pub(super) fn backup(locations: &Locations, file: &Path) -> Done {
    let config = locations.settings()?;
    locations.is_there(&config)?;
    let mut bar = Bar::new();
    let mut show = |progress: Progress| bar.show(&progress);
    let written = match storage::Store::open(config.store()?) {
        Ok(store) => storage::backup::backup(&store, file, &mut show),
        Err(locked @ storage::OpenError::Locked { .. }) => {
            let server = server_of(&config.storage.data, locked)?;
            storage::backup::write_file(file, |to| Ok(server.backup(to, &mut show)?))
        }
        Err(other) => return Err(other.into()),
    };
    bar.clear();
    // The most common cause is a full disk at the backup's location, not at the data folder.
    let summary =
        written.map_err(|error| Failure::new(format!("cannot write {}: {error}", file.display())))?;
    say_what(file, &summary);
    Ok(())
}

/// Connects to the server that has the folder open. If there is no server, or it belongs to another user, the folder is
/// just locked.
fn server_of(data: &Path, locked: storage::OpenError) -> Done<ControlClient> {
    ControlClient::connect(data).map_err(|error| match error.kind() {
        std::io::ErrorKind::PermissionDenied => Failure::new(format!(
            "{} is in use by the server of another user; run this command as that user",
            data.display()
        )),
        _ => locked.into(),
    })
}

pub(super) fn restore(locations: &Locations, file: &Path) -> Done {
    let config = locations.settings()?;
    let options = RestoreOptions { blobs: config.store()?.blobs };
    let data = &config.storage.data;
    let mut bar = Bar::new();
    let restored = storage::backup::restore(file, data, &options, &mut |progress| bar.show(&progress));
    bar.clear();
    let summary = restored.map_err(|error| Failure::new(format!("{}: {error}", file.display())))?;
    say_what(data, &summary);
    Ok(())
}

pub(super) fn compact(locations: &Locations) -> Done {
    let config = locations.settings()?;
    let options = config.store()?;
    locations.is_there(&config)?;
    let (before, after) = storage::Store::compact(&options)?;
    let data = config.storage.data.display();
    say(&format!("{data}: the database used {}, and now uses {}\n", HumanBytes(before), HumanBytes(after)));
    Ok(())
}

fn say_what(file: &Path, summary: &BackupSummary) {
    let BackupSummary { records, blobs, keys } = summary;
    say(&format!("{}: {records} records, {blobs} blobs, {keys} keys\n", file.display()));
}

pub(super) fn doctor(locations: &Locations, repair: bool) -> Done {
    let config = locations.settings()?;
    locations.is_there(&config)?;
    let options = config.store()?;
    let store = match storage::Store::open(options.clone()) {
        Err(storage::OpenError::Damaged { .. }) if repair => {
            salvage(&options)?;
            storage::Store::open(options.clone())?
        }
        opened => opened?,
    };
    let mut bar = Bar::new();
    let examined = storage::doctor::examine(&store, repair, &mut |progress| bar.show(&progress));
    bar.clear();
    let (store, mut report) = match examined {
        // This part of the database is not read when it is opened.
        Err(storage::Error::Corrupt(why)) if repair => {
            say(&format!("{}: damaged data: {why}\n", options.dir.display()));
            drop(store);
            salvage(&options)?;
            let store = storage::Store::open(options)?;
            let report = storage::doctor::examine(&store, repair, &mut |progress| bar.show(&progress));
            bar.clear();
            (store, report?)
        }
        Err(error @ storage::Error::Corrupt(_)) => {
            let words = format!("{}: {error}; --repair recovers what can be read", options.dir.display());
            return Err(Failure { words, code: UNSOUND });
        }
        examined => (store, examined?),
    };
    report.problems.extend(signing_key(store.dir(), repair));
    for file in store.set_aside() {
        say(&format!(
            "{}: commits in it were not applied, because commits before them are missing; move the file away once it is \
             dealt with\n",
            file.display()
        ));
    }
    for problem in report.problems.iter().chain(&report.notes) {
        say(&format!("{problem}\n"));
    }
    let (data, checked) = (config.storage.data.display(), report.checked);
    let left_aside = store.set_aside().len();
    if report.problems.is_empty() && (left_aside == 0 || repair) {
        let beside = match (report.notes.len(), repair) {
            (0, _) => String::new(),
            (left, false) => format!(", {left} unreferenced blobs will be deleted by the server"),
            (left, true) => format!(", {left} unreferenced blobs were deleted"),
        };
        say(&format!("{data}: no problems found, {checked} items checked{beside}\n"));
        return Ok(());
    }
    let found = report.problems.len();
    if report.is_sound() && (left_aside == 0 || repair) {
        say(&format!("{data}: {found} problems, all repaired, {checked} items checked\n"));
        return Ok(());
    }
    let hint = if repair { "" } else { "; --repair repairs what can be repaired" };
    let words = match left_aside {
        0 => format!("{data}: {found} problems{hint}"),
        logs => format!("{data}: {found} problems{hint}, {logs} logs were set aside"),
    };
    Err(Failure { words, code: UNSOUND })
}

/// Recovers the readable data of a database that cannot be used as it is, and lists losses.
fn salvage(options: &storage::StoreOptions) -> Done {
    let found = storage::Store::salvage(options)
        .map_err(|error| Failure { words: error.to_string(), code: UNSOUND })?;
    let data = options.dir.display();
    say(&format!(
        "{data}: recovered {} stored values; the damaged database is in {}\n",
        found.keys,
        found.damaged_copy.display()
    ));
    if found.losses.is_empty() {
        say(&format!("{data}: no known losses\n"));
    }
    for loss in &found.losses {
        say(&format!("lost: {loss}\n"));
    }
    Ok(())
}

/// Reports a problem with the key that signs access tokens. If a bad key is moved away, the next start creates another
/// one.
fn signing_key(dir: &Path, repair: bool) -> Option<storage::doctor::Problem> {
    let path = dir.join(SIGNING_KEY);
    let why = SigningKeys::check(dir).err()?;
    let aside = dir.join(format!("{}.damaged", SIGNING_KEY));
    let repaired = (repair && std::fs::rename(&path, &aside).is_ok()).then(|| {
        format!(
            "moved to {}; the next start creates a new key, and all users must log in again",
            aside.display()
        )
    });
    Some(storage::doctor::Problem { what: why.to_string(), where_: "signing key".to_owned(), repaired })
}

/// A progress bar on a terminal; nothing on other outputs.
struct Bar {
    bar: Option<ProgressBar>,
    step: &'static str,
}

impl Bar {
    fn new() -> Self {
        let bar = std::io::stderr().is_terminal().then(|| ProgressBar::new(0));
        Self { bar, step: "" }
    }

    fn show(&mut self, progress: &Progress) {
        let Some(bar) = &self.bar else { return };
        if self.step != progress.step {
            self.step = progress.step;
            bar.reset();
            bar.set_style(style(progress));
            bar.set_message(progress.step);
        }
        bar.set_length(progress.total.unwrap_or(progress.done));
        bar.set_position(progress.done);
    }

    fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn style(progress: &Progress) -> ProgressStyle {
    let template = match (progress.in_bytes, progress.total.is_some()) {
        (true, _) => "{msg:>10} {wide_bar} {binary_bytes}/{binary_total_bytes} {binary_bytes_per_sec}",
        (false, true) => "{msg:>10} {wide_bar} {human_pos}/{human_len} {per_sec}",
        (false, false) => "{msg:>10} {spinner} {human_pos} {per_sec}",
    };
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
