//! The protocol between parent and child: frames that consist of a tag byte, the length in four bytes (little-endian),
//! and the payload.

use crate::script::ScriptErrorKind;
use serde::{Deserialize, Serialize};
use std::io;
use tokio::io::{AsyncRead, AsyncReadExt};

/// Child: the process is ready. Empty.
pub const READY: u8 = b'R';
/// Parent: the [`Order`], as JSON.
pub const ORDER: u8 = b'C';
/// Parent: the script.
pub const CODE: u8 = b'K';
/// Parent: the script's inputs, as JSON.
pub const INPUTS: u8 = b'I';
/// Child: the script begins. Empty.
pub const STARTED: u8 = b'S';
/// Child: a line written to the console.
pub const LOG: u8 = b'L';
/// Child: a [`Call`] of the host, as JSON.
pub const CALL: u8 = b'Q';
/// Parent: the result of a call, encoded by [`answer`].
pub const ANSWER: u8 = b'A';
/// Child: the result, as JSON. The last frame.
pub const OUTPUT: u8 = b'O';
/// Child: the [`Fault`], as JSON. The last frame.
pub const FAULT: u8 = b'E';

/// The maximum payload of a frame in bytes.
pub const MAX_FRAME_BYTES: usize = 256 << 20;

/// The instructions for running a script.
#[derive(Debug, Serialize, Deserialize)]
pub struct Order {
    /// The name of the function to be called.
    pub entry: String,
    /// The time limit in milliseconds.
    pub time_ms: u64,
    /// The memory limit in bytes.
    pub memory_bytes: u64,
    /// The stack limit in bytes.
    pub stack_bytes: u64,
    /// The maximum size of the result in bytes.
    pub output_bytes: u64,
    /// The maximum total size of console lines in bytes.
    pub log_bytes: u64,
    /// The maximum nesting depth of the result and of the arguments of calls.
    pub depth: u32,
    /// The names of the host's functions; empty if there is no host.
    pub host: Vec<String>,
    /// The maximum number of calls.
    pub calls: u32,
    /// The maximum size of a call's arguments in bytes.
    pub call_bytes: u64,
}

/// A call of a host function.
#[derive(Debug, Deserialize)]
pub struct Call {
    /// The number that identifies the call in its answer.
    pub id: u32,
    /// The name of the host function.
    pub name: String,
    pub arguments: Vec<serde_json::Value>,
}

/// Encodes the result of a call: its number (four bytes, little-endian), whether it succeeded (1) or failed (0), and
/// then the JSON or the error message.
pub fn answer(id: u32, came: &Result<Vec<u8>, String>) -> Vec<u8> {
    let (good, rest) = match came {
        Ok(json) => (1, json.as_slice()),
        Err(why) => (0, why.as_bytes()),
    };
    [&id.to_le_bytes(), [good].as_slice(), rest].concat()
}

/// Parses a payload written by [`answer`].
pub fn read_answer(payload: &[u8]) -> Option<(u32, Result<&[u8], &str>)> {
    let (id, rest) = payload.split_first_chunk::<4>()?;
    let (good, rest) = rest.split_first()?;
    let came = if *good == 1 { Ok(rest) } else { Err(std::str::from_utf8(rest).ok()?) };
    Some((u32::from_le_bytes(*id), came))
}

/// The reason why a script failed.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// The kind of failure.
    pub kind: ScriptErrorKind,
    /// A message for the author of the script.
    pub message: String,
    /// The line of the script, if known.
    pub line: Option<u32>,
}

impl Fault {
    /// Creates a fault that concerns the whole script.
    pub fn new(kind: ScriptErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), line: None }
    }
}

/// Encodes a complete frame, so that it is written with a single call.
pub fn frame(tag: u8, payload: &[u8]) -> io::Result<Vec<u8>> {
    let length = u32::try_from(payload.len()).ok().filter(|_| payload.len() <= MAX_FRAME_BYTES);
    let length = length.ok_or_else(|| io::Error::other("a frame would be too large"))?;
    let mut whole = Vec::with_capacity(payload.len() + 5);
    whole.push(tag);
    whole.extend_from_slice(&length.to_le_bytes());
    whole.extend_from_slice(payload);
    Ok(whole)
}

/// Reads a frame in the child, which trusts its parent.
pub fn read(from: &mut impl io::Read, tag: u8) -> io::Result<Vec<u8>> {
    let mut head = [0; 5];
    from.read_exact(&mut head)?;
    let length = length(head);
    if head[0] != tag || length > MAX_FRAME_BYTES {
        return Err(io::Error::other("an unexpected frame"));
    }
    let mut payload = vec![0; length];
    from.read_exact(&mut payload)?;
    Ok(payload)
}

/// Reads a frame in the parent, which does not trust its child: a frame larger than `most` is refused before its
/// payload is read.
pub async fn receive(from: &mut (impl AsyncRead + Unpin), most: usize) -> io::Result<(u8, Vec<u8>)> {
    let mut head = [0; 5];
    from.read_exact(&mut head).await?;
    let length = length(head);
    if length > most {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a frame is too large"));
    }
    let mut payload = vec![0; length];
    from.read_exact(&mut payload).await?;
    Ok((head[0], payload))
}

fn length(head: [u8; 5]) -> usize {
    u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize
}
