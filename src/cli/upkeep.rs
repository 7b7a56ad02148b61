//! `backup`, `restore`, `compact` and `doctor`.

use super::{Done, Failure, Place, UNSOUND, say};
use indicatif::{HumanBytes, ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::path::Path;
use storage::Progress;
use storage::backup::{BackupSummary, RestoreOptions};

pub(super) fn backup(place: &Place, file: &Path) -> Done {
    let (_, store) = place.open()?;
    let mut bar = Bar::new();
    let summary = storage::backup::backup(&store, file, &mut |progress| bar.show(&progress))?;
    bar.clear();
    say_what(file, &summary);
    Ok(())
}

pub(super) fn restore(place: &Place, file: &Path) -> Done {
    let config = place.settings()?;
    let options = RestoreOptions { blobs: config.store()?.blobs };
    let data = &config.storage.data;
    let mut bar = Bar::new();
    let restored = storage::backup::restore(file, data, &options, &mut |progress| bar.show(&progress));
    bar.clear();
    let summary = restored.map_err(|error| Failure::new(format!("{}: {error}", file.display())))?;
    say_what(data, &summary);
    Ok(())
}

pub(super) fn compact(place: &Place) -> Done {
    let config = place.settings()?;
    let options = config.store()?;
    place.is_there(&config)?;
    let (before, after) = storage::Store::compact(&options)?;
    let data = config.storage.data.display();
    say(&format!("{data}: the database took {}, and takes {}\n", HumanBytes(before), HumanBytes(after)));
    Ok(())
}

fn say_what(place: &Path, summary: &BackupSummary) {
    let BackupSummary { records, blobs, keys } = summary;
    say(&format!("{}: {records} records, {blobs} blobs, {keys} keys\n", place.display()));
}

pub(super) fn doctor(place: &Place, repair: bool) -> Done {
    let (config, store) = place.open()?;
    let mut bar = Bar::new();
    let report = storage::doctor::examine(&store, repair, &mut |progress| bar.show(&progress))?;
    bar.clear();
    for problem in report.problems.iter().chain(&report.notes) {
        say(&format!("{problem}\n"));
    }
    let (data, checked) = (config.storage.data.display(), report.checked);
    if report.problems.is_empty() {
        let beside = match (report.notes.len(), repair) {
            (0, _) => String::new(),
            (left, false) => format!(", {left} blobs are left over and will be deleted by the server"),
            (left, true) => format!(", {left} blobs that were left over are deleted"),
        };
        say(&format!("{data}: all is well, {checked} things examined{beside}\n"));
        return Ok(());
    }
    let found = report.problems.len();
    if report.is_sound() {
        say(&format!("{data}: {found} problems, all mended, {checked} things examined\n"));
        return Ok(());
    }
    let hint = if repair { "" } else { "; --repair mends what can be mended" };
    Err(Failure { words: format!("{data}: {found} problems{hint}"), code: UNSOUND })
}

/// A progress bar on a terminal, and nothing elsewhere.
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
