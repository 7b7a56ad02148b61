//! The mailbox of a run's actor, and the messages it accepts.

use actix::{Actor, Addr, Context, Handler, MailboxError, Message, Recipient};

use super::command::RunCommand;
use crate::journal::Cursor;

/// Requests a reader of all events after a sequence number.
#[derive(Message)]
#[rtype(result = "Cursor")]
pub(super) struct Attach(pub u64);

/// Delivers a command to the work of a run.
#[derive(Message)]
#[rtype(result = "()")]
pub(super) struct Deliver(pub RunCommand);

/// Makes the actor panic.
#[cfg(test)]
#[derive(Message)]
#[rtype(result = "()")]
pub(super) struct Panic;

/// The mailbox of a run's actor without the actor's type: a live run holds its actor's mailbox, and the actor holds its
/// live run.
#[derive(Clone)]
pub(crate) struct RunMailbox {
    attach: Recipient<Attach>,
    deliver: Recipient<Deliver>,
    #[cfg(test)]
    panic: Recipient<Panic>,
}

impl RunMailbox {
    #[cfg(not(test))]
    pub(super) fn new<A>(addr: Addr<A>) -> Self
    where
        A: Actor<Context = Context<A>> + Handler<Attach> + Handler<Deliver>,
    {
        Self { attach: addr.clone().recipient(), deliver: addr.recipient() }
    }

    #[cfg(test)]
    pub(super) fn new<A>(addr: Addr<A>) -> Self
    where
        A: Actor<Context = Context<A>> + Handler<Attach> + Handler<Deliver> + Handler<Panic>,
    {
        Self { attach: addr.clone().recipient(), deliver: addr.clone().recipient(), panic: addr.recipient() }
    }

    /// Returns a reader of all events after this sequence number.
    ///
    /// # Errors
    /// Returns an error if the actor has stopped.
    pub(super) async fn attach(&self, after: u64) -> Result<Cursor, MailboxError> {
        self.attach.send(Attach(after)).await
    }

    /// Delivers a command to the work.
    ///
    /// # Errors
    /// Returns an error if the actor has stopped.
    pub(super) async fn deliver(&self, command: RunCommand) -> Result<(), MailboxError> {
        self.deliver.send(Deliver(command)).await
    }

    #[cfg(test)]
    pub(super) fn panic(&self) {
        self.panic.do_send(Panic);
    }
}
