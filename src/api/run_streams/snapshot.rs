//! The state of a run that is read before its stream is sent.

use assist::completion::{ClientInput, open_input};
use serde_json::{Map, Value};
use storage::records::{Run, RunInput, RunKind};
use storage::{Reader, Row, TenantId};
use uuid::Uuid;
use workflow::sees_all_details;

use crate::App;
use crate::http::encodings::Wire;
use crate::http::{Api, Caller, Refusal};

/// The number of bytes of a journal that are searched at a time.
const PAGE: usize = 256 * 1024;

/// The state of a run when a reader attaches to its stream. It contains everything that is needed before the
/// first byte.
pub struct RunSnapshot {
    pub run: Row<Run>,
    /// The sequence number of the last durable event.
    pub end: u64,
    /// The sequence number of the last `run.reset`, which invalidates all earlier events; 0 if there is none.
    /// Only read for encodings that cannot inform readers of a reset.
    pub(super) reset: u64,
    /// The content of the request. Used by the Responses interface, which repeats parts of it.
    input: Option<RunInput>,
    /// Whether the caller may see a whole workflow run, and the rights epoch for which this is valid.
    pub(super) sees_all: Option<(u64, bool)>,
}

impl RunSnapshot {
    /// Reads the state for a caller whose rights were read at `rights_epoch`. Without a rights epoch, the
    /// caller's rights are checked again when the first event is sent.
    ///
    /// # Errors
    /// Returns an error if storage fails.
    pub fn read(
        reader: &Reader,
        caller: &Caller,
        rights_epoch: Option<u64>,
        run: Row<Run>,
        wire: Wire,
    ) -> storage::Result<Self> {
        let (tenant, id) = (caller.tenant, run.id);
        let without_conversation = run.kind == RunKind::Completion && run.conversation_id.is_none();
        let input = match wire == Wire::Responses && without_conversation {
            true => reader.get::<RunInput>(tenant, &id)?.map(|row| row.body),
            false => None,
        };
        // Only a run in its second or a later epoch can have been reset, so other journals are not searched.
        let reset = match run.epoch > 1 && !wire.has_offsets() && wire != Wire::Responses {
            true => last_reset(reader, tenant, id)?,
            false => 0,
        };
        let sees_all = match rights_epoch.filter(|_| run.kind == RunKind::Workflow) {
            Some(epoch) => Some((epoch, sees_all_details(reader, &caller.subject, id)?)),
            None => None,
        };
        Ok(Self { end: reader.journal_end(tenant, id)?, run, reset, input, sees_all })
    }

    /// Reads a stream of a conversation that the caller can read.
    ///
    /// # Errors
    /// 404 if the run belongs to another conversation, or to none.
    pub fn in_conversation(
        reader: &Reader,
        caller: &Caller,
        rights_epoch: Option<u64>,
        (conversation, stream): (Uuid, Uuid),
        wire: Wire,
    ) -> Api<Self> {
        let run = run_in_conversation(reader, caller, conversation, stream)?;
        Ok(Self::read(reader, caller, rights_epoch, run, wire)?)
    }

    /// Reads the stream of an answer to the caller that belongs to no conversation.
    ///
    /// # Errors
    /// 404 for every other run.
    pub fn of_chat(
        reader: &Reader,
        caller: &Caller,
        rights_epoch: Option<u64>,
        stream: Uuid,
        wire: Wire,
    ) -> Api<Self> {
        let run = chat_run(reader, caller, stream)?;
        Ok(Self::read(reader, caller, rights_epoch, run, wire)?)
    }

    /// The content of the request. Empty for a run in a conversation, for a run whose request is not stored,
    /// and for encodings other than that of the Responses interface.
    ///
    /// # Errors
    /// Returns an error if storage fails.
    pub async fn brought(&mut self, app: &App, tenant: TenantId) -> Api<ClientInput> {
        match self.input.take() {
            Some(input) => Ok(open_input(&app.store, tenant, input).await?),
            None => Ok(ClientInput::default()),
        }
    }

    /// The parts of the request that the response repeats: see [`brought`](Self::brought).
    pub(super) async fn echo(&mut self, app: &App, tenant: TenantId) -> Api<Map<String, Value>> {
        Ok(self.brought(app, tenant).await?.echo)
    }

    /// Whether a reader who has received all events up to `after` has received the complete stream.
    pub(super) fn ends_at(&self, after: u64) -> bool {
        self.run.state.is_terminal() && (1..=after).contains(&self.end)
    }
}

/// Loads a run of this conversation.
///
/// # Errors
/// 404 for every other run.
pub fn run_in_conversation(
    reader: &Reader,
    caller: &Caller,
    conversation: Uuid,
    stream: Uuid,
) -> Api<Row<Run>> {
    let run = reader.get::<Run>(caller.tenant, &stream)?;
    run.filter(|run| run.conversation_id == Some(conversation)).ok_or_else(|| Refusal::not_found("stream"))
}

/// Loads the run of an answer to the caller that belongs to no conversation.
///
/// # Errors
/// 404 for every other run.
pub fn chat_run(reader: &Reader, caller: &Caller, stream: Uuid) -> Api<Row<Run>> {
    let of_caller = |run: &Row<Run>| {
        run.kind == RunKind::Completion && run.conversation_id.is_none() && run.user == caller.user
    };
    let run = reader.get::<Run>(caller.tenant, &stream)?;
    run.filter(of_caller).ok_or_else(|| Refusal::not_found("stream"))
}

fn last_reset(reader: &Reader, tenant: TenantId, run: Uuid) -> storage::Result<u64> {
    let (mut after, mut reset) = (0, 0);
    loop {
        let events = reader.journal_read(tenant, run, after, PAGE)?;
        let Some(last) = events.last() else { return Ok(reset) };
        after = last.seq;
        let resets = events.iter().filter(|event| &*event.kind == "run.reset");
        reset = resets.map(|event| event.seq).max().unwrap_or(reset);
    }
}
