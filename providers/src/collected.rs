use bytes::{Bytes, BytesMut};

/// The size of a block, in bytes.
const BLOCK: usize = 256 << 10;

/// A body that is received in pieces, with a maximum length in bytes.
///
/// A single growing buffer occupies twice its size whenever it is reallocated, and more after its release. With
/// blocks, a body that exceeds the limit never costs more than the limit. Pieces are copied, since a piece of a few
/// bytes may keep a whole read buffer alive.
pub(crate) struct CollectedBody {
    /// All blocks but the last are full.
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
    /// Returns an error if the body exceeds its limit with this piece.
    pub(crate) fn push(&mut self, mut piece: &[u8]) -> Result<(), TooLong> {
        if piece.len() > self.limit - self.len {
            return Err(TooLong);
        }
        self.len += piece.len();
        while !piece.is_empty() {
            let block = match self.blocks.last_mut() {
                Some(block) if block.len() < BLOCK => block,
                // The first block starts small: most bodies are small.
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

    /// Returns the received bytes as one contiguous buffer.
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
    fn push_joins_pieces_of_any_size() {
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
    fn push_accepts_bodies_up_to_the_limit() {
        let mut body = CollectedBody::new(5);
        body.push(b"abc").unwrap();
        body.push(b"def").unwrap_err();
        body.push(b"de").unwrap();
        body.push(b"").unwrap();
        body.push(b"f").unwrap_err();
        assert_eq!(body.into_bytes(), b"abcde"[..]);
    }
}
