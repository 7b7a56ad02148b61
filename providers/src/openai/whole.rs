//! Answers that come as one JSON object, from servers that do not stream although asked to.

use std::collections::VecDeque;

use bytes::{Bytes, BytesMut};
use futures::StreamExt;

use super::answer::Body;
use super::assemble::Assembler;
use super::wire::Chunk;
use super::{Host, words};
use crate::chat::{ChatDelta, ProviderError};

/// More than any answer: 32 MiB.
const LIMIT: usize = 32 << 20;

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
    host: &Host,
    body: Body,
    first: Bytes,
    mut assembler: Assembler,
) -> Result<VecDeque<ChatDelta>, ProviderError> {
    let json = collect(host, body, first).await?;
    let chunk: Chunk<'_> = serde_json::from_slice(&json).map_err(|_| host.rubbish(&json))?;
    if let Some(error) = chunk.error {
        return Err(host.reported(error.get().as_bytes()));
    }
    if chunk.choices.as_ref().is_none_or(Vec::is_empty) {
        let said = words::Words::read(&json).is_some();
        return Err(if said { host.reported(&json) } else { host.rubbish(&json) });
    }
    let mut deltas = VecDeque::new();
    assembler.take(chunk, &mut deltas);
    assembler.end(&mut deltas);
    Ok(deltas)
}

/// The whole body; each piece of it must come within the idle time-out.
pub(super) async fn collect(host: &Host, mut body: Body, first: Bytes) -> Result<Bytes, ProviderError> {
    let mut all = BytesMut::from(first);
    loop {
        let next = tokio::time::timeout(host.timeouts.idle(), body.next());
        let Ok(next) = next.await else {
            let (name, s) = (&host.name, host.timeouts.idle_s);
            let text = format!("{name} fell silent in mid-answer for {s} s");
            return Err(ProviderError::timeout(text));
        };
        match next {
            None => return Ok(all.freeze()),
            Some(Ok(bytes)) => all.extend_from_slice(&bytes),
            Some(Err(error)) => {
                let why = words::root(&error);
                let text = format!("{} ended the answer early: {why}", host.name);
                return Err(ProviderError::protocol(text));
            }
        }
        if all.len() > LIMIT {
            let text = format!("{} sent an answer of more than 32 MiB", host.name);
            return Err(ProviderError::protocol(text));
        }
    }
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
