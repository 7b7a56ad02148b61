//! A client that sends and sends.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

/// How long the server may leave a write or the answer waiting.
const PATIENCE: Duration = Duration::from_secs(5);
/// As long as a server that takes everything is sent more.
const EFFORT: Duration = Duration::from_secs(5);
/// As much of the answer is kept.
const KEPT: usize = 64 << 10;

pub struct Ended {
    /// Bytes that the connection took.
    pub sent: u64,
    answer: Vec<u8>,
}

impl Ended {
    /// The status of the last answer, if there was one. For a WebSocket the close code, where it came.
    pub fn status(&self) -> Option<u16> {
        let text = self.text();
        let status = text.rsplit("HTTP/1.1 ").next()?.get(..3)?.parse().ok()?;
        if status != 101 {
            return Some(status);
        }
        // A close frame of the server is not masked, has a short payload, and is the last.
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

/// Sends `begin`, and then `repeat` for as long as the server takes it, up to `most` bytes. What it answers on the way
/// is read, so that it is not the server that waits.
pub fn send_endlessly(host: &str, begin: &[u8], repeat: &[u8], most: u64) -> Ended {
    let mut socket = TcpStream::connect(host).expect("connected");
    socket.set_write_timeout(Some(PATIENCE)).expect("a timeout");
    socket.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    let mut ended = Ended { sent: 0, answer: Vec::new() };
    socket.write_all(begin).expect("the beginning is taken");
    let block = repeat.repeat((64 << 10) / repeat.len().max(1) + 1);
    let began = Instant::now();
    while !repeat.is_empty() && ended.sent < most && began.elapsed() < EFFORT {
        match socket.write(&block) {
            Ok(written) => ended.sent += written as u64,
            // It does not read any more, or has hung up.
            Err(_) => break,
        }
        // The rest of a piece, so that the next begins where a piece begins.
        let odd = ended.sent as usize % block.len();
        if odd != 0 && socket.write_all(&block[odd..]).is_err() {
            break;
        }
        ended.sent = ended.sent.next_multiple_of(block.len() as u64);
        if !drain(&mut socket, &mut ended) {
            break;
        }
    }
    // The server need not wait for another request. A connection that it has closed gives what came before, or an error.
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

/// Reads what is there; whether the connection stands.
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
