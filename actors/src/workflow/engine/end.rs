//! The end of a run: what still works is stopped, what was done is undone where the run does not
//! succeed, and what it gives is told.

use serde_json::{Map, Value};

use super::Engine;
use super::place::TOP;
use crate::event::EventData;
use crate::event::flow::Outputs;
use crate::journal::WriteError;
use crate::supervise::Ending;

impl Engine {
    /// Ends the run.
    pub(super) async fn end(mut self, ending: Ending) -> Result<Ending, WriteError> {
        self.halt = None;
        self.stop_region(TOP)?;
        self.let_go().await;
        if Self::is_success(&ending) {
            self.tell_outputs().await?;
        } else {
            self.undo(&ending).await?;
        }
        self.work.writer.flush().await?;
        Ok(ending)
    }

    /// Lets tasks that were told to stop come to their end, by themselves or by force.
    async fn let_go(&mut self) {
        for handle in self.handles.values() {
            handle.cancel.cancel();
        }
        let ended = async { while self.tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(self.work.cancel_grace(), ended).await.is_err() {
            self.tasks.shutdown().await;
        }
    }

    /// What the run gives. One that has no `end` node gives what it said; one that said nothing says
    /// what it gives.
    async fn tell_outputs(&mut self) -> Result<(), WriteError> {
        match self.state.outputs.clone() {
            None if self.state.answer.is_empty() => Ok(()),
            None => {
                let answer = Value::String(self.state.answer.clone());
                let outputs = Map::from_iter([("text".to_owned(), answer)]);
                let outputs = self.vault.store(outputs).await.unwrap_or_default();
                self.tell(EventData::Outputs(Outputs { outputs }))
            }
            Some(outputs) if self.state.answer.is_empty() && !outputs.is_empty() => {
                let outputs = self.vault.load_all(&outputs).await.unwrap_or_default();
                let (part, text) = ("outputs".to_owned(), readable(&outputs));
                let events = [
                    EventData::TextStart { part: part.clone() },
                    EventData::TextDelta { part: part.clone(), text },
                    EventData::TextEnd { part },
                ];
                self.record(events.into_iter().map(Into::into).collect())
            }
            Some(_) => Ok(()),
        }
    }
}

/// Outputs for people: a single text as it is, anything else as JSON.
fn readable(outputs: &Map<String, Value>) -> String {
    let mut values = outputs.values();
    match (values.next(), values.next()) {
        (Some(Value::String(text)), None) => text.clone(),
        _ => {
            let json = serde_json::to_string_pretty(outputs).unwrap_or_default();
            format!("```json\n{json}\n```")
        }
    }
}
