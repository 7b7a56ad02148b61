//! One journal, many wires: a wire is a pure function of a run's committed events and of what is
//! constant in the run, so that its encoding is made once a chunk and not once a reader.
//!
//! [`Encoder`] is that function, [`stream`] pulls a cursor through it into an HTTP body,
//! [`open_socket`] does the same for a WebSocket, and [`feed`] tells a conversation's changes.

mod body;
mod canonical;
mod events;
mod feed;
mod fold;
pub(crate) mod frames;
mod ndjson;
mod notices;
mod openai;
mod progress;
#[cfg(test)]
mod pulled;
#[cfg(test)]
mod recorded;
mod responses;
mod rights;
mod schema;
mod socket;
mod ui_message;
mod wire;

use bytes::Bytes;
use runs::{Chunk, Event, Terminal};
use storage::Row;
use storage::records::Run;
use uuid::Uuid;

pub use body::{Reading, stream};
pub use feed::{Feed, Position, Sources, feed};
pub use notices::notices;
pub use progress::{Progress, UnderWay};
pub use rights::Rights;
pub use schema::{ChatCompletionEvent, EncodedEvent, ResponseStreamEvent};
pub use socket::{SocketRefusal, Steering, open as open_socket};
pub use wire::{Wire, streaming_headers};

use openai::OpenAi;
use serde_json::{Map, Value};

pub use canonical::data;
pub use openai::{annotation, finish_reason, used};
pub use responses::Responses;

/// What is the same in all of a run's events.
#[derive(Clone, Debug)]
pub struct Constants {
    /// The run, and the stream's id.
    pub run_id: Uuid,
    /// Where it runs.
    pub conversation_id: Option<Uuid>,
    /// The message that the answer is written to.
    pub message_id: Option<Uuid>,
    /// Full id of the model that answers.
    pub model: String,
    /// When the run was created, in seconds since 1970.
    pub created: i64,
}

impl Constants {
    /// Of this run.
    pub fn new(run: &Row<Run>) -> Self {
        Self {
            run_id: run.id,
            conversation_id: run.conversation_id,
            message_id: run.message_id,
            model: run.model.clone(),
            created: run.created_at.as_millis() / 1000,
        }
    }
}

/// Turns one run's events into the bytes of one wire.
pub struct Encoder {
    wire: Wire,
    run: Constants,
    openai: OpenAi,
    responses: Option<Responses>,
    include_usage: bool,
}

impl Encoder {
    /// An encoder for a reader of `run`; `include_usage` is OpenAI's stream option of that name.
    pub fn new(wire: Wire, run: Constants, include_usage: bool) -> Self {
        let responses = (wire == Wire::Responses).then(|| Responses::new(&run, Map::new(), None));
        Self { wire, openai: OpenAi::new(&run), responses, run, include_usage }
    }

    /// An encoder of the Responses interface. `echo` is what the response repeats of its request; events up to
    /// the number `seen` are left out.
    pub fn of_response(run: Constants, echo: Map<String, Value>, seen: Option<u64>) -> Self {
        let responses = Some(Responses::new(&run, echo, seen));
        Self { responses, ..Self::new(Wire::Responses, run, false) }
    }

    pub fn wire(&self) -> Wire {
        self.wire
    }

    /// What stands before the first event.
    pub fn head(&mut self) -> Option<String> {
        match self.wire {
            Wire::Events => Some(events::HEAD.into()),
            Wire::Ndjson => None,
            Wire::UiMessage => Some(ui_message::head(self.run.message_id)),
            Wire::OpenAi => Some(self.openai.head()),
            Wire::Responses => {
                let mut out = Vec::new();
                self.responses.iter_mut().for_each(|responses| responses.head(&mut out));
                String::from_utf8(out).ok()
            }
        }
    }

    /// A chunk's events, from the chunk's own store where it has them already.
    pub fn chunk(&mut self, chunk: &Chunk) -> Bytes {
        if self.remembers(&chunk.events) {
            return self.events(&chunk.events);
        }
        chunk.encoded(self.wire.slot(), |events| self.events(events))
    }

    /// Whether these events are told differently to readers, or hang on what came before them.
    fn remembers(&self, events: &[Event]) -> bool {
        match self.wire {
            Wire::Events | Wire::Ndjson | Wire::UiMessage => false,
            Wire::OpenAi => events.iter().any(|event| self.openai.counts(event)),
            Wire::Responses => true,
        }
    }

    /// Encodes these events.
    pub fn events(&mut self, events: &[Event]) -> Bytes {
        let mut out = Vec::new();
        for event in events {
            match self.wire {
                Wire::Events => events::encode(event, &mut out),
                Wire::Ndjson => ndjson::encode(event, &mut out),
                Wire::UiMessage => ui_message::encode(&self.run, event, &mut out),
                Wire::OpenAi => self.openai.encode(event, &mut out),
                Wire::Responses => {
                    self.responses.iter_mut().for_each(|responses| responses.encode(event, &mut out));
                }
            }
        }
        out.into()
    }

    /// What stands after the run's last event.
    pub fn tail(&self, last: Option<&Event>) -> Option<String> {
        match self.wire {
            Wire::Events | Wire::Ndjson | Wire::Responses => None,
            Wire::UiMessage => Some(ui_message::DONE.into()),
            Wire::OpenAi => {
                let terminal = last.filter(|_| self.include_usage).and_then(terminal);
                let usage = terminal.map(|terminal| openai::usage(&self.run, &terminal));
                Some(usage.unwrap_or_default() + openai::DONE)
            }
        }
    }

    /// What keeps the connection alive while nothing happens.
    pub fn heartbeat(&self) -> Option<&'static str> {
        match self.wire {
            Wire::Events | Wire::UiMessage => Some(events::HEARTBEAT),
            Wire::OpenAi | Wire::Responses => Some(openai::HEARTBEAT),
            Wire::Ndjson => None,
        }
    }

    /// The end of a stream that cannot go on although its run does. Wires with offsets say
    /// nothing: their readers come back to where they were.
    pub fn broken(&self, code: &str, message: &str) -> Option<String> {
        match self.wire {
            Wire::Events | Wire::Ndjson => None,
            Wire::UiMessage => Some(ui_message::broken(message)),
            Wire::OpenAi => Some(openai::broken(message, code)),
            Wire::Responses => Some(responses::broken(message, code)),
        }
    }
}

/// The terminal record that a `run.ended` event carries.
pub fn terminal(event: &Event) -> Option<Terminal> {
    canonical::data::<ui_message::Ended>(event).map(|ended| ended.terminal)
}
