//! An incremental parser of `text/event-stream`, fed with bytes as they come off the socket.
//!
//! It follows the WHATWG grammar (lines end with LF, CR LF or CR; comments; a leading byte-order mark; several `data`
//! lines joined by LF), with one exception: an event that the end of the stream cuts off before its blank line is
//! still returned, because some servers omit that line after `[DONE]`. Lines that lie within one read are sliced out
//! of it, not copied.

use bytes::{Buf, Bytes};
use memchr::memchr2;

/// Maximum size of an event: 8 MiB. It exceeds the longest event of any provider and bounds the memory that a faulty
/// server can make us use.
const LIMIT: usize = 8 << 20;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A server-sent event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Event {
    /// Whether the event's name is `error`; other names are ignored.
    pub(crate) error: bool,
    /// The lines of `data`, joined by line feeds.
    pub(crate) data: Bytes,
}

/// An event or a line exceeds the limit.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooLong;

/// The data lines of the event that is being read.
#[derive(Default)]
enum Data {
    #[default]
    None,
    One(Bytes),
    Many(Vec<u8>),
}

impl Data {
    fn len(&self) -> usize {
        match self {
            Self::None => 0,
            Self::One(line) => line.len(),
            Self::Many(lines) => lines.len(),
        }
    }

    fn add(&mut self, line: Bytes) {
        *self = match std::mem::take(self) {
            Self::None => Self::One(line),
            Self::One(first) => Self::Many([&first, &line[..]].join(&b'\n')),
            Self::Many(mut lines) => {
                lines.push(b'\n');
                lines.extend_from_slice(&line);
                Self::Many(lines)
            }
        };
    }

    fn take(&mut self) -> Option<Bytes> {
        match std::mem::take(self) {
            Self::None => None,
            Self::One(line) => Some(line),
            Self::Many(lines) => Some(lines.into()),
        }
    }
}

/// The parser. [`push`](Self::push) the bytes that were read, then take events with [`next`](Self::next) until there
/// is none.
pub(crate) struct Parser {
    /// The unread part of the last push.
    chunk: Bytes,
    /// The beginning of a line whose end has not arrived yet.
    partial: Vec<u8>,
    data: Data,
    error: bool,
    /// A CR ended the last line, so an LF that follows belongs to it.
    after_cr: bool,
    first_line: bool,
    limit: usize,
}

impl Parser {
    pub(crate) fn new() -> Self {
        Self::with_limit(LIMIT)
    }

    fn with_limit(limit: usize) -> Self {
        Self {
            chunk: Bytes::new(),
            partial: Vec::new(),
            data: Data::None,
            error: false,
            after_cr: false,
            first_line: true,
            limit,
        }
    }

    /// Adds bytes that were read. All events of the previous push must have been taken.
    pub(crate) fn push(&mut self, chunk: Bytes) {
        debug_assert!(self.chunk.is_empty(), "events are left from the last push");
        self.chunk = chunk;
    }

    /// Returns the next complete event of the pushed bytes.
    pub(crate) fn next(&mut self) -> Result<Option<Event>, TooLong> {
        while let Some(line) = self.next_line()? {
            if !line.is_empty() {
                self.field(line);
            } else if let Some(event) = self.dispatch() {
                return Ok(Some(event));
            }
        }
        Ok(None)
    }

    /// Returns the event that the end of the stream cut off, if there is one.
    pub(crate) fn end(&mut self) -> Option<Event> {
        if !self.partial.is_empty() {
            let line = self.complete_line(Bytes::new());
            self.field(line);
        }
        self.dispatch()
    }

    /// Returns the next complete line without its line ending.
    fn next_line(&mut self) -> Result<Option<Bytes>, TooLong> {
        if self.after_cr && !self.chunk.is_empty() {
            self.after_cr = false;
            if self.chunk[0] == b'\n' {
                self.chunk.advance(1);
            }
        }
        let end = memchr2(b'\n', b'\r', &self.chunk);
        let length = end.unwrap_or(self.chunk.len());
        if self.data.len() + self.partial.len() + length > self.limit {
            return Err(TooLong);
        }
        let Some(end) = end else {
            // Not `clear`, which would hold the memory that the bytes were read into while the next ones are awaited.
            let chunk = std::mem::take(&mut self.chunk);
            self.partial.extend_from_slice(&chunk);
            return Ok(None);
        };
        let line = self.chunk.split_to(end);
        self.after_cr = self.chunk.get_u8() == b'\r';
        Ok(Some(self.complete_line(line)))
    }

    /// Returns the line that ends with `rest`, including its part from earlier pushes.
    fn complete_line(&mut self, rest: Bytes) -> Bytes {
        let mut line = rest;
        if !self.partial.is_empty() {
            self.partial.extend_from_slice(&line);
            line = std::mem::take(&mut self.partial).into();
        }
        if std::mem::take(&mut self.first_line) && line.starts_with(BYTE_ORDER_MARK) {
            line.advance(BYTE_ORDER_MARK.len());
        }
        line
    }

    fn field(&mut self, mut line: Bytes) {
        if let Some(value) = value(&line, b"data") {
            let begin = line.len() - value.len();
            line.advance(begin);
            self.data.add(line);
        } else if let Some(name) = value(&line, b"event") {
            self.error = name == b"error";
        }
    }

    fn dispatch(&mut self) -> Option<Event> {
        let error = std::mem::take(&mut self.error);
        self.data.take().map(|data| Event { error, data })
    }
}

/// Returns the value of a line if the line has this field name.
fn value<'a>(line: &'a [u8], field: &[u8]) -> Option<&'a [u8]> {
    match line.strip_prefix(field)? {
        [b':', b' ', value @ ..] | [b':', value @ ..] => Some(value),
        [] => Some(b""),
        _ => None,
    }
}

#[cfg(test)]
#[path = "sse_tests.rs"]
mod tests;
