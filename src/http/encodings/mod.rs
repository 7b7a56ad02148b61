//! The encodings of journals. An encoding is a pure function of a run's committed events and of the constants of the
//! run, so that a chunk is encoded once, and not once per reader.
//!
//! [`Encoder`] is that function, [`stream`] converts a cursor to an HTTP body with it, [`RunSession`] does the same
//! for a WebSocket, and [`feed`] reports the changes of a conversation.

mod body;
mod canonical;
mod events;
mod feed;
mod feed_position;
pub(crate) mod fold;
mod ndjson;
mod notices;
mod openai;
mod progress;
mod queue;
mod responses;
pub(crate) mod rights;
mod schema;
mod socket;
mod ui_message;
pub(crate) mod wire;

use bytes::Bytes;
use runs::{Chunk, Event, Terminal};
use storage::Row;
use storage::records::Run;
use uuid::Uuid;

pub use body::{Reading, stream, stream_with};
pub use events::{HEAD as SSE_HEAD, HEARTBEAT as SSE_HEARTBEAT};
pub use feed::{Feed, Sources, feed};
pub use feed_position::Position;
pub use notices::notices;
pub use progress::{Progress, ProgressGuard};
pub use rights::{Rights, closed, heartbeats};
pub(crate) use schema::one_of;
pub use schema::{ChatCompletionEvent, EncodedEvent, ResponseStreamEvent};
pub use socket::{RunSession, SocketRefusal, Steering};
pub use wire::{Wire, streaming_headers};

use openai::OpenAi;
use serde_json::{Map, Value};

pub use canonical::data;
pub use openai::{annotation, finish_reason, used};
pub use responses::Responses;

/// Values that are the same in all events of a run.
#[derive(Clone, Debug)]
pub struct Constants {
    /// The id of the run, which is also the id of its stream.
    pub run_id: Uuid,
    /// The conversation in which the run works.
    pub conversation_id: Option<Uuid>,
    /// The message that the answer is written to.
    pub message_id: Option<Uuid>,
    /// The full id of the answering model.
    pub model: String,
    /// When the run was created, in seconds since 1970.
    pub created: i64,
}

impl Constants {
    /// Collects the constants of this run.
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

/// Encodes the events of one run in one encoding.
pub struct Encoder {
    wire: Wire,
    run: Constants,
    openai: OpenAi,
    responses: Option<Responses>,
    include_usage: bool,
}

impl Encoder {
    /// Creates an encoder for a reader of `run`; `include_usage` is OpenAI's stream option of that name.
    pub fn new(wire: Wire, run: Constants, include_usage: bool) -> Self {
        let responses = (wire == Wire::Responses).then(|| Responses::new(&run, Map::new(), None));
        Self { wire, openai: OpenAi::new(&run), responses, run, include_usage }
    }

    /// Creates an encoder for the Responses interface. `echo` contains the fields of the request that the response
    /// repeats. Events up to the number `seen` are omitted.
    pub fn of_response(run: Constants, echo: Map<String, Value>, seen: Option<u64>) -> Self {
        let responses = Some(Responses::new(&run, echo, seen));
        Self { responses, ..Self::new(Wire::Responses, run, false) }
    }

    pub fn wire(&self) -> Wire {
        self.wire
    }

    /// The text before the first event.
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

    /// Encodes the events of a chunk, using the encoding cached in the chunk if possible.
    pub fn chunk(&mut self, chunk: &Chunk) -> Bytes {
        if self.remembers(&chunk.events) {
            return self.events(&chunk.events);
        }
        chunk.encoded(self.wire.slot(), |events| self.events(events))
    }

    /// Whether the encoding of these events differs between readers or depends on earlier events.
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

    /// The text after the run's last event.
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

    /// The text that keeps the connection alive while nothing happens.
    pub fn heartbeat(&self) -> Option<&'static str> {
        match self.wire {
            Wire::Events | Wire::UiMessage => Some(events::HEARTBEAT),
            Wire::OpenAi | Wire::Responses => Some(openai::HEARTBEAT),
            Wire::Ndjson => None,
        }
    }

    /// The end of a stream that cannot continue although its run does. Encodings with offsets send nothing: their
    /// readers reconnect at their position.
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
