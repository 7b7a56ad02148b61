//! What is sent over the control socket: a line of JSON each, and after `data` the bytes that it announces.
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

/// Bytes of the longest line.
pub(super) const LONGEST_LINE: usize = 8 << 10;

/// What a client wants.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Request {
    /// A backup of the data folder.
    Backup {},
}

/// What the server reports.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Event {
    /// How far it is.
    Progress { step: String, done: u64, total: Option<u64> },
    /// So many bytes of the backup come after this line.
    Data { bytes: usize },
    /// The backup has been sent as a whole.
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

    /// Reads the next one. An error also when the connection ends.
    pub fn read(from: &mut impl BufRead) -> io::Result<Self> {
        let mut line = Vec::new();
        from.take(LONGEST_LINE as u64).read_until(b'\n', &mut line)?;
        if !line.ends_with(b"\n") {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the server hung up"));
        }
        Ok(serde_json::from_slice(&line)?)
    }
}

fn write_line(value: &impl Serialize, to: &mut impl Write) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    to.write_all(&line)
}
