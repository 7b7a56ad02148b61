//! What is read of a run before its stream is sent.

use assist::completion::{ClientInput, open_input};
use serde_json::{Map, Value};
use storage::records::{Run, RunInput, RunKind};
use storage::{Reader, Row, TenantId};
use uuid::Uuid;
use workflow::sees_everything;

use crate::App;
use crate::http::encodings::Wire;
use crate::http::{Api, Caller, Refusal};

/// Bytes of a journal that are searched at once.
const PAGE: usize = 256 * 1024;

/// A run as it stands when a reader attaches to its stream: all that is needed before the first byte.
pub struct RunSnapshot {
    pub run: Row<Run>,
    /// Sequence number of its last durable event.
    pub end: u64,
    /// Sequence number of the last `run.reset`, which voids the events before it; 0 without one. Only read for wires that
    /// cannot tell their readers of a reset.
    pub(super) reset: u64,
    /// The content of the request, for the Responses interface, which repeats parts of it.
    input: Option<RunInput>,
    /// Whether the caller may see all of a workflow's run, and the epoch of rights that this holds for.
    pub(super) sees_all: Option<(u64, bool)>,
}

impl RunSnapshot {
    /// Reads it for a caller whose rights were looked up at `rights_epoch`. Without that, how much they may see is checked
    /// again when the first event is sent.
    ///
    /// # Errors
    /// Those of storage.
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
        // Only a run of a later epoch has been reset, so only its journal is searched.
        let reset = match run.epoch > 1 && !wire.has_offsets() && wire != Wire::Responses {
            true => last_reset(reader, tenant, id)?,
            false => 0,
        };
        let sees_all = match rights_epoch.filter(|_| run.kind == RunKind::Workflow) {
            Some(epoch) => Some((epoch, sees_everything(reader, &caller.standing, id)?)),
            None => None,
        };
        Ok(Self { end: reader.journal_end(tenant, id)?, run, reset, input, sees_all })
    }

    /// A stream of a conversation that the caller may read.
    ///
    /// # Errors
    /// 404 for a run that is in another conversation, or in none.
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

    /// An answer to the caller that is in no conversation.
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

    /// The content of the request; empty for a run in a conversation, for one whose request is not stored, and for other
    /// wires than that of the Responses interface.
    ///
    /// # Errors
    /// Those of storage.
    pub async fn brought(&mut self, app: &App, tenant: TenantId) -> Api<ClientInput> {
        match self.input.take() {
            Some(input) => Ok(open_input(&app.store, tenant, input).await?),
            None => Ok(ClientInput::default()),
        }
    }

    /// What the response repeats of the request: see [`brought`](Self::brought).
    pub(super) async fn echo(&mut self, app: &App, tenant: TenantId) -> Api<Map<String, Value>> {
        Ok(self.brought(app, tenant).await?.echo)
    }

    /// Whether a reader who was sent everything up to `after` was sent all that there will be.
    pub(super) fn ends_at(&self, after: u64) -> bool {
        self.run.state.is_terminal() && (1..=after).contains(&self.end)
    }
}

/// A run of this conversation.
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

/// An answer to the caller that is in no conversation.
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
