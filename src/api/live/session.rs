//! The session of a WebSocket.

use std::rc::Rc;

use futures::StreamExt;
use futures::future::LocalBoxFuture;
use futures::stream::FuturesUnordered;

use super::commands::LiveCommand;
use super::messages::{self, LiveMessage};
use super::requests::Requests;
use super::subscription::Update;
use super::subscriptions::Subscriptions;
use crate::http::encodings::Rights;
use crate::http::websocket::{CloseCode, Outgoing, Session, Texts};
use crate::http::{Code, ConnectionPermit, Refusal};

/// The number of messages that are not commands after which a connection is closed.
const MAX_FAULTS: u32 = 16;

/// The number of runs that can be in the process of being cancelled. No further commands are read until one is done.
const MAX_CANCELS: usize = 8;

/// The subscriptions of a client, with its commands.
pub struct LiveSession {
    requests: Rc<Requests>,
    subscriptions: Subscriptions,
    rights: Rights,
    cancels: FuturesUnordered<LocalBoxFuture<'static, String>>,
    faults: u32,
    _permit: ConnectionPermit,
}

impl LiveSession {
    /// `rights` are those to the connection itself: the client's credential is valid.
    pub fn new(
        requests: Rc<Requests>,
        subscriptions: Subscriptions,
        (rights, permit): (Rights, ConnectionPermit),
    ) -> Self {
        let cancels = FuturesUnordered::new();
        Self { requests, subscriptions, rights, cancels, faults: 0, _permit: permit }
    }

    fn execute(&mut self, command: LiveCommand) -> Result<Option<String>, Refusal> {
        Ok(match command {
            LiveCommand::Subscribe { id, to, after } => {
                self.subscriptions.add(LiveCommand::request(id, to, after))?;
                None
            }
            LiveCommand::Unsubscribe { id } => {
                self.subscriptions.remove(&id)?;
                Some(LiveMessage::Unsubscribed { id: &id }.to_json())
            }
            LiveCommand::Cancel { id } => {
                let (requests, path) = (self.requests.clone(), self.subscriptions.cancel_path(&id)?);
                self.cancels.push(Box::pin(async move {
                    match requests.cancel(path).await {
                        Ok(receipt) => LiveMessage::Cancelled { id: &id, receipt: &receipt }.to_json(),
                        Err(problem) => {
                            let (op, id) = (Some("cancel"), Some(id.as_str()));
                            LiveMessage::Problem { op, id, problem: &problem }.to_json()
                        }
                    }
                }));
                None
            }
            LiveCommand::Ping {} => Some(LiveMessage::Pong {}.to_json()),
        })
    }

    fn fault(&mut self, why: &serde_json::Error) -> Outgoing {
        self.faults += 1;
        if self.faults > MAX_FAULTS {
            return Outgoing::Close(CloseCode::Policy, "too many messages are not commands");
        }
        let refusal =
            Refusal::new(Code::MalformedBody).detail(format!("the message is not a command: {why}"));
        let problem = self.requests.problem(&refusal);
        message(LiveMessage::Problem { op: None, id: None, problem: &problem }.to_json())
    }
}

impl Session for LiveSession {
    fn receive(&mut self, text: &str) -> Option<Outgoing> {
        let command: LiveCommand = match serde_json::from_str(text) {
            Ok(command) => command,
            Err(why) => return Some(self.fault(&why)),
        };
        let (op, id) = command.subject();
        let id = id.map(str::to_owned);
        match self.execute(command) {
            Ok(reply) => reply.map(message),
            Err(refusal) => {
                let problem = self.requests.problem(&refusal);
                let (op, id) = (Some(op), id.as_deref());
                Some(message(LiveMessage::Problem { op, id, problem: &problem }.to_json()))
            }
        }
    }

    fn is_ready(&self) -> bool {
        self.cancels.len() < MAX_CANCELS
    }

    fn beat(&mut self) {
        self.rights.beat();
    }

    async fn next(&mut self) -> Outgoing {
        loop {
            if !self.rights.check().await {
                return Outgoing::Close(CloseCode::Policy, "the session or the token is no longer valid");
            }
            let Self { requests, subscriptions, rights, cancels, .. } = self;
            let waits_for_no_run = !subscriptions.has_runs();
            tokio::select! {
                biased;
                // The check follows.
                () = rights.changed() => {}
                () = requests.closed(), if waits_for_no_run => {
                    return Outgoing::Close(CloseCode::Away, "the server is shutting down");
                }
                Some(reply) = cancels.next() => return message(reply),
                (id, update) = subscriptions.next() => return shown(&id, update),
            }
        }
    }
}

fn shown(id: &str, update: Update) -> Outgoing {
    match update {
        Update::Subscribed(stream_id) => message(messages::subscribed(id, stream_id.as_ref())),
        Update::Events(events) => {
            let mut texts = Texts::default();
            events.iter().for_each(|event| texts.push(messages::event(id, event)));
            Outgoing::Texts(texts)
        }
        Update::Ended(problem) => message(LiveMessage::Ended { id, problem: problem.as_ref() }.to_json()),
    }
}

fn message(json: String) -> Outgoing {
    Outgoing::Texts(Texts::one(json))
}
