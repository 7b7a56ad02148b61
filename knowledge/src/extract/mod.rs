//! The text of files, read in a child process that can be killed.

mod child;
mod flow;
mod html;
mod mail;
mod office;
mod pages;
#[cfg(feature = "pdf")]
mod pdf;
mod process;
mod read;
mod rtf;
mod sniff;
mod table;
mod text;
mod wire;
mod xml;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;

pub use child::serve;
pub use pages::Limits;
pub use read::read;

/// What is known of a file beside its bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hint {
    /// Its name; may be empty.
    pub filename: String,
    /// The type it is said to have; may be empty or wrong.
    pub media_type: String,
}

/// The text of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Extracted {
    /// The type that it turned out to have, for example `application/pdf`.
    pub media_type: String,
    /// The title that the file gives itself.
    pub title: Option<String>,
    /// Its pages, sheets or slides in their order; one where the format has none.
    pub pages: Vec<Page>,
}

/// A page, sheet or slide.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Page {
    /// Counted from 1, as the file counts them.
    pub number: u32,
    /// What a sheet or slide is called.
    pub name: Option<String>,
    /// The text, as Markdown: headings as `#`, tables as rows of cells with `|`.
    pub text: String,
}

/// The limits under which files are read.
#[derive(Clone, Debug)]
pub struct ExtractorConfig {
    /// The program whose body is [`serve`]; this very program where none is named.
    pub program: Option<PathBuf>,
    /// What the program is told so that it serves.
    pub args: Vec<std::ffi::OsString>,
    /// Files that are read at once, each in a process of its own. 0 for the number of cores.
    pub children: usize,
    /// Memory for one file, in bytes.
    pub memory_bytes: u64,
    /// Time for one file.
    pub time: Duration,
    /// The largest file, in bytes.
    pub file_bytes: u64,
    /// The most text of one file.
    pub text_bytes: u64,
    /// The most pages, sheets or slides of one file.
    pub pages: u32,
}

impl Default for ExtractorConfig {
    fn default() -> Self {
        Self {
            program: None,
            args: vec!["extract".into()],
            children: 0,
            memory_bytes: 512 << 20,
            time: Duration::from_secs(120),
            file_bytes: 256 << 20,
            text_bytes: 32 << 20,
            pages: 20_000,
        }
    }
}

/// Reads files. Cheap to clone; its clones share the places.
#[derive(Clone)]
pub struct Extractor {
    shared: Arc<Shared>,
}

struct Shared {
    config: ExtractorConfig,
    places: Semaphore,
}

impl Extractor {
    /// An extractor that has no process yet.
    pub fn new(config: ExtractorConfig) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let places = if config.children == 0 { cores } else { config.children };
        let places = Semaphore::new(places.min(Semaphore::MAX_PERMITS));
        Self { shared: Arc::new(Shared { config, places }) }
    }

    /// Reads the file at `path`. Waits for its turn first, which is not counted as its time. Dropping the future kills
    /// the child.
    ///
    /// Must be called within a Tokio runtime with time and input/output.
    ///
    /// # Errors
    /// Whatever kept its text from being read.
    pub async fn extract(&self, path: &Path, hint: &Hint) -> Result<Extracted, ExtractError> {
        let closed = |why| {
            ExtractError::new(
                ExtractErrorKind::Unavailable,
                format!("files cannot be read at the moment: {why}"),
            )
        };
        let _place = self.shared.places.acquire().await.map_err(closed)?;
        process::read_in_child(&self.shared.config, path, hint).await
    }
}

/// Why a file's text could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ExtractError {
    /// What sort of failure it was.
    pub kind: ExtractErrorKind,
    /// A sentence for the person who added the file.
    pub message: String,
}

/// The kinds of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExtractErrorKind {
    /// The format is none of those that are read.
    Unsupported,
    /// The file is not what it says it is, or broken.
    Damaged,
    /// It is locked by a password.
    Encrypted,
    /// There is no text in it.
    Empty,
    /// It, or what it unpacks to, is larger than it may be.
    TooLarge,
    /// It took longer than it may.
    Timeout,
    /// It needed more memory than it may.
    Memory,
    /// The process that read it went down.
    Crashed,
    /// There was no process to read it in; it may be tried again.
    Unavailable,
}

impl ExtractErrorKind {
    /// A stable name for machines.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Unsupported => "file_unsupported",
            Self::Damaged => "file_damaged",
            Self::Encrypted => "file_encrypted",
            Self::Empty => "file_empty",
            Self::TooLarge => "file_too_large",
            Self::Timeout => "file_timeout",
            Self::Memory => "file_memory",
            Self::Crashed => "file_crashed",
            Self::Unavailable => "file_unavailable",
        }
    }
}
