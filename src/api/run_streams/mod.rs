//! Streams of runs: attaching to a run in any encoding, and cancelling it. All areas whose work is a run use
//! this module.
//!
//! An area finds the run and decides who may read it. It reads a [`RunSnapshot`] in the same read transaction
//! as its checks and passes it to [`attach`], which needs no further read before the first byte.

mod attach;
mod cancel;
mod disclosure;
mod query;
mod snapshot;
mod socket;

use actix_web::HttpResponse;
use actix_web::http::header::{CONTENT_LOCATION, HeaderName, HeaderValue};
use uuid::Uuid;

pub use attach::{StreamReader, attach, attach_responses, credential_rights, follow};
pub use cancel::{CancelReceipt, cancel, receipt};
pub use disclosure::disclosed;
pub use query::{ReadOptions, StreamQuery, last_event_id};
pub use snapshot::{RunSnapshot, chat_run, run_in_conversation};
pub use socket::{CancelRule, attach_or_open};

/// Adds headers that name the stream and the path where clients can attach to it.
pub fn locate(response: &mut HttpResponse, conversation: Option<Uuid>, stream: Uuid) {
    let parent = conversation.map_or("chat".to_owned(), |id| format!("conversations/{id}"));
    let location = format!("/api/{parent}/streams/{stream}");
    let headers =
        [(CONTENT_LOCATION, location), (HeaderName::from_static("x-stream-id"), stream.to_string())];
    for (header, value) in headers {
        if let Ok(value) = HeaderValue::from_str(&value) {
            response.headers_mut().insert(header, value);
        }
    }
}
