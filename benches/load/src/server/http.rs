//! A minimal HTTP/1.1 client. It does only the work that is needed to detect the end of a response,
//! because the load generator shares its processors with the system that it measures.

use std::io;
use std::net::SocketAddr;

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

pub async fn connect(address: SocketAddr) -> io::Result<TcpStream> {
    let connection = TcpStream::connect(address).await?;
    connection.set_nodelay(true)?;
    Ok(connection)
}

/// How far a response has been read.
#[derive(Clone, Copy, PartialEq)]
enum Length {
    Head,
    Known(u64),
    Chunked,
}

/// Reads one response piece by piece as it arrives from the socket.
pub struct Answer {
    head: Vec<u8>,
    length: Length,
    tail: [u8; 7],
    /// 0 until the head has been read.
    pub status: u16,
    /// Bytes of the body so far, including framing.
    pub bytes: u64,
    pub done: bool,
}

impl Default for Answer {
    fn default() -> Answer {
        Answer { head: Vec::new(), length: Length::Head, tail: [0; 7], status: 0, bytes: 0, done: false }
    }
}

impl Answer {
    /// Takes a piece and returns the part of it that belongs to the body.
    pub fn feed<'a>(&mut self, piece: &'a [u8]) -> io::Result<&'a [u8]> {
        let body = if self.length == Length::Head { self.feed_head(piece)? } else { piece };
        self.bytes += body.len() as u64;
        match self.length {
            Length::Head => {}
            Length::Known(length) => self.done = self.bytes >= length,
            Length::Chunked => self.feed_tail(body),
        }
        Ok(body)
    }

    fn feed_head<'a>(&mut self, piece: &'a [u8]) -> io::Result<&'a [u8]> {
        let before = self.head.len();
        self.head.extend_from_slice(piece);
        let Some(end) = find(&self.head, b"\r\n\r\n") else {
            return Ok(&[]);
        };
        let text = String::from_utf8_lossy(&self.head[..end]).to_ascii_lowercase();
        self.status = text.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
        let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
        self.length = match field("content-length:").and_then(|value| value.parse().ok()) {
            Some(length) => Length::Known(length),
            None if field("transfer-encoding:") == Some("chunked") => Length::Chunked,
            None if matches!(self.status, 204 | 304) => Length::Known(0),
            None => {
                return Err(io::Error::other(format!("an answer without a length: {text}")));
            }
        };
        Ok(&piece[end + 4 - before..])
    }

    /// Detects the end of a chunked body, an empty chunk. Events are JSON, which contains no bare
    /// line break.
    fn feed_tail(&mut self, body: &[u8]) {
        let kept = body.len().min(7);
        self.tail.rotate_left(kept);
        self.tail[7 - kept..].copy_from_slice(&body[body.len() - kept..]);
        self.done = &self.tail == b"\r\n0\r\n\r\n" || (self.bytes == 5 && self.tail[2..] == *b"0\r\n\r\n");
    }
}

pub fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}

/// Sends a request and reads its whole response. Returns the status, and the body without its
/// framing.
pub async fn exchange(connection: &mut TcpStream, request: &[u8]) -> io::Result<(u16, Vec<u8>)> {
    connection.write_all(request).await?;
    let (mut answer, mut body, mut piece) = (Answer::default(), Vec::new(), vec![0; 16 * 1024]);
    while !answer.done {
        connection.readable().await?;
        match connection.try_read(&mut piece) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => body.extend_from_slice(answer.feed(&piece[..read])?),
            Err(fault) if fault.kind() == io::ErrorKind::WouldBlock => {}
            Err(fault) => return Err(fault),
        }
    }
    let body = if answer.length == Length::Chunked { unframe(&body) } else { body };
    Ok((answer.status, body))
}

/// Removes the chunk framing from a whole body.
fn unframe(mut framed: &[u8]) -> Vec<u8> {
    let mut body = Vec::with_capacity(framed.len());
    while let Some(line) = find(framed, b"\r\n") {
        let size =
            std::str::from_utf8(&framed[..line]).ok().and_then(|hex| usize::from_str_radix(hex, 16).ok());
        let Some(size) = size.filter(|&size| size > 0 && line + 2 + size <= framed.len()) else {
            break;
        };
        body.extend_from_slice(&framed[line + 2..line + 2 + size]);
        framed = framed.get(line + 4 + size..).unwrap_or_default();
    }
    body
}

/// An HTTP/1.1 request with a body.
pub fn request(method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let mut text =
        format!("{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in headers {
        text += &format!("{name}: {value}\r\n");
    }
    text += "\r\n";
    let mut bytes = text.into_bytes();
    bytes.extend_from_slice(body);
    bytes
}
