//! Sequential reading and writing of a file.

use super::RandomAccessFile;
use std::io::{Read, Result, Write};
use std::sync::Arc;

/// A file that is read or written sequentially from its beginning. Writes are not buffered; they are durable after a
/// [`sync`](RandomAccessFile::sync).
pub(crate) struct Stream {
    file: Arc<dyn RandomAccessFile>,
    at: u64,
}

impl Stream {
    pub fn new(file: Arc<dyn RandomAccessFile>) -> Self {
        Self { file, at: 0 }
    }
}

impl Read for Stream {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        let read = self.file.read_at(into, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.file.write_at(bytes, self.at)?;
        self.at += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}
