//! The positions of all subscriptions of an event stream as one event id, from which an `EventSource` resumes.

use std::collections::HashMap;

use super::subscriptions::Request;
use crate::http::Refusal;

/// Marks a subscription that has ended.
const ENDED: &str = "*";

/// The position of each subscription, in the order of the request.
pub struct Positions {
    index: HashMap<String, usize>,
    /// Empty for a subscription without a position.
    all: Vec<String>,
}

impl Positions {
    /// The positions at the beginning: those of the requests, or of `last_event_id` if the client reconnects.
    ///
    /// # Errors
    /// 422 if `last_event_id` does not belong to these requests.
    pub fn new(requests: &[Request], last_event_id: Option<&str>) -> Result<Self, Refusal> {
        let index = requests.iter().enumerate().map(|(at, request)| (request.id.clone(), at)).collect();
        let all: Vec<String> = match last_event_id {
            Some(id) => id.trim().split(',').map(str::to_owned).collect(),
            None => requests.iter().map(|request| request.after.clone().unwrap_or_default()).collect(),
        };
        match all.len() == requests.len() {
            true => Ok(Self { index, all }),
            false => {
                let why = "is not an event id of a stream with these subscriptions";
                Err(Refusal::invalid("header", ["Last-Event-ID"], why, "malformed"))
            }
        }
    }

    /// The subscriptions that have not ended, each with its position.
    pub fn remaining(&self, requests: Vec<Request>) -> Vec<Request> {
        let pairs = requests.into_iter().zip(&self.all);
        let open = pairs.filter(|(_, position)| *position != ENDED);
        open.map(|(request, position)| {
            let after = (!position.is_empty()).then(|| position.clone());
            Request { after, ..request }
        })
        .collect()
    }

    /// Records a position, and returns the event id.
    pub fn advance(&mut self, id: &str, position: &str) -> String {
        if let Some(at) = self.index.get(id) {
            position.clone_into(&mut self.all[*at]);
        }
        self.all.join(",")
    }

    /// Records the end of a subscription, and returns the event id.
    pub fn end(&mut self, id: &str) -> String {
        self.advance(id, ENDED)
    }
}
