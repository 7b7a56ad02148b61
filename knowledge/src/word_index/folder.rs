//! Opens the folder of one tenant's index, or recreates it.

use std::io::Write;
use std::path::Path;

use tantivy::directory::MmapDirectory;
use tantivy::directory::error::OpenReadError;
use tantivy::tokenizer::TextAnalyzer;
use tantivy::{Index, IndexReader, IndexSettings, ReloadPolicy, TantivyError};

use super::words::{self, TermTokenizer};
use super::{IndexError, Layout, fault};

/// The file that states the format of the index in the folder. It is written last, so a folder without it is
/// incomplete.
const MARK: &str = "form";

/// The open index of a tenant, with its reader and schema.
pub(crate) struct Open<L: Layout> {
    pub(super) index: Index,
    pub(crate) reader: IndexReader,
    pub(crate) fields: L::Fields,
}

/// Opens the index, or recreates it if it does not exist, has another format, or is damaged. Also returns whether data
/// was lost.
pub(super) fn open<L: Layout>(folder: &Path) -> Result<(Open<L>, bool), IndexError> {
    let there = folder.exists();
    if there {
        match sound(folder) {
            Ok(open) => return Ok((open, false)),
            Err(Unsound::Unreadable(error)) => return Err(error),
            Err(Unsound::Damaged(why)) => {
                tracing::warn!(folder = %folder.display(), why, "a word index is rebuilt");
            }
        }
        let wiped =
            if folder.is_dir() { std::fs::remove_dir_all(folder) } else { std::fs::remove_file(folder) };
        wiped.map_err(fault)?;
    }
    Ok((begin(folder)?, there))
}

/// Why an index cannot be opened.
enum Unsound {
    /// The index is invalid and has to be recreated.
    Damaged(String),
    /// The index cannot be read at present, but may be intact.
    Unreadable(IndexError),
}

impl From<std::io::Error> for Unsound {
    fn from(error: std::io::Error) -> Self {
        use std::io::ErrorKind::{
            InvalidData, InvalidInput, IsADirectory, NotADirectory, NotFound, UnexpectedEof,
        };
        match error.kind() {
            NotFound | NotADirectory | IsADirectory | InvalidData | InvalidInput | UnexpectedEof => {
                Self::Damaged(error.to_string())
            }
            _ => Self::Unreadable(fault(error)),
        }
    }
}

impl From<TantivyError> for Unsound {
    fn from(error: TantivyError) -> Self {
        match error {
            TantivyError::IoError(error)
            | TantivyError::OpenReadError(OpenReadError::IoError { io_error: error, .. }) => {
                // Only the error kind and the system's error number are examined.
                let copy = error.raw_os_error().map(std::io::Error::from_raw_os_error);
                copy.unwrap_or_else(|| std::io::Error::new(error.kind(), error.to_string())).into()
            }
            other => Self::Damaged(other.to_string()),
        }
    }
}

/// Opens the index in the folder if all of it is readable.
fn sound<L: Layout>(folder: &Path) -> Result<Open<L>, Unsound> {
    let mark = std::fs::read(folder.join(MARK))?;
    if mark != L::FORM.to_string().as_bytes() {
        return Err(Unsound::Damaged("it has another format".to_owned()));
    }
    let index = Index::open_in_dir(folder)?;
    if index.schema() != L::schema().0 {
        return Err(Unsound::Damaged("it has other fields".to_owned()));
    }
    // Damage that is not detected now would cause a panic in a later search.
    match index.validate_checksum()?.iter().next() {
        Some(file) => Err(Unsound::Damaged(format!("{} is damaged", file.display()))),
        None => Ok(ready(index)?),
    }
}

fn begin<L: Layout>(folder: &Path) -> Result<Open<L>, IndexError> {
    std::fs::create_dir_all(folder).map_err(fault)?;
    let directory = MmapDirectory::open(folder).map_err(fault)?;
    let index = Index::create(directory, L::schema().0, IndexSettings::default()).map_err(fault)?;
    let mut mark = std::fs::File::create(folder.join(MARK)).map_err(fault)?;
    mark.write_all(L::FORM.to_string().as_bytes()).and_then(|()| mark.sync_all()).map_err(fault)?;
    for folder in [folder, folder.parent().unwrap_or(folder)] {
        std::fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(fault)?;
    }
    ready(index).map_err(fault)
}

fn ready<L: Layout>(index: Index) -> tantivy::Result<Open<L>> {
    index.tokenizers().register(words::NAME, TextAnalyzer::from(TermTokenizer));
    // Reloaded by the committer; the default policy would watch the folder in a separate thread.
    let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
    Ok(Open { index, reader, fields: L::schema().1 })
}
