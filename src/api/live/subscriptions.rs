//! The subscriptions of one connection.

use std::collections::HashMap;
use std::pin::Pin;
use std::rc::Rc;

use actix_web::http::Uri;
use actix_web::http::header::HeaderValue;
use futures::stream::{AbortHandle, Abortable, SelectAll};
use futures::{Stream, StreamExt};

use super::requests::Requests;
use super::source::Source;
use super::subscription::{Update, updates};
use crate::http::{Code, Refusal};

/// The maximum length of a client's name for a subscription.
const MAX_ID_LENGTH: usize = 64;

/// A subscription that a client requests.
pub struct Request {
    /// The client's name for it.
    pub id: String,
    /// The path of the stream.
    pub to: String,
    /// The position after which it starts.
    pub after: Option<String>,
}

type Updates = Pin<Box<dyn Stream<Item = (Rc<str>, Update)>>>;

/// The open subscriptions. Those with something to send take turns; a subscription is read only when it is its turn.
pub struct Subscriptions {
    requests: Rc<Requests>,
    limit: usize,
    updates: SelectAll<Updates>,
    open: HashMap<Rc<str>, Entry>,
}

struct Entry {
    abort: AbortHandle,
    cancel: Option<Uri>,
    is_run: bool,
}

impl Subscriptions {
    /// `limit` is the maximum number of open subscriptions.
    pub fn new(requests: Rc<Requests>, limit: usize) -> Self {
        Self { requests, limit, updates: SelectAll::new(), open: HashMap::new() }
    }

    /// Adds a subscription.
    ///
    /// # Errors
    /// 422 if a field is invalid, 404 if the path is not that of a stream, and 409 if the id is in use or the limit is
    /// reached. Nothing changes then.
    pub fn add(&mut self, request: Request) -> Result<(), Refusal> {
        let Request { id, to, after } = request;
        check_id(&id)?;
        let source = Source::parse(&to)?;
        let position = after.map(|after| position(&after)).transpose()?;
        if self.open.contains_key(id.as_str()) {
            let why = "a subscription with this id is open; unsubscribe from it first, or use another id";
            return Err(Refusal::new(Code::Conflict).detail(why));
        }
        if self.open.len() >= self.limit {
            let why = format!("a connection can have at most {} subscriptions", self.limit);
            return Err(Refusal::new(Code::LimitReached).detail(why));
        }
        let (id, (abort, registration)): (Rc<str>, _) = (id.into(), AbortHandle::new_pair());
        let entry = Entry { abort, cancel: source.cancel.clone(), is_run: source.is_run };
        self.open.insert(id.clone(), entry);
        let updates = updates(self.requests.clone(), source, position);
        let named = updates.map(move |update| (id.clone(), update));
        self.updates.push(Box::pin(Abortable::new(named, registration)));
        Ok(())
    }

    /// Removes a subscription. Nothing of it is returned afterwards.
    ///
    /// # Errors
    /// 404 if there is none with this id.
    pub fn remove(&mut self, id: &str) -> Result<(), Refusal> {
        let entry = self.open.remove(id).ok_or_else(|| Refusal::not_found("subscription"))?;
        entry.abort.abort();
        Ok(())
    }

    /// The path of the operation that cancels the run of a subscription.
    ///
    /// # Errors
    /// 404 if there is no such subscription, and 405 if its stream cannot be cancelled.
    pub fn cancel_path(&self, id: &str) -> Result<Uri, Refusal> {
        let entry = self.open.get(id).ok_or_else(|| Refusal::not_found("subscription"))?;
        let none =
            || Refusal::new(Code::MethodNotAllowed).detail("this stream has no operation that cancels it");
        entry.cancel.clone().ok_or_else(none)
    }

    /// Returns the next update with the id of its subscription. Can be cancelled without losing anything.
    pub async fn next(&mut self) -> (Rc<str>, Update) {
        let Some((id, update)) = self.updates.next().await else { return std::future::pending().await };
        if matches!(update, Update::Ended(_)) {
            self.open.remove(&id);
        }
        (id, update)
    }

    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Whether any run is being read. When the server shuts down, it lets runs continue for a while.
    pub fn has_runs(&self) -> bool {
        self.open.values().any(|entry| entry.is_run)
    }
}

fn check_id(id: &str) -> Result<(), Refusal> {
    let is_valid = |byte: u8| byte.is_ascii_alphanumeric() || b"._:-".contains(&byte);
    match (1..=MAX_ID_LENGTH).contains(&id.len()) && id.bytes().all(is_valid) {
        true => Ok(()),
        false => {
            let why = format!("must have 1 to {MAX_ID_LENGTH} letters, digits, `.`, `_`, `:` or `-`");
            Err(Refusal::invalid("body", ["id"], why, "malformed"))
        }
    }
}

fn position(after: &str) -> Result<HeaderValue, Refusal> {
    let is_valid = |byte: u8| byte.is_ascii_digit() || byte == b'-';
    let value = HeaderValue::from_str(after).ok();
    let value = value.filter(|_| (1..=MAX_ID_LENGTH).contains(&after.len()) && after.bytes().all(is_valid));
    value.ok_or_else(|| Refusal::invalid("body", ["after"], "is not a position of a stream", "malformed"))
}
