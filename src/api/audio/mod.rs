//! `/api/audio`: speech synthesis and transcription. Neither audio nor text is stored, only the usage for billing.

pub(crate) mod captions;
mod models;
pub(super) mod partner;
pub(crate) mod received;
mod speech;
mod transcription;

use crate::http::operations;

operations!(mod speech, transcription, models);
