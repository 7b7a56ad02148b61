//! Reads the files of the web console from a folder: for the build script, which embeds them, and for debug builds of the
//! server, which can serve them without being compiled again.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::{fs, io};

use flate2::Compression;
use flate2::read::GzEncoder;

/// The page of the console. The server completes it and serves it itself.
const PAGE: &str = "index.html";
/// The digest of the sources of the console's files, for tests.
const SOURCES: &str = "SOURCES";
/// The list of the paths at which the console has a screen, for the build script.
pub const SCREENS: &str = "screens.json";

/// What the build of the console has written.
pub struct ConsoleFiles {
    /// Identifies the content of all files: 16 hexadecimal digits.
    pub digest: String,
    pub page: String,
    pub assets: Vec<CompressedFile>,
}

pub struct CompressedFile {
    /// Relative to the folder, with `/` between segments.
    pub path: String,
    pub media_type: &'static str,
    pub gzip: Vec<u8>,
}

/// Reads and compresses the files in a folder.
///
/// # Errors
/// If a file cannot be read, or has an extension without a known media type.
pub fn read_console(root: &Path) -> io::Result<ConsoleFiles> {
    let mut digest = DefaultHasher::new();
    let mut page = String::new();
    let mut assets = Vec::new();
    for (path, file) in files_of(root)? {
        let content = fs::read(&file)?;
        (&path, &content).hash(&mut digest);
        match path.as_str() {
            PAGE => page = String::from_utf8(content).map_err(io::Error::other)?,
            SOURCES | SCREENS => {}
            _ => {
                let mut gzip = Vec::new();
                GzEncoder::new(content.as_slice(), Compression::best()).read_to_end(&mut gzip)?;
                assets.push(CompressedFile { media_type: media_type(&path)?, path, gzip });
            }
        }
    }
    Ok(ConsoleFiles { digest: format!("{:016x}", digest.finish()), page, assets })
}

fn media_type(path: &str) -> io::Result<&'static str> {
    let extension = path.rsplit_once('.').map(|(_, extension)| extension).unwrap_or_default();
    Ok(match extension {
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "txt" => "text/plain; charset=utf-8",
        "json" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        _ => return Err(io::Error::other(format!("{path}: no media type for this extension"))),
    })
}

/// The files in a folder and in the folders below it, sorted, each with its path relative to `root`.
pub fn files_of(root: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let mut files = Vec::new();
    gather(root, &mut files)?;
    let relative = |file: PathBuf| {
        let path = file.strip_prefix(root).map_err(io::Error::other)?;
        Ok((path.to_string_lossy().replace('\\', "/"), file))
    };
    let mut files = files.into_iter().map(relative).collect::<io::Result<Vec<_>>>()?;
    files.sort();
    Ok(files)
}

fn gather(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        match path.is_dir() {
            true => gather(&path, files)?,
            false => files.push(path),
        }
    }
    Ok(())
}
