use std::collections::VecDeque;

use super::assemble::Assembler;
use super::wire::Chunk;
use crate::chat::{ChatDelta, ProviderError};
use crate::upstream::{Dialect, ErrorBody, Event, Line, Step};

impl Dialect for Assembler {
    fn take(
        &mut self,
        line: &Line,
        event: &Event,
        out: &mut VecDeque<ChatDelta>,
    ) -> Result<Step, ProviderError> {
        let data = event.data.trim_ascii();
        if data == b"[DONE]" {
            return Ok(Step::End);
        }
        if event.error {
            return Err(line.reported(data));
        }
        if self.repeated(data, out) {
            return Ok(Step::On);
        }
        let chunk: Chunk<'_> = serde_json::from_slice(data).map_err(|_| line.rubbish(data))?;
        if let Some(error) = chunk.error {
            return Err(line.reported(error.get().as_bytes()));
        }
        if chunk.choices.is_none() && chunk.usage.is_none() && ErrorBody::read(data).is_some() {
            return Err(line.reported(data));
        }
        let (before, has_usage) = (out.len(), chunk.usage.is_some());
        self.chunk(chunk, out);
        if !has_usage {
            self.remember(data, out.range(before..));
        }
        Ok(Step::On)
    }

    fn finished(&self) -> bool {
        self.has_finished()
    }

    fn end(&mut self, out: &mut VecDeque<ChatDelta>) {
        self.conclude(out);
    }
}
