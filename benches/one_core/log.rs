//! The log of a thread, and the commit of everything that waits on it.

use std::cell::RefCell;
use std::fs::File;
use std::io::{Result, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use flate2::Crc;

use crate::run::Run;

thread_local! {
    static LOG: RefCell<Option<Log>> = const { RefCell::new(None) };
}

/// The log of one thread: a file, and the runs whose texts wait for the next commit.
struct Log {
    file: File,
    buffer: Vec<u8>,
    waiting: Vec<Arc<Run>>,
    /// Whether a commit task is scheduled.
    is_scheduled: bool,
}

/// Creates the log of this thread.
pub fn open(folder: &Path, thread: usize) -> Result<()> {
    let file = File::options().create(true).append(true).open(folder.join(format!("log-{thread}")))?;
    let log = Log { file, buffer: Vec::new(), waiting: Vec::new(), is_scheduled: false };
    LOG.set(Some(log));
    Ok(())
}

fn with<T>(work: impl FnOnce(&mut Log) -> T) -> T {
    LOG.with_borrow_mut(|log| work(log.as_mut().expect("a log of this thread")))
}

/// Commits the text of a run together with those of all runs of this tick: after the tasks that are ready now, and after the sockets were
/// polled once more, as the server does.
pub fn commit_soon(run: Arc<Run>) {
    let is_first = with(|log| {
        log.waiting.push(run);
        !std::mem::replace(&mut log.is_scheduled, true)
    });
    if is_first {
        tokio::spawn(async {
            tokio::task::yield_now().await;
            commit();
        });
    }
}

/// Writes the texts of all waiting runs with one call, and then shows them to their readers.
fn commit() {
    let runs = with(|log| {
        log.is_scheduled = false;
        let runs = std::mem::take(&mut log.waiting);
        for run in &runs {
            run.take(&mut log.buffer);
        }
        log.write();
        runs
    });
    for run in &runs {
        run.publish();
    }
}

/// Commits the text of one run now.
pub fn commit_now(run: &Run) {
    with(|log| {
        run.take(&mut log.buffer);
        log.write();
    });
    run.publish();
}

impl Log {
    fn write(&mut self) {
        self.file.write_all(&self.buffer).expect("space for the log");
        self.buffer.clear();
    }
}

/// Appends an entry: length, checksum, run, sequence number, time and text.
pub fn entry(buffer: &mut Vec<u8>, run: &[u8; 16], seq: u64, text: &[u8]) {
    let begin = buffer.len();
    let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_micros() as u64);
    buffer.extend_from_slice(&((text.len() + 32) as u32).to_be_bytes());
    buffer.extend_from_slice(&[0; 4]);
    buffer.extend_from_slice(run);
    buffer.extend_from_slice(&seq.to_be_bytes());
    buffer.extend_from_slice(&time.to_be_bytes());
    buffer.extend_from_slice(text);
    let mut crc = Crc::new();
    crc.update(&buffer[begin + 8..]);
    buffer[begin + 4..begin + 8].copy_from_slice(&crc.sum().to_be_bytes());
}
