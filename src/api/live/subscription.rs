//! One subscription: reads the stream of an operation, and opens it again where it broke off.

use std::pin::Pin;
use std::rc::Rc;
use std::time::{Duration, Instant};

use actix_web::HttpResponse;
use actix_web::body::{BoxBody, MessageBody};
use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_TYPE, HeaderValue};
use futures::Stream;

use super::event_reader::{EventReader, StreamedEvent};
use super::requests::{Document, Requests};
use super::source::Source;
use crate::http::{Code, Refusal};

/// A stream that lasted at least this long did not fail to open.
const STABLE: Duration = Duration::from_secs(10);

/// The number of times in succession that a stream may break off without having lasted.
const MAX_FAILURES: u32 = 6;

/// The first pause before a stream that broke off repeatedly is opened again. Each further one is twice as long.
const PAUSE: Duration = Duration::from_millis(50);

/// A change of a subscription that its client is informed of.
pub enum Update {
    /// The stream is open. Contains the id of the stream, if the source has one.
    Subscribed(Option<HeaderValue>),
    Events(Vec<StreamedEvent>),
    /// The stream has ended and everything was sent, or it cannot be read (further) because of a problem.
    Ended(Option<Document>),
}

/// A reader of one stream. It holds at most the events of one piece of the response.
struct Subscription {
    requests: Rc<Requests>,
    source: Source,
    /// The position after the last event that was read, or the one that the client resumes from.
    position: Option<HeaderValue>,
    is_subscribed: bool,
    failures: u32,
    state: State,
}

enum State {
    Unopened,
    Reading(Reading),
    Over,
}

struct Reading {
    body: BoxBody,
    events: EventReader,
    began: Instant,
}

/// The next part of a response.
enum Piece {
    Events(Vec<StreamedEvent>),
    End,
    Broken,
}

/// The updates of a subscription that starts after `position`. The last one is [`Update::Ended`].
pub fn updates(
    requests: Rc<Requests>,
    source: Source,
    position: Option<HeaderValue>,
) -> impl Stream<Item = Update> {
    let state = State::Unopened;
    let subscription = Subscription { requests, source, position, is_subscribed: false, failures: 0, state };
    futures::stream::unfold(subscription, |mut subscription| async move {
        Some((subscription.next().await?, subscription))
    })
}

impl Subscription {
    async fn next(&mut self) -> Option<Update> {
        loop {
            let update = match &mut self.state {
                State::Over => return None,
                State::Unopened => self.open().await,
                State::Reading(reading) => match reading.next().await {
                    Piece::Events(events) => {
                        let positions = events.iter().rev().find_map(|event| event.position.as_deref());
                        if let Some(position) = positions.and_then(|at| HeaderValue::from_bytes(at).ok()) {
                            self.position = Some(position);
                        }
                        Some(Update::Events(events))
                    }
                    // The response of a run ends regularly with the run, and breaks off otherwise.
                    Piece::End if self.source.is_run => Some(self.end(None)),
                    Piece::End | Piece::Broken => {
                        let lasted = reading.began.elapsed() >= STABLE;
                        self.broke_off(lasted).await
                    }
                },
            };
            if update.is_some() {
                return update;
            }
        }
    }

    /// Opens the stream. Returns nothing if the client already knows that it is subscribed.
    async fn open(&mut self) -> Option<Update> {
        let response = self.requests.open(&self.source.target, self.position.as_ref()).await;
        match response.status() {
            StatusCode::OK if is_event_stream(&response) => {
                let stream_id = response.headers().get("x-stream-id").cloned();
                let (events, began) = (EventReader::default(), Instant::now());
                let body = response.into_body();
                self.state = State::Reading(Reading { body, events, began });
                let is_known = std::mem::replace(&mut self.is_subscribed, true);
                (!is_known).then_some(Update::Subscribed(stream_id))
            }
            // The stream has ended, and the position is its end.
            StatusCode::NO_CONTENT => Some(self.end(None)),
            status if status.is_client_error() || status.is_server_error() => {
                let problem = self.requests.document(response).await;
                Some(self.end(Some(problem)))
            }
            _ => {
                let why = Refusal::new(Code::BadRequest).detail("the response of this path is not a stream");
                Some(self.end(Some(self.requests.problem(&why))))
            }
        }
    }

    /// Prepares a stream that broke off to be opened again. If the client lost its rights, or the object was deleted,
    /// the response then contains the reason.
    async fn broke_off(&mut self, lasted: bool) -> Option<Update> {
        if self.requests.is_closing() {
            // Feeds end at once when the server shuts down, and the connection is closed soon.
            return std::future::pending().await;
        }
        self.failures = if lasted { 0 } else { self.failures + 1 };
        if self.failures > MAX_FAILURES {
            let why = Refusal::new(Code::StreamInterrupted)
                .detail("the stream cannot be read; subscribe again later");
            return Some(self.end(Some(self.requests.problem(&why))));
        }
        if self.failures > 1 {
            tokio::time::sleep(PAUSE * 2_u32.pow(self.failures - 2)).await;
        }
        self.state = State::Unopened;
        None
    }

    fn end(&mut self, problem: Option<Document>) -> Update {
        self.state = State::Over;
        Update::Ended(problem)
    }
}

impl Reading {
    async fn next(&mut self) -> Piece {
        loop {
            let body = &mut self.body;
            let events = match std::future::poll_fn(|cx| Pin::new(&mut *body).poll_next(cx)).await {
                Some(Ok(bytes)) => self.events.read(bytes),
                Some(Err(_)) => return Piece::Broken,
                None => return Piece::End,
            };
            if !events.is_empty() {
                return Piece::Events(events);
            }
        }
    }
}

fn is_event_stream(response: &HttpResponse) -> bool {
    let content_type = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    content_type.is_some_and(|value| value.starts_with("text/event-stream"))
}
