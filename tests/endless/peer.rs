//! A client that sends without end.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

/// How long a write or the response may block.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long to keep sending to a server that accepts everything.
const EFFORT: Duration = Duration::from_secs(5);
/// Number of bytes of the response that are stored.
const KEPT: usize = 64 << 10;

pub struct Ended {
    /// Number of bytes that were written to the connection.
    pub sent: u64,
    answer: Vec<u8>,
}

impl Ended {
    /// The status of the last response, if there was one. For a WebSocket, the close code if it was received.
    pub fn status(&self) -> Option<u16> {
        let text = self.text();
        let status = text.rsplit("HTTP/1.1 ").next()?.get(..3)?.parse().ok()?;
        if status != 101 {
            return Some(status);
        }
        // A close frame of the server is not masked, has a short payload, and is the last frame.
        let at =
            self.answer.windows(4).rposition(|frame| frame[0] == 0x88 && frame[1] < 126 && frame[2] == 3)?;
        Some(u16::from_be_bytes([self.answer[at + 2], self.answer[at + 3]]))
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.answer).into_owned()
    }

    fn keep(&mut self, bytes: &[u8]) {
        self.answer.extend_from_slice(bytes);
        let much = self.answer.len().saturating_sub(KEPT);
        self.answer.drain(..much);
    }
}

/// Sends `begin`, and then `repeat` for as long as the server accepts it, up to `most` bytes. Reads responses in
/// between, so that the server is not blocked by an unread response.
pub fn send_endlessly(host: &str, begin: &[u8], repeat: &[u8], most: u64) -> Ended {
    let mut socket = TcpStream::connect(host).expect("connected");
    socket.set_write_timeout(Some(PATIENCE)).expect("a timeout");
    socket.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    let mut ended = Ended { sent: 0, answer: Vec::new() };
    socket.write_all(begin).expect("the beginning is sent");
    let block = repeat.repeat((64 << 10) / repeat.len().max(1) + 1);
    let began = Instant::now();
    while !repeat.is_empty() && ended.sent < most && began.elapsed() < EFFORT {
        match socket.write(&block) {
            Ok(written) => ended.sent += written as u64,
            // The server has stopped reading, or has disconnected.
            Err(_) => break,
        }
        // Send the rest of the piece, so that the next write starts at the beginning of a piece.
        let odd = ended.sent as usize % block.len();
        if odd != 0 && socket.write_all(&block[odd..]).is_err() {
            break;
        }
        ended.sent = ended.sent.next_multiple_of(block.len() as u64);
        if !drain(&mut socket, &mut ended) {
            break;
        }
    }
    // Tell the server that no further request follows. A connection that the server has closed returns the data received
    // before, or an error.
    let _ = socket.shutdown(Shutdown::Write);
    let mut buffer = [0; 16 << 10];
    for _ in 0..64 {
        match socket.read(&mut buffer) {
            Ok(0) | Err(_) => break,
            Ok(read) => ended.keep(&buffer[..read]),
        }
    }
    ended
}

/// Reads the available data. Returns whether the connection is still open.
fn drain(socket: &mut TcpStream, ended: &mut Ended) -> bool {
    let mut buffer = [0; 16 << 10];
    socket.set_nonblocking(true).expect("it can be");
    let stands = loop {
        match socket.read(&mut buffer) {
            Ok(0) => break false,
            Ok(read) => ended.keep(&buffer[..read]),
            Err(why) => break why.kind() == ErrorKind::WouldBlock,
        }
    };
    socket.set_nonblocking(false).expect("it can be");
    stands
}
