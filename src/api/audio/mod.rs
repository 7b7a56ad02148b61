//! `/api/audio`: speech from texts, and texts from speech. Nothing of either is kept, but for the bill.

mod captions;
mod models;
pub(super) mod partner;
mod received;
mod speech;
mod transcription;

use assist::ask::Asker;

use crate::http::{Caller, operations};

operations!(mod speech, transcription, models);

/// On whose behalf models are asked.
fn asker(caller: &Caller) -> Asker {
    Asker { tenant: caller.tenant, user: caller.user, token_id: caller.token_id }
}
