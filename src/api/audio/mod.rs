//! `/api/audio`: speech synthesis and transcription. Neither audio nor text is stored, only the usage for billing.

mod captions;
mod models;
pub(super) mod partner;
mod received;
mod speech;
mod transcription;

use crate::http::operations;

operations!(mod speech, transcription, models);
