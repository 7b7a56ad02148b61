//! Stores the last question and how much of its answer was printed, so that `--attach` needs no ids.

use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use uuid::Uuid;

/// The last question. Contains no credentials.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct LastQuestion {
    pub url: String,
    /// The conversation of the question.
    pub conversation_id: Uuid,
    /// The stream of the answer; `None` until the server has accepted the question.
    pub stream_id: Option<Uuid>,
    /// The sequence number of the last printed event; 0 before the first one.
    pub last_seq: u64,
    /// Whether that event was the end of the run.
    pub ended: bool,
}

impl LastQuestion {
    /// Creates the state for a question whose answer has not been printed yet.
    pub const fn new(url: String, conversation_id: Uuid, stream_id: Option<Uuid>) -> Self {
        Self { url, conversation_id, stream_id, last_seq: 0, ended: false }
    }

    /// Reads the file. Returns `None` if it does not exist or cannot be read, which means that no earlier question is
    /// known.
    pub fn load() -> Option<Self> {
        serde_json::from_slice(&std::fs::read(path()?).ok()?).ok()
    }

    /// Replaces the file atomically, with mode 0600, unless `replaces` refuses this for its current content. Returns
    /// whether the file was replaced.
    pub fn store(&self, replaces: impl FnOnce(&Self) -> bool) -> io::Result<bool> {
        let path = path().ok_or_else(|| io::Error::other("neither XDG_STATE_HOME nor HOME is set"))?;
        let folder = path.parent().unwrap_or(Path::new("/"));
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        // Without the lock, two commands that read the file at the same time would both replace it.
        let lock = File::open(folder)?;
        lock.lock()?;
        if Self::load().is_some_and(|present| !replaces(&present)) {
            return Ok(false);
        }
        // Temporary files are created with mode 0600.
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        serde_json::to_writer(&mut file, self)?;
        file.write_all(b"\n")?;
        file.persist(&path)?;
        Ok(true)
    }
}

/// The path of the file; `None` if the environment names no folder for it. A relative `XDG_STATE_HOME` is ignored, as
/// required by the XDG specification.
fn path() -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = folder("XDG_STATE_HOME").or_else(|| Some(folder("HOME")?.join(".local/state")))?;
    Some(state.join("understudy/ask.json"))
}
