//! The requests that a connection sends to the server itself.

use actix_web::HttpResponse;
use actix_web::body::to_bytes_limited;
use actix_web::http::header::{ACCEPT, HeaderName, HeaderValue};
use actix_web::http::{Method, Uri};
use serde_json::value::RawValue;
use tokio::sync::watch;

use crate::http::dispatch::{Dispatcher, Origin};
use crate::http::encodings::closed;
use crate::http::{Code, Refusal, problem_document};

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// The maximum size of a response that is not a stream, in bytes: a receipt or a problem.
const RESPONSE_BYTES: usize = 256 << 10;

/// A document that a response contains.
pub type Document = Box<RawValue>;

/// Sends the requests of one connection, with the rights of its client.
pub struct Requests {
    dispatcher: Dispatcher,
    origin: Origin,
    closing: watch::Receiver<bool>,
}

impl Requests {
    /// `closing` becomes true when the server shuts down.
    pub fn new(dispatcher: Dispatcher, origin: Origin, closing: watch::Receiver<bool>) -> Self {
        Self { dispatcher, origin, closing }
    }

    /// Opens a stream after a position.
    pub async fn open(&self, target: &Uri, position: Option<&HeaderValue>) -> HttpResponse {
        let accept = (ACCEPT, HeaderValue::from_static("text/event-stream"));
        let position = position.map(|position| (LAST_EVENT_ID, position.clone()));
        self.dispatcher
            .send(&self.origin, Method::GET, target.clone(), [accept].into_iter().chain(position))
            .await
    }

    /// Cancels a run.
    ///
    /// # Errors
    /// Returns the problem with which the operation responds.
    pub async fn cancel(&self, target: Uri) -> Result<Document, Document> {
        let response = self.dispatcher.send(&self.origin, Method::DELETE, target, []).await;
        let is_success = response.status().is_success();
        let document = self.document(response).await;
        if is_success { Ok(document) } else { Err(document) }
    }

    /// The body of a response that is not a stream.
    pub async fn document(&self, response: HttpResponse) -> Document {
        let body = to_bytes_limited(response.into_body(), RESPONSE_BYTES).await;
        let body = body.ok().and_then(Result::ok).unwrap_or_default();
        serde_json::from_slice(&body)
            .unwrap_or_else(|why| self.problem(&Refusal::new(Code::Internal).because(why)))
    }

    /// The problem document of a refusal.
    pub fn problem(&self, refusal: &Refusal) -> Document {
        let document = problem_document(refusal, self.origin.request_id());
        serde_json::value::to_raw_value(&document).unwrap_or_default()
    }

    pub fn is_closing(&self) -> bool {
        *self.closing.borrow()
    }

    /// Returns when the server shuts down.
    pub async fn closed(&self) {
        closed(&mut self.closing.clone()).await;
    }
}
