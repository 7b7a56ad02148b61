//! The client side of the control socket, used by the command line.

use super::path_in;
use super::protocol::{Event, Request};
use std::io::{self, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use storage::Progress;
use storage::backup::BackupSummary;

/// A connection to the server that has a data folder open.
pub(crate) struct ControlClient {
    stream: UnixStream,
}

impl ControlClient {
    /// Connects to the server that has this data folder open.
    ///
    /// # Errors
    /// No server is listening, or the server belongs to another user.
    pub fn connect(dir: &Path) -> io::Result<Self> {
        Ok(Self { stream: UnixStream::connect(path_in(dir))? })
    }

    /// Receives a backup.
    ///
    /// # Errors
    /// The backup cannot be written, or the server has failed or stopped. The data written so far is incomplete.
    pub fn backup(self, to: &mut dyn Write, progress: &mut dyn FnMut(Progress)) -> io::Result<BackupSummary> {
        Request::Backup {}.write(&mut &self.stream)?;
        let mut from = BufReader::with_capacity(64 << 10, self.stream);
        loop {
            match Event::read(&mut from)? {
                Event::Progress { step, done, total } => {
                    let step = if step == "blobs" { "blobs" } else { "records" };
                    progress(Progress { step, done, total, in_bytes: false });
                }
                Event::Data { bytes } => {
                    let copied = io::copy(&mut (&mut from).take(bytes as u64), to)?;
                    if copied < bytes as u64 {
                        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the server disconnected"));
                    }
                }
                Event::Done(summary) => return Ok(summary),
                Event::Error { message } => return Err(io::Error::other(message)),
            }
        }
    }
}
