//! Bundles: the form in which skills are uploaded.
//!
//! A bundle is an archive (`.zip`, `.skill`) with a `SKILL.md`, or a single `SKILL.md`, or a single script (`.js`).
//! Reading a bundle executes none of its code.

mod archive;
mod front_matter;
mod paths;

use std::collections::BTreeMap;
use std::fmt;

use data_encoding::HEXLOWER;
use ring::digest::{Context, SHA256};

pub use archive::unpack;
pub use front_matter::Front;
use front_matter::split;
pub(super) use front_matter::usable_in;
pub use paths::{check as check_path, is_os_metadata};

/// Maximum size of a bundle in bytes.
pub const MAX_BYTES: usize = 5 << 20;
/// Maximum total size of a bundle's unpacked files in bytes.
pub const MAX_UNPACKED: usize = 10 << 20;
/// Maximum number of files in a bundle.
pub const MAX_FILES: usize = 200;
/// Maximum number of path components of a file, including its name.
pub const MAX_DEPTH: usize = 8;
/// Maximum number of scripts in a bundle.
pub const MAX_SCRIPTS: usize = 20;
/// Maximum number of characters of `SKILL.md`.
pub const MAX_INSTRUCTIONS_LENGTH: usize = 100_000;
/// Maximum number of faults that are reported for a bundle.
pub const MAX_FAULTS: usize = 50;

/// Name of the file that describes a skill.
pub const SKILL_MD: &str = "SKILL.md";

/// A fault in a bundle, with its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundleFault {
    /// Path of the file; empty for the bundle itself.
    pub path: String,
    /// Line number, from 1, if known.
    pub line: Option<u32>,
    /// Description of the fault.
    pub message: String,
}

impl BundleFault {
    /// Creates a fault of a file, or of the bundle if the path is empty.
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), line: None, message: message.into() }
    }
}

impl fmt::Display for BundleFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.path.as_str(), self.line) {
            ("", _) => f.write_str(&self.message),
            (path, Some(line)) => write!(f, "{path}, line {line}: {}", self.message),
            (path, None) => write!(f, "{path}: {}", self.message),
        }
    }
}

/// A bundle whose scripts have not been inspected yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle {
    /// Front matter of `SKILL.md`, or its equivalent in a single script.
    pub front: Front,
    /// The instructions for models, as Markdown.
    pub instructions: String,
    /// Text files by path.
    pub files: BTreeMap<String, String>,
    /// Paths of the scripts.
    pub scripts: Vec<String>,
    /// Paths of files that are not text. They are stored only in the bundle.
    pub ignored: Vec<String>,
    /// SHA-256 of the files with their paths, in hex.
    pub content_hash: String,
    /// Whether the bundle is a single script, which may describe the skill.
    pub lone_script: bool,
    /// Name for a skill without one: the file name without its extension.
    pub stem: String,
}

/// Reads a bundle from the contents of a file.
///
/// # Errors
/// All faults that can be found without executing a script.
pub fn read(filename: &str, bytes: &[u8]) -> Result<Bundle, Vec<BundleFault>> {
    let one = |message: String| vec![BundleFault::new("", message)];
    if bytes.len() > MAX_BYTES {
        return Err(one(format!("the bundle has {} bytes; the most is {MAX_BYTES}", bytes.len())));
    }
    let filename = filename.rsplit(['/', '\\']).next().unwrap_or_default();
    let (stem, ending) = filename.rsplit_once('.').unwrap_or((filename, ""));
    let (raw, lone_script) = match ending.to_ascii_lowercase().as_str() {
        "zip" | "skill" => (unpack(bytes, SKILL_MD)?, false),
        "md" => (BTreeMap::from([(SKILL_MD.to_owned(), bytes.to_vec())]), false),
        "js" => {
            paths::check(filename).map_err(one)?;
            (BTreeMap::from([(filename.to_owned(), bytes.to_vec())]), true)
        }
        _ => return Err(one("a bundle is a file ending in .zip, .skill, .md or .js".to_owned())),
    };
    assemble(raw, lone_script, stem)
}

fn assemble(
    raw: BTreeMap<String, Vec<u8>>,
    lone_script: bool,
    stem: &str,
) -> Result<Bundle, Vec<BundleFault>> {
    let content_hash = hash(&raw);
    let (mut files, mut ignored, mut faults) = (BTreeMap::new(), Vec::new(), Vec::new());
    for (path, bytes) in raw {
        match text(bytes) {
            Some(text) => {
                files.insert(path, text);
            }
            None if path == SKILL_MD || paths::is_script(&path) => {
                faults.push(BundleFault::new(path, "is no text in UTF-8"));
            }
            None => ignored.push(path),
        }
    }
    let scripts: Vec<String> = files.keys().filter(|path| paths::is_script(path)).cloned().collect();
    if scripts.len() > MAX_SCRIPTS {
        let message = format!("there are {} scripts; the most is {MAX_SCRIPTS}", scripts.len());
        faults.push(BundleFault::new("", message));
    }
    let (mut front, mut instructions) = (Front::default(), String::new());
    match files.get(SKILL_MD) {
        Some(whole) if whole.chars().count() > MAX_INSTRUCTIONS_LENGTH => {
            let message = format!("is longer than {MAX_INSTRUCTIONS_LENGTH} characters");
            faults.push(BundleFault::new(SKILL_MD, message));
        }
        Some(whole) => match split(whole) {
            Ok((said, rest)) => (front, instructions) = (said, rest.trim().to_owned()),
            Err(wrong) => faults.extend(wrong),
        },
        None if lone_script || faults.iter().any(|fault| fault.path == SKILL_MD) => {}
        None => faults.push(BundleFault::new(SKILL_MD, "is missing")),
    }
    if faults.is_empty() && instructions.is_empty() && scripts.is_empty() {
        faults.push(BundleFault::new(SKILL_MD, "has no instructions, and there is no script"));
    }
    if faults.is_empty() {
        let stem = stem.to_owned();
        Ok(Bundle { front, instructions, files, scripts, ignored, content_hash, lone_script, stem })
    } else {
        faults.truncate(MAX_FAULTS);
        Err(faults)
    }
}

/// SHA-256 over the files in the order of their paths. Each file contributes the length of its path (eight bytes,
/// little endian), its path, the length of its content, and its content.
fn hash(raw: &BTreeMap<String, Vec<u8>>) -> String {
    let mut all = Context::new(&SHA256);
    for (path, bytes) in raw {
        for piece in [path.as_bytes(), bytes] {
            all.update(&(piece.len() as u64).to_le_bytes());
            all.update(piece);
        }
    }
    HEXLOWER.encode(all.finish().as_ref())
}

/// Decodes UTF-8 text without a byte order mark. Returns `None` if the bytes are not text.
fn text(bytes: Vec<u8>) -> Option<String> {
    let text = String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))?;
    Some(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}
