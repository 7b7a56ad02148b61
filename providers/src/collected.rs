use bytes::{Bytes, BytesMut};

/// The size of a block, in bytes.
const BLOCK: usize = 256 << 10;

/// A body that is received piece by piece, of at most so many bytes.
///
/// One growing buffer is held twice, and more after it was released, whenever it moves; a body that turns out to be too
/// long costs no more than its limit here. Pieces are copied: one of a few bytes may hold on to a whole read buffer.
pub(crate) struct CollectedBody {
    /// All but the last are full.
    blocks: Vec<BytesMut>,
    len: usize,
    limit: usize,
}

/// The body is longer than its limit.
#[derive(Debug)]
pub(crate) struct TooLong;

impl CollectedBody {
    pub(crate) fn new(limit: usize) -> Self {
        Self { blocks: Vec::new(), len: 0, limit }
    }

    /// # Errors
    /// With this piece the body is longer than its limit.
    pub(crate) fn push(&mut self, mut piece: &[u8]) -> Result<(), TooLong> {
        if piece.len() > self.limit - self.len {
            return Err(TooLong);
        }
        self.len += piece.len();
        while !piece.is_empty() {
            let block = match self.blocks.last_mut() {
                Some(block) if block.len() < BLOCK => block,
                // The first grows as it needs: most bodies are small.
                _ => {
                    let capacity = if self.blocks.is_empty() { piece.len().min(BLOCK) } else { BLOCK };
                    self.blocks.push(BytesMut::with_capacity(capacity));
                    continue;
                }
            };
            let (now, later) = piece.split_at(piece.len().min(BLOCK - block.len()));
            block.extend_from_slice(now);
            piece = later;
        }
        Ok(())
    }

    /// What was received, in one piece.
    pub(crate) fn into_bytes(mut self) -> Bytes {
        if self.blocks.len() < 2 {
            return self.blocks.pop().unwrap_or_default().freeze();
        }
        let mut whole = BytesMut::with_capacity(self.len);
        for block in self.blocks {
            whole.extend_from_slice(&block);
        }
        whole.freeze()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_any_size_are_one_body() {
        let sent: Vec<u8> = (0..3 * BLOCK + 7).map(|at| (at % 251) as u8).collect();
        for size in [1000, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 3, sent.len()] {
            let mut body = CollectedBody::new(sent.len());
            for piece in sent.chunks(size) {
                body.push(piece).unwrap();
            }
            assert!(body.into_bytes() == sent, "pieces of {size}");
        }
        assert_eq!(CollectedBody::new(9).into_bytes(), Bytes::new());
    }

    #[test]
    fn the_limit_is_the_longest_body() {
        let mut body = CollectedBody::new(5);
        body.push(b"abc").unwrap();
        body.push(b"def").unwrap_err();
        body.push(b"de").unwrap();
        body.push(b"").unwrap();
        body.push(b"f").unwrap_err();
        assert_eq!(body.into_bytes(), b"abcde"[..]);
    }
}
