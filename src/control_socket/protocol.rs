//! The protocol of the control socket: one line of JSON per message; a `data` line is followed by the bytes it
//! announces.
//!
//! ```text
//! client                server
//! {"backup":{}}         {"progress":{"step":"records","done":1200,"total":null}}
//!                       {"data":{"bytes":65536}}, and 65,536 bytes of the backup
//!                       {"done":{"records":4211,"blobs":3,"keys":2}}, or {"error":{"message":"..."}}
//! ```

use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, Read, Write};
use storage::backup::BackupSummary;

/// The maximum length of a line in bytes.
pub(super) const MAX_LINE_LENGTH: usize = 8 << 10;

/// A request of a client.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Request {
    /// A backup of the data folder.
    Backup {},
}

/// A message of the server.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Event {
    /// The progress of the backup.
    Progress { step: String, done: u64, total: Option<u64> },
    /// This number of bytes of the backup follows after the line.
    Data { bytes: usize },
    /// The backup has been sent completely.
    Done(BackupSummary),
    /// The request has failed.
    Error { message: String },
}

impl Request {
    pub fn write(&self, to: &mut impl Write) -> io::Result<()> {
        write_line(self, to)
    }
}

impl Event {
    pub fn write(&self, to: &mut impl Write) -> io::Result<()> {
        write_line(self, to)
    }

    /// Reads the next message. Returns an error if the connection ends.
    pub fn read(from: &mut impl BufRead) -> io::Result<Self> {
        let mut line = Vec::new();
        from.take(MAX_LINE_LENGTH as u64).read_until(b'\n', &mut line)?;
        if !line.ends_with(b"\n") {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the server disconnected"));
        }
        Ok(serde_json::from_slice(&line)?)
    }
}

fn write_line(value: &impl Serialize, to: &mut impl Write) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    to.write_all(&line)
}
