//! Extracts the text of files in a child process that can be killed.

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

/// Information about a file in addition to its content.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hint {
    /// The file name; may be empty.
    pub filename: String,
    /// The declared media type; may be empty or wrong.
    pub media_type: String,
}

/// The text of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Extracted {
    /// The detected media type, for example `application/pdf`.
    pub media_type: String,
    /// The title stated in the file.
    pub title: Option<String>,
    /// The pages, sheets or slides in order; a single page if the format has none.
    pub pages: Vec<Page>,
}

/// A page, sheet or slide.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Page {
    /// The page number in the file, from 1.
    pub number: u32,
    /// The name of a sheet or slide.
    pub name: Option<String>,
    /// The text, as Markdown: headings as `#`, tables as rows of cells with `|`.
    pub text: String,
}

/// The limits for reading files.
#[derive(Clone, Debug)]
pub struct ExtractorConfig {
    /// The program that calls [`serve`]; this program by default.
    pub program: Option<PathBuf>,
    /// The arguments that make the program call [`serve`].
    pub args: Vec<std::ffi::OsString>,
    /// The number of files that are read at once, each in its own process. 0 for the number of cores.
    pub children: usize,
    /// The memory limit for one file in bytes.
    pub memory_bytes: u64,
    /// The time limit for one file.
    pub time: Duration,
    /// The maximum size of a file in bytes.
    pub file_bytes: u64,
    /// The maximum text of one file in bytes.
    pub text_bytes: u64,
    /// The maximum number of pages, sheets or slides of one file.
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

/// Extracts the text of files. Cheap to clone; clones share the concurrency limit.
#[derive(Clone)]
pub struct Extractor {
    shared: Arc<Shared>,
}

struct Shared {
    config: ExtractorConfig,
    places: Semaphore,
}

impl Extractor {
    /// Creates an extractor. Processes are started on demand.
    pub fn new(config: ExtractorConfig) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let places = if config.children == 0 { cores } else { config.children };
        let places = Semaphore::new(places.min(Semaphore::MAX_PERMITS));
        Self { shared: Arc::new(Shared { config, places }) }
    }

    /// Reads the file at `path`. Waits for its turn first, which does not count towards the time limit. Dropping the
    /// future kills the child.
    ///
    /// Must be called within a Tokio runtime with time and I/O enabled.
    ///
    /// # Errors
    /// The reason why the text could not be extracted.
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
    /// The kind of failure.
    pub kind: ExtractErrorKind,
    /// A message for the user who added the file.
    pub message: String,
}

/// The kinds of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExtractErrorKind {
    /// The format is not supported.
    Unsupported,
    /// The content does not match the file type, or is corrupt.
    Damaged,
    /// The file is protected by a password.
    Encrypted,
    /// The file contains no text.
    Empty,
    /// The file, or its unpacked content, exceeds a size limit.
    TooLarge,
    /// Reading exceeded the time limit.
    Timeout,
    /// Reading exceeded the memory limit.
    Memory,
    /// The process that read the file crashed.
    Crashed,
    /// No process was available to read the file; it may be retried.
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
