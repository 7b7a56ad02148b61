//! What parent and child say to each other: an order in the child's environment, the file as its standard input, and
//! frames on its standard output. A frame is one byte that says what it is, four that say how long, and JSON.

use super::pages::Limits;
use super::{ExtractErrorKind, Hint};
use serde::{Deserialize, Serialize};
use std::io;

/// Where the child finds its order.
pub(super) const ORDER: &str = "UNDERSTUDY_EXTRACT";

/// The file's type and title; the first frame.
pub(super) const HEAD: u8 = b'h';
pub(super) const PAGE: u8 = b'p';
/// There are no more pages.
pub(super) const END: u8 = b'e';
/// Why there is no text.
pub(super) const FAULT: u8 = b'f';

/// Bytes of a frame that is no page.
pub(super) const SMALL: usize = 64 << 10;

/// What a child is to do.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Order {
    pub hint: Hint,
    pub limits: Limits,
    pub memory_bytes: u64,
    pub file_bytes: u64,
    /// Whole seconds of processor time.
    pub seconds: u64,
}

/// What is known before the pages.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Head {
    pub media_type: String,
    pub title: Option<String>,
}

/// A failure, as the child tells it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Fault {
    pub kind: ExtractErrorKind,
    pub message: String,
}

/// A frame of these parts.
///
/// # Errors
/// A payload that is no JSON, or of more than 4 GiB.
pub(super) fn frame(tag: u8, payload: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut all = vec![tag, 0, 0, 0, 0];
    serde_json::to_writer(&mut all, payload)?;
    let length = u32::try_from(all.len() - 5).map_err(io::Error::other)?;
    all[1..5].copy_from_slice(&length.to_le_bytes());
    Ok(all)
}
