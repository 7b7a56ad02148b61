//! Answers that come as one JSON object, from servers that do not stream although asked to.

use std::collections::VecDeque;

use super::assemble::Assembler;
use super::wire::Chunk;
use crate::chat::{ChatDelta, ProviderError};
use crate::upstream::{ErrorBody, Reply};

/// More than any answer: 32 MiB.
pub(super) const LIMIT: usize = 32 << 20;

/// Tells from the first bytes of a body, or from its declared type if they are blank, whether it
/// is one JSON object. Servers err about the type, and no line of a stream begins with a brace.
pub(super) fn is_json(first: &[u8], declared: bool) -> bool {
    match first.trim_ascii_start() {
        [] => declared,
        [b'{' | b'[', ..] => true,
        _ => false,
    }
}

/// Reads the whole answer; each piece of it must come within the idle time-out.
pub(super) async fn read(
    reply: Reply,
    mut assembler: Assembler,
) -> Result<VecDeque<ChatDelta>, ProviderError> {
    let line = reply.line.clone();
    let json = reply.whole(LIMIT).await?;
    let chunk: Chunk<'_> = serde_json::from_slice(&json).map_err(|_| line.rubbish(&json))?;
    if let Some(error) = chunk.error {
        return Err(line.reported(error.get().as_bytes()));
    }
    if chunk.choices.as_ref().is_none_or(Vec::is_empty) {
        let is_error = ErrorBody::read(&json).is_some();
        return Err(if is_error { line.reported(&json) } else { line.rubbish(&json) });
    }
    let mut deltas = VecDeque::new();
    assembler.chunk(chunk, &mut deltas);
    assembler.conclude(&mut deltas);
    Ok(deltas)
}

#[cfg(test)]
mod tests {
    use super::is_json;

    #[test]
    fn the_bytes_decide_and_then_the_type() {
        assert!(is_json(b" \n{\"id\"", false) && is_json(b"[{", false) && is_json(b"\n ", true));
        assert!(!is_json(b"data: {}", true) && !is_json(b": hi", true) && !is_json(b"", false));
    }
}
