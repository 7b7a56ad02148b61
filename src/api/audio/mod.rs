//! `/api/audio`: speech from texts, and texts from speech. Nothing of either is kept, but for the bill.

mod captions;
mod models;
pub(super) mod partner;
mod received;
mod speech;
mod transcription;

use crate::http::operations;

operations!(mod speech, transcription, models);
