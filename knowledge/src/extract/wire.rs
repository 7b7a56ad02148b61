//! The protocol between parent and child: an order in the child's environment, the file as its standard input, and
//! frames on its standard output. A frame consists of a tag byte, a length of four bytes, and JSON.

use super::pages::Limits;
use super::{ExtractErrorKind, Hint};
use serde::{Deserialize, Serialize};
use std::io;

/// The environment variable that contains the order.
pub(super) const ORDER: &str = "UNDERSTUDY_EXTRACT";

/// The first frame: the file's type and title.
pub(super) const HEAD: u8 = b'h';
pub(super) const PAGE: u8 = b'p';
/// There are no more pages.
pub(super) const END: u8 = b'e';
/// The reason why there is no text.
pub(super) const FAULT: u8 = b'f';

/// The maximum size in bytes of a frame other than a page.
pub(super) const SMALL: usize = 64 << 10;

/// The order for a child.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Order {
    pub hint: Hint,
    pub limits: Limits,
    pub memory_bytes: u64,
    pub file_bytes: u64,
    /// The limit of processor time in whole seconds.
    pub seconds: u64,
}

/// The data that precedes the pages.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Head {
    pub media_type: String,
    pub title: Option<String>,
}

/// A failure reported by the child.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Fault {
    pub kind: ExtractErrorKind,
    pub message: String,
}

/// Encodes a frame.
///
/// # Errors
/// The payload cannot be serialized, or exceeds 4 GiB.
pub(super) fn frame(tag: u8, payload: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut all = vec![tag, 0, 0, 0, 0];
    serde_json::to_writer(&mut all, payload)?;
    let length = u32::try_from(all.len() - 5).map_err(io::Error::other)?;
    all[1..5].copy_from_slice(&length.to_le_bytes());
    Ok(all)
}
