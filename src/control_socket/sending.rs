//! Sending a backup to a client of the control socket.

use super::protocol::Event;
use std::io::{self, BufWriter, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};
use storage::backup::{BackupOptions, BackupSummary, write_to};
use storage::{Progress, Store};

/// The number of bytes that are announced and sent at once.
const PIECE: usize = 256 << 10;
/// The interval of progress reports.
const REPORTS: Duration = Duration::from_millis(100);

/// Sends a backup and its result. Blocks the calling thread.
pub(super) fn send_backup(store: &Store, client: &UnixStream) {
    tracing::info!("a backup is being written");
    let ending = match send(store, client) {
        Ok(summary) => {
            tracing::info!(records = summary.records, blobs = summary.blobs, "a backup was written");
            Event::Done(summary)
        }
        Err(error) => {
            tracing::warn!(%error, "a backup failed");
            Event::Error { message: error.to_string() }
        }
    };
    if let Err(error) = ending.write(&mut &*client) {
        tracing::debug!(%error, "the client of a backup disconnected");
    }
}

fn send(store: &Store, client: &UnixStream) -> storage::Result<BackupSummary> {
    let mut reported = None::<(&str, Instant)>;
    let mut report = |progress: Progress| {
        let Progress { step, done, total, .. } = progress;
        if reported.is_some_and(|(last, at)| last == step && at.elapsed() < REPORTS) {
            return;
        }
        reported = Some((step, Instant::now()));
        // A failure is ignored: if the client has disconnected, sending the next piece fails.
        let _ = Event::Progress { step: step.to_owned(), done, total }.write(&mut &*client);
    };
    let mut pieces = BufWriter::with_capacity(PIECE, Pieces(client));
    let sent = write_to(store, &mut pieces, BackupOptions::default(), &mut report);
    let (Pieces(mut client), rest) = pieces.into_parts();
    let summary = sent?;
    if let Ok(rest) = rest {
        Pieces(client).write_all(&rest)?;
    }
    client.flush()?;
    Ok(summary)
}

/// Sends the bytes written to it, each piece announced by a line.
struct Pieces<'a>(&'a UnixStream);

impl Write for Pieces<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.is_empty() {
            return Ok(0);
        }
        Event::Data { bytes: bytes.len() }.write(&mut self.0)?;
        self.0.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
