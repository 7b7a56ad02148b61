//! `/api/audio`: speech from texts, and texts from speech. Nothing of either is kept, but for the bill.

mod captions;
mod models;
mod partner;
mod received;
mod speech;
mod transcription;

use assist::ask::Asker;

use crate::http::{Area, Caller};

pub use partner::operations as partner_operations;

/// The operations of this area.
pub fn operations(area: &mut Area) {
    speech::operations(area);
    transcription::operations(area);
    models::operations(area);
}

/// On whose behalf models are asked.
fn asker(caller: &Caller) -> Asker {
    Asker { tenant: caller.tenant, user: caller.user, token_id: caller.token_id }
}
