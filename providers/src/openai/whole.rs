//! Responses as a single JSON object, from servers that ignore the request to stream.

use std::collections::VecDeque;

use super::assemble::Assembler;
use super::wire::Chunk;
use crate::chat::{ChatDelta, ProviderError};
use crate::upstream::{ErrorBody, Reply};

/// Maximum size of a response: 32 MiB.
pub(super) const LIMIT: usize = 32 << 20;

/// Determines from the first bytes of a body whether it is a single JSON object; if they are blank, the declared type
/// decides. Servers send wrong types, and no line of a stream begins with a brace.
pub(super) fn is_json(first: &[u8], declared: bool) -> bool {
    match first.trim_ascii_start() {
        [] => declared,
        [b'{' | b'[', ..] => true,
        _ => false,
    }
}

/// Reads the whole response; each piece must arrive within the idle timeout.
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
    fn is_json_prefers_the_content_to_the_type() {
        assert!(is_json(b" \n{\"id\"", false) && is_json(b"[{", false) && is_json(b"\n ", true));
        assert!(!is_json(b"data: {}", true) && !is_json(b": hi", true) && !is_json(b"", false));
    }
}
