//! The clients: one task per connection, on a single thread, which read and count.

use std::cell::{Cell, RefCell};
use std::io;
use std::time::Duration;

use hdrhistogram::Histogram;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::server::{Answer, find, micros};
use crate::stamp::{MARK, STAMP, STAMP_DIGITS, age};

/// A response that sends nothing for this long has failed.
pub const PATIENCE: Duration = Duration::from_secs(60);

thread_local! {
    /// One buffer for all connections: no read is in progress across an `await`.
    static PIECE: RefCell<Vec<u8>> = RefCell::new(vec![0; 64 * 1024]);
}

/// The measurements of the clients.
#[derive(Default)]
pub struct Tally {
    /// The provider's chunks, counted by their stamps.
    pub chunks: Cell<u64>,
    pub answers: Cell<u64>,
    /// Bytes of bodies, including their framing.
    pub bytes: Cell<u64>,
    pub faults: Cell<u64>,
    /// Microseconds from a chunk's stamp until it was read; filled while `recording`.
    pub ages: RefCell<Option<Histogram<u64>>>,
    /// Microseconds from a request until its first chunk was read, or until the end of a response that
    /// is not a stream.
    pub firsts: RefCell<Option<Histogram<u64>>>,
}

fn record(histogram: &RefCell<Option<Histogram<u64>>>, value: u64) {
    if let Some(histogram) = histogram.borrow_mut().as_mut() {
        histogram.saturating_record(value);
    }
}

pub fn histogram() -> Option<Histogram<u64>> {
    Histogram::new_with_bounds(1, 60_000_000, 3).ok()
}

fn add(cell: &Cell<u64>, amount: u64) {
    cell.set(cell.get() + amount);
}

impl Tally {
    /// Counts a failed response and prints the first few. Figures of a load with faults are not
    /// reported.
    pub fn fault(&self, what: &str) {
        add(&self.faults, 1);
        if self.faults.get() <= 3 {
            eprintln!("fault: {what}");
        }
    }
}

/// How far to read a response.
#[derive(Clone, Copy, PartialEq)]
pub enum Until {
    /// Its end; a stream must by then have contained this many chunks.
    End { chunks: u64 },
    /// The provider's mark, after which it stalls.
    Mark,
}

/// Sends one request and reads its response, counting chunks and bytes while it reads.
pub async fn ask(connection: &mut TcpStream, request: &[u8], until: Until, tally: &Tally) -> io::Result<()> {
    connection.write_all(request).await?;
    let sent = micros();
    let (mut answer, mut seen) = (Answer::default(), 0);
    loop {
        timeout(PATIENCE, connection.readable())
            .await
            .map_err(|_| io::Error::other("no data for a minute"))??;
        let marked = PIECE.with_borrow_mut(|piece| {
            let read = match connection.try_read(piece) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => read,
                Err(fault) if fault.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                Err(fault) => return Err(fault),
            };
            let body = answer.feed(&piece[..read])?;
            if answer.status / 100 != 2 && !body.is_empty() {
                return Err(io::Error::other(String::from_utf8_lossy(body).into_owned()));
            }
            add(&tally.bytes, body.len() as u64);
            let found = count(body, tally);
            if found > 0 && seen == 0 {
                record(&tally.firsts, micros() - sent);
            }
            seen += found;
            Ok(until == Until::Mark && find(&body[body.len().saturating_sub(1024)..], MARK).is_some())
        })?;
        match until {
            Until::Mark if marked => return Ok(()),
            Until::End { chunks } if answer.done => {
                add(&tally.answers, 1);
                if chunks == 0 {
                    record(&tally.firsts, micros() - sent);
                }
                let whole = chunks == 0 || chunks == seen;
                return whole
                    .then_some(())
                    .ok_or_else(|| io::Error::other(format!("received {seen} of {chunks} chunks")));
            }
            _ => {}
        }
    }
}

/// Counts the stamps in a piece of a body and records their ages.
fn count(body: &[u8], tally: &Tally) -> u64 {
    let (now, mut found, mut rest) = (micros(), 0, body);
    while let Some(at) = rest.iter().position(|&byte| byte == STAMP) {
        found += 1;
        rest = &rest[at + 1..];
        // A stamp that is split between two pieces is counted, but its age is unknown.
        if let Some(age) = age(rest, now) {
            record(&tally.ages, age);
            rest = &rest[STAMP_DIGITS..];
        }
    }
    add(&tally.chunks, found);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn count_includes_every_stamp_of_a_folded_chunk() {
        let tally = Tally::default();
        *tally.ages.borrow_mut() = histogram();
        let stamp = format!("{}{:010x}", char::from(STAMP), micros() & ((1 << 40) - 1));
        let folded = format!(r#"data: {{"text":"{stamp} word{stamp} word"}} {}"#, &stamp[..4]);
        assert_eq!(count(folded.as_bytes(), &tally), 3);
        assert_eq!(tally.chunks.get(), 3);
        // The last stamp is cut off, so its age is unknown.
        assert_eq!(tally.ages.take().expect("a histogram").len(), 2);
    }
}
