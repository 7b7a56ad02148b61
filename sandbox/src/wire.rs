//! What parent and child say to each other: frames of one byte that tells what it is, the length as four bytes
//! (little end first), and the bytes themselves.

use crate::script::ScriptErrorKind;
use serde::{Deserialize, Serialize};
use std::io;
use tokio::io::{AsyncRead, AsyncReadExt};

/// Child: I am here. Empty.
pub const READY: u8 = b'R';
/// Parent: the [`Order`], as JSON.
pub const ORDER: u8 = b'C';
/// Parent: the script.
pub const CODE: u8 = b'K';
/// Parent: its inputs, as JSON.
pub const INPUTS: u8 = b'I';
/// Child: the script begins. Empty.
pub const STARTED: u8 = b'S';
/// Child: a line for the console.
pub const LOG: u8 = b'L';
/// Child: a [`Call`] of the host, as JSON.
pub const CALL: u8 = b'Q';
/// Parent: what came of a call, as [`answer`] writes it.
pub const ANSWER: u8 = b'A';
/// Child: the result, as JSON. The last frame.
pub const OUTPUT: u8 = b'O';
/// Child: the [`Fault`], as JSON. The last frame.
pub const FAULT: u8 = b'E';

/// The most that a frame can hold.
pub const LARGEST: usize = 256 << 20;

/// How a script is to be run.
#[derive(Debug, Serialize, Deserialize)]
pub struct Order {
    /// The exported function to be called.
    pub entry: String,
    /// The time limit in milliseconds.
    pub time_ms: u64,
    /// The memory limit in bytes.
    pub memory_bytes: u64,
    /// The stack limit in bytes.
    pub stack_bytes: u64,
    /// The largest result in bytes.
    pub output_bytes: u64,
    /// All lines of the console.
    pub log_bytes: u64,
    /// Nesting of the result, and of what calls are given.
    pub depth: u32,
    /// Functions of the host; none where there is no host.
    pub host: Vec<String>,
    /// The greatest number of calls.
    pub calls: u32,
    /// What a call is given.
    pub call_bytes: u64,
}

/// A call of the host.
#[derive(Debug, Deserialize)]
pub struct Call {
    /// By which it is answered.
    pub id: u32,
    /// The host function.
    pub name: String,
    pub arguments: Vec<serde_json::Value>,
}

/// What came of a call: its number (four bytes, little end first), whether it came to something (1) or failed (0),
/// and then the JSON or the text of the error.
pub fn answer(id: u32, came: &Result<Vec<u8>, String>) -> Vec<u8> {
    let (good, rest) = match came {
        Ok(json) => (1, json.as_slice()),
        Err(why) => (0, why.as_bytes()),
    };
    [&id.to_le_bytes(), [good].as_slice(), rest].concat()
}

/// Reads what [`answer`] wrote.
pub fn read_answer(payload: &[u8]) -> Option<(u32, Result<&[u8], &str>)> {
    let (id, rest) = payload.split_first_chunk::<4>()?;
    let (good, rest) = rest.split_first()?;
    let came = if *good == 1 { Ok(rest) } else { Err(std::str::from_utf8(rest).ok()?) };
    Some((u32::from_le_bytes(*id), came))
}

/// Why a script failed.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// What sort of failure it was.
    pub kind: ScriptErrorKind,
    /// A sentence for the script's author.
    pub message: String,
    /// Where, if that is known.
    pub line: Option<u32>,
}

impl Fault {
    /// A fault of the whole script.
    pub fn new(kind: ScriptErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), line: None }
    }
}

/// A whole frame in one piece, so that it is written with one call.
pub fn frame(tag: u8, payload: &[u8]) -> io::Result<Vec<u8>> {
    let length = u32::try_from(payload.len()).ok().filter(|_| payload.len() <= LARGEST);
    let length = length.ok_or_else(|| io::Error::other("a frame would be too large"))?;
    let mut whole = Vec::with_capacity(payload.len() + 5);
    whole.push(tag);
    whole.extend_from_slice(&length.to_le_bytes());
    whole.extend_from_slice(payload);
    Ok(whole)
}

/// Reads a frame in the child, which its parent is trusted to send well.
pub fn read(from: &mut impl io::Read, tag: u8) -> io::Result<Vec<u8>> {
    let mut head = [0; 5];
    from.read_exact(&mut head)?;
    let length = length(head);
    if head[0] != tag || length > LARGEST {
        return Err(io::Error::other("an unexpected frame"));
    }
    let mut payload = vec![0; length];
    from.read_exact(&mut payload)?;
    Ok(payload)
}

/// Reads a frame in the parent, which trusts its child with nothing: a frame larger than `most` is refused
/// before its bytes are taken.
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
