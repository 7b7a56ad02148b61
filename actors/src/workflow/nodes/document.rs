//! Reads the text out of a file.

use futures::TryStreamExt;
use serde_json::Value;
use storage::BlobId;

use super::{Done, Fields, NodeError, Task, markup, unavailable};

/// The largest file.
const LARGEST: u64 = 32 << 20;

/// Files that are text already, and pages of the web. Other formats join them when the knowledge area
/// is built.
pub(super) async fn run(task: &Task) -> Result<Done, NodeError> {
    let file = task.inputs.get("file").unwrap_or(&Value::Null);
    let field = |name: &str| file.get(name).and_then(Value::as_str).unwrap_or_default();
    let id = BlobId::parse(field("blob_id"));
    let id = id.map_err(|_| NodeError::new("type_mismatch", "`file` is no file: it has no `blob_id`"))?;
    let kind = media_type(field("media_type"), field("filename"));
    if !is_readable(&kind) {
        return Err(unavailable(&format!("the text of files of the type {kind:?} cannot be read yet")));
    }
    let bytes = read(task, &id).await?;
    let text = decoded(&bytes)?;
    let text = if is_page(&kind) { markup::text_of(&text) } else { text };
    let outputs = [("text", Value::from(text)), ("pages", 1.into()), ("media_type", kind.into())];
    Ok(Done::with(Fields::from_iter(outputs.map(|(name, value)| (name.to_owned(), value)))))
}

/// The type that a file says it has, or else the one of its name.
fn media_type(told: &str, filename: &str) -> String {
    let told = told.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if !told.is_empty() && told != "application/octet-stream" {
        return told;
    }
    let ending = filename.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    match ending.as_deref() {
        Some("txt" | "log") => "text/plain",
        Some("md" | "markdown") => "text/markdown",
        Some("csv") => "text/csv",
        Some("html" | "htm") => "text/html",
        Some("json") => "application/json",
        Some("xml") => "application/xml",
        Some("yaml" | "yml") => "application/yaml",
        _ => "application/octet-stream",
    }
    .to_owned()
}

fn is_readable(kind: &str) -> bool {
    const TEXTS: [&str; 6] = ["json", "xml", "yaml", "toml", "javascript", "x-ndjson"];
    let subtype = kind.strip_prefix("application/").unwrap_or_default();
    let suffix = subtype.rsplit('+').next().unwrap_or_default();
    kind.starts_with("text/")
        || TEXTS.contains(&subtype.trim_start_matches("x-"))
        || TEXTS.contains(&suffix)
        || subtype == "x-ndjson"
}

fn is_page(kind: &str) -> bool {
    matches!(kind, "text/html" | "application/xhtml+xml")
}

async fn read(task: &Task, id: &BlobId) -> Result<Vec<u8>, NodeError> {
    let failed = |why: storage::Error| match why {
        storage::Error::NotFound(_) => NodeError::new("not_found", "the file is not there any more"),
        other => NodeError::new("storage", other.to_string()),
    };
    let blob = task.means.store.blobs().get(task.tenant, id).await.map_err(failed)?;
    if blob.size > LARGEST {
        return Err(NodeError::new("invalid_input", format!("the file is larger than {LARGEST} bytes")));
    }
    let mut pieces = blob.bytes;
    let mut bytes = Vec::new();
    while let Some(piece) = pieces.try_next().await.map_err(failed)? {
        bytes.extend_from_slice(&piece);
    }
    Ok(bytes)
}

/// Text in UTF-8 or UTF-16, with or without a mark at its beginning.
fn decoded(bytes: &[u8]) -> Result<String, NodeError> {
    let wide = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
        String::from_utf16_lossy(&units)
    };
    match bytes {
        [0xff, 0xfe, rest @ ..] => Ok(wide(rest, u16::from_le_bytes)),
        [0xfe, 0xff, rest @ ..] => Ok(wide(rest, u16::from_be_bytes)),
        [0xef, 0xbb, 0xbf, rest @ ..] => Ok(String::from_utf8_lossy(rest).into_owned()),
        bytes if bytes.contains(&0) => Err(NodeError::new("invalid_input", "the file holds no text")),
        bytes => Ok(String::from_utf8_lossy(bytes).into_owned()),
    }
}
