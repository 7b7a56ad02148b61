//! The WebSocket encoding: the objects of the `events` encoding as text frames, with commands from the client.

use futures::future::LocalBoxFuture;
use runs::{Chunk, Cursor};
use serde::Deserialize;
use serde_json::json;

use super::Rights;
use crate::http::websocket::{CloseCode, Outgoing, Session, Texts};

/// The commands that a client may send to the run it reads.
pub struct Steering {
    /// Opens a new cursor after this sequence number.
    pub attach: Box<dyn Fn(u64) -> LocalBoxFuture<'static, Result<Cursor, SocketRefusal>>>,
    /// Requests that the run stops.
    pub cancel: Box<dyn Fn() -> LocalBoxFuture<'static, Result<(), SocketRefusal>>>,
}

/// Why a client's command was refused.
#[derive(Debug)]
pub struct SocketRefusal {
    /// A code from the table of error codes.
    pub code: &'static str,
    /// A sentence for people.
    pub message: String,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum Command {
    Cancel {},
    Attach { after: u64 },
}

/// The result of a command: the new cursor, if there is one.
type Done = Result<Option<Cursor>, SocketRefusal>;

/// The session of a WebSocket that reads one run.
pub struct RunSession {
    cursor: Cursor,
    steering: Steering,
    rights: Rights,
    /// The command that is being executed.
    command: Option<LocalBoxFuture<'static, Done>>,
}

impl RunSession {
    /// Begins at the position of `cursor`.
    pub fn new(cursor: Cursor, steering: Steering, rights: Rights) -> Self {
        Self { cursor, steering, rights, command: None }
    }

    fn done(&mut self, done: Done) -> Option<Outgoing> {
        match done {
            Ok(cursor) => {
                self.cursor = cursor?;
                None
            }
            Err(why) => Some(refusal(&why)),
        }
    }
}

impl Session for RunSession {
    fn receive(&mut self, text: &str) -> Option<Outgoing> {
        self.command = Some(match serde_json::from_str(text) {
            Ok(Command::Cancel {}) => {
                let cancelled = (self.steering.cancel)();
                Box::pin(async move { cancelled.await.map(|()| None) })
            }
            Ok(Command::Attach { after }) => {
                let attached = (self.steering.attach)(after);
                Box::pin(async move { attached.await.map(Some) })
            }
            Err(_) => {
                let message = r#"say {"type":"cancel"} or {"type":"attach","after":N}"#.into();
                return Some(refusal(&SocketRefusal { code: "bad_message", message }));
            }
        });
        None
    }

    fn is_ready(&self) -> bool {
        self.command.is_none()
    }

    fn beat(&mut self) {
        self.rights.beat();
    }

    async fn next(&mut self) -> Outgoing {
        loop {
            if !self.rights.check().await {
                return Outgoing::Close(CloseCode::Policy, "you no longer have access to the conversation");
            }
            let Self { cursor, rights, command, .. } = self;
            tokio::select! {
                biased;
                // The check follows.
                () = rights.changed() => {}
                done = finished(command) => if let Some(reply) = self.done(done) {
                    return reply;
                },
                chunk = cursor.next() => return match chunk {
                    Ok(Some(chunk)) => Outgoing::Texts(texts(&chunk)),
                    Ok(None) => Outgoing::Close(CloseCode::Normal, "the run has ended"),
                    Err(why) => {
                        tracing::error!(run = %cursor.run(), %why, "the journal could not be read");
                        Outgoing::Close(CloseCode::Again, "the stream could not be read further")
                    }
                },
            }
        }
    }
}

/// Waits for a task, if there is one, and removes it once it has finished.
async fn finished<T>(task: &mut Option<LocalBoxFuture<'static, T>>) -> T {
    let Some(running) = task else { return std::future::pending().await };
    let outcome = running.await;
    *task = None;
    outcome
}

/// The events of a chunk. Canonical JSON is UTF-8.
fn texts(chunk: &Chunk) -> Texts {
    let mut texts = Texts::default();
    chunk.events.iter().for_each(|event| texts.push(&event.json));
    texts
}

fn refusal(why: &SocketRefusal) -> Outgoing {
    let error = json!({"code": why.code, "message": why.message});
    Outgoing::Texts(Texts::one(json!({"type": "error", "error": error}).to_string()))
}
