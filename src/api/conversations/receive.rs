//! Receives a file of a known size and type and writes it straight to disk.

use std::time::Duration;

use actix_web::HttpRequest;
use actix_web::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use actix_web::web::Payload;
use futures::StreamExt;
use tempfile::NamedTempFile;
use tokio::io::AsyncWriteExt;

use crate::http::{Api, Code, Refusal};

/// Number of bytes from which the type is detected.
const HEAD: usize = 8 * 1024;

/// Types, other than images, that their bytes identify reliably.
const EXACT: [&str; 3] =
    ["application/pdf", "application/x-executable", "application/vnd.microsoft.portable-executable"];

/// Writes the body to a temporary file, which is deleted when it is dropped. Refuses a body that does not have exactly this size, or whose
/// bytes contradict this type.
pub async fn file(
    request: &HttpRequest,
    mut payload: Payload,
    media_type: &str,
    size: u64,
    patience: Duration,
) -> Api<NamedTempFile> {
    announced(request, media_type, size)?;
    let file = tasks::blocking(NamedTempFile::new).await.map_err(internal)?;
    let file = file.map_err(unwritten)?;
    let mut to = tokio::fs::File::from_std(file.reopen().map_err(unwritten)?);
    let mut head = Vec::new();
    let mut came = 0;
    let gather = async {
        while let Some(piece) = payload.next().await {
            let piece = piece.map_err(|why| Refusal::new(Code::MalformedBody).because(why))?;
            came += piece.len() as u64;
            if came > size {
                return Err(wrong_size(size));
            }
            head.extend_from_slice(&piece[..piece.len().min(HEAD.saturating_sub(head.len()))]);
            to.write_all(&piece).await.map_err(unwritten)?;
        }
        to.flush().await.map_err(unwritten)
    };
    tokio::time::timeout(patience, gather).await.map_err(|_| Code::RequestTimeout)??;
    if came != size {
        return Err(wrong_size(size));
    }
    match contradicting_type(&head, media_type) {
        Some(other) => Err(Refusal::new(Code::WrongContentType).detail(format!("the content is {other}"))),
        None => Ok(file),
    }
}

/// Checks the headers of the request. They may be missing, but must not contradict the announced size and type.
fn announced(request: &HttpRequest, media_type: &str, size: u64) -> Api<()> {
    let header = |name| request.headers().get(name).and_then(|value| value.to_str().ok());
    if header(CONTENT_LENGTH).and_then(|text| text.parse().ok()).is_some_and(|length: u64| length != size) {
        return Err(wrong_size(size));
    }
    let announced = header(CONTENT_TYPE).unwrap_or(media_type);
    let announced = announced.split(';').next().unwrap_or_default().trim();
    match announced.eq_ignore_ascii_case(media_type) || announced == "application/octet-stream" {
        true => Ok(()),
        false => {
            Err(Refusal::new(Code::WrongContentType).detail(format!("the content must be {media_type}")))
        }
    }
}

/// Returns the detected type of the bytes if it contradicts the announced type. Many formats contain others (office documents are ZIP
/// archives), so only types that exclude each other count as a contradiction.
pub fn contradicting_type(head: &[u8], media_type: &str) -> Option<&'static str> {
    let found = infer::get(head)?.mime_type();
    let media_type = media_type.to_ascii_lowercase();
    let kind = |text: &str| text.split('/').next().unwrap_or_default().to_owned();
    // Audio and video formats share their containers.
    let recorded = |text: &str| matches!(kind(text).as_str(), "audio" | "video");
    let exact = |text: &str| kind(text) == "image" || EXACT.contains(&text);
    let apart = match exact(found) || exact(&media_type) {
        true => found != media_type,
        false => recorded(found) != recorded(&media_type),
    };
    apart.then_some(found)
}

fn wrong_size(size: u64) -> Refusal {
    Refusal::invalid("body", [], format!("must have {size} bytes"), "wrong_length")
}

/// A full disk has an error code of its own.
fn unwritten(why: std::io::Error) -> Refusal {
    storage::Error::Io(why).into()
}

fn internal(why: impl std::fmt::Display) -> Refusal {
    Refusal::new(Code::Internal).because(why)
}
