//! Follows the stream of an answer to its end, over any number of connections.

use super::super::{Done, Failure};
use super::AskArgs;
use super::printer::{Printer, StreamEvent};
use super::server::{RequestError, Server};
use super::state::LastQuestion;
use reqwest::{RequestBuilder, Response};
use serde_json::{Value, json};
use std::io::ErrorKind;
use std::time::Duration;
use tokio::time::{Instant, sleep};
use uuid::Uuid;

/// The pause before the first retry of a request, and the longest pause.
const FIRST_PAUSE: Duration = Duration::from_millis(200);
const MAX_PAUSE: Duration = Duration::from_secs(5);

/// Whether a stream was read completely.
enum StreamEnd {
    /// The run has ended, or the standard output has been closed.
    Complete,
    /// The connection was lost.
    Interrupted,
}

/// An answer, and the position up to which it was printed.
pub(super) struct Follower {
    server: Server,
    printer: Printer,
    /// How long to wait for a server that is not reachable.
    patience: Duration,
    pause: Duration,
    /// The question whose answer is followed; `None` until the conversation is known.
    last: Option<LastQuestion>,
    /// Whether `last` is in the file or may replace its content. Of several concurrent commands, the latest question is
    /// stored.
    stored: bool,
}

impl Follower {
    pub fn new(server: Server, json: bool, patience: Duration) -> Self {
        let printer = Printer::new(json);
        // Assumed until the first attempt so that a failure of it is reported.
        Self { server, printer, patience, pause: FIRST_PAUSE, last: None, stored: true }
    }

    /// Asks or attaches, and prints until the run has ended.
    pub async fn run(&mut self, args: &AskArgs, last: Option<LastQuestion>) -> Done {
        let mut response = match &args.question {
            Some(question) => Some(self.ask(question, args).await?),
            None => {
                self.find(args.conversation, last).await?;
                None
            }
        };
        loop {
            let connection = match response.take() {
                Some(response) => response,
                None => self.attach().await?,
            };
            let printed = self.last.as_ref().map(|last| last.last_seq);
            if let StreamEnd::Complete = self.print(connection).await? {
                return Ok(());
            }
            self.printer.note(&format!("the connection to {} was lost; reconnecting", self.server.url));
            // A proxy may accept every connection and close it immediately.
            if self.last.as_ref().map(|last| last.last_seq) == printed {
                self.wait().await;
            }
        }
    }

    /// The message when Ctrl-C ends the command.
    pub fn farewell(&mut self) -> String {
        self.printer.leave_line();
        let Some(LastQuestion { conversation_id, stream_id, .. }) = self.last else {
            return "interrupted before the question was sent".to_owned();
        };
        // Another command may have asked since. Even without a stream, the server may have accepted the question.
        self.store(|_| stream_id.is_none());
        let conversation = match self.stored {
            true => String::new(),
            false => format!(" --conversation {conversation_id}"),
        };
        format!("detached; the answer continues on the server: understudy ask --attach{conversation}")
    }

    /// Asks in the given conversation or in a new one, and returns the response with the stream.
    async fn ask(&mut self, question: &str, args: &AskArgs) -> Done<Response> {
        let conversation_id = match args.conversation {
            Some(id) => id,
            None => {
                let conversation =
                    self.server.send_json(self.server.post("/api/conversations", &json!({}))).await?;
                id_of(&conversation["id"])?
            }
        };
        let path = format!("/api/conversations/{conversation_id}/completion");
        let mut body = json!({"message": question, "recovery": args.recovery, "wire": "ndjson"});
        let fields = [
            ("model", json!(args.model)),
            ("assistant_id", json!(args.assistant)),
            ("parameters", json!(args.parameters)),
        ];
        for (name, value) in fields.into_iter().filter(|(_, value)| !value.is_null()) {
            body[name] = value;
        }
        // With the key, a retry after a lost connection is recognized as the same question.
        let key = Uuid::new_v4().to_string();
        let request = self.server.post(&path, &body).header("idempotency-key", key);
        self.last = Some(LastQuestion::new(self.server.url.clone(), conversation_id, None));
        let response = self.repeat(request, false).await?;
        let stream_id = response.headers().get("x-stream-id").and_then(|id| id.to_str().ok()?.parse().ok());
        self.last = Some(LastQuestion::new(self.server.url.clone(), conversation_id, stream_id));
        self.store(|_| true);
        Ok(response)
    }

    /// Finds the stream to attach to: the live one of the conversation, or otherwise its newest one.
    async fn find(&mut self, conversation: Option<Uuid>, last: Option<LastQuestion>) -> Done {
        let last = last.filter(|last| last.url == self.server.url);
        let nothing = || Failure::new("nothing to attach to: no question was asked on this machine");
        let conversation_id =
            conversation.or(last.as_ref().map(|last| last.conversation_id)).ok_or_else(nothing)?;
        let request = self.server.get(&format!("/api/conversations/{conversation_id}"));
        let shown = self.repeat(request, false).await?;
        let shown: Value = shown.json().await.map_err(Failure::new)?;
        let live = &shown["active_stream"]["stream_id"];
        let runs = shown["messages"].as_array().into_iter().flatten().rev().map(|message| &message["run_id"]);
        let newest = std::iter::once(live).chain(runs).find(|id| id.is_string());
        let newest = newest.map(id_of).transpose()?.ok_or_else(|| {
            Failure::new(format!("nothing to attach to: conversation {conversation_id} has no answer"))
        })?;
        let known = last.filter(|last| last.stream_id == Some(newest));
        if known.as_ref().is_some_and(|last| last.ended) {
            return Err(Failure::new(format!(
                "nothing to attach to: the last answer of conversation {conversation_id} was printed completely"
            )));
        }
        let fresh = || LastQuestion::new(self.server.url.clone(), conversation_id, Some(newest));
        self.last = Some(known.unwrap_or_else(fresh));
        self.store(|_| true);
        Ok(())
    }

    /// Opens the stream after the last printed event.
    async fn attach(&mut self) -> Done<Response> {
        let Some(LastQuestion { conversation_id, stream_id: Some(stream_id), last_seq, .. }) = &self.last
        else {
            return Err(Failure::new("the server did not name the stream of its answer"));
        };
        let path =
            format!("/api/conversations/{conversation_id}/streams/{stream_id}?after={last_seq}&wire=ndjson");
        let request = self.server.get(&path);
        self.repeat(request, true).await
    }

    /// Sends a request, and retries while the server is not reachable. `announced` states whether that was already
    /// reported.
    async fn repeat(&mut self, request: RequestBuilder, mut announced: bool) -> Done<Response> {
        let deadline = Instant::now() + self.patience;
        loop {
            let Some(attempt) = request.try_clone() else {
                return Err(Failure::new("the request cannot be repeated"));
            };
            let why = match self.server.send(attempt).await {
                Ok(response) => return Ok(response),
                Err(RequestError { words, transient: false }) => return Err(Failure::new(words)),
                Err(RequestError { words, .. }) => words,
            };
            if Instant::now() + self.pause > deadline {
                return Err(Failure::new(why));
            }
            if !std::mem::replace(&mut announced, true) {
                self.printer.note(&format!("{why}; trying again"));
            }
            self.wait().await;
        }
    }

    /// Waits before the next attempt. The pause doubles until an event arrives.
    async fn wait(&mut self) {
        sleep(self.pause).await;
        self.pause = (self.pause * 2).min(MAX_PAUSE);
    }

    /// Prints the events of a connection. An incomplete last line is dropped because the next connection sends it
    /// again.
    async fn print(&mut self, mut response: Response) -> Done<StreamEnd> {
        let mut pending = Vec::new();
        loop {
            let Ok(Some(chunk)) = response.chunk().await else { return Ok(StreamEnd::Interrupted) };
            pending.extend_from_slice(&chunk);
            let Some(end) = pending.iter().rposition(|byte| *byte == b'\n') else { continue };
            let rest = pending.split_off(end + 1);
            let lines = std::mem::replace(&mut pending, rest);
            let ended = match self.print_lines(&lines) {
                Ok(ended) => ended,
                // `ask … | head -1`: the reader has closed the pipe on purpose, which is not an error.
                Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(StreamEnd::Complete),
                Err(error) => return Err(Failure::new(format!("the answer cannot be printed: {error}"))),
            };
            // Store after printing: a command that is killed in between prints these lines twice, but loses none.
            self.store(|_| false);
            if let Some(terminal) = ended {
                return result(&terminal).map(|()| StreamEnd::Complete);
            }
        }
    }

    /// Prints complete lines, one event each, and returns the terminal record of the run if its end is among them.
    fn print_lines(&mut self, lines: &[u8]) -> std::io::Result<Option<Value>> {
        let mut end = None;
        for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let event: StreamEvent = serde_json::from_slice(line)?;
            let Some(last) = self.last.as_mut().filter(|last| event.seq > last.last_seq) else { continue };
            self.printer.print(line, &event)?;
            last.last_seq = event.seq;
            self.pause = FIRST_PAUSE;
            if event.kind == "run.ended" {
                last.ended = true;
                end = Some(event.data["terminal"].clone());
            }
        }
        self.printer.flush()?;
        Ok(end)
    }

    /// Stores the position up to which the answer was printed. If the file contains another question, `replaces`
    /// decides whether to replace it.
    fn store(&mut self, replaces: impl FnOnce(&LastQuestion) -> bool) {
        let Some(last) = &self.last else { return };
        let stream = last.stream_id;
        match last.store(|present| present.stream_id == stream || replaces(present)) {
            Ok(stored) => self.stored = stored,
            Err(error) if self.stored => {
                self.stored = false;
                self.printer.note(&format!("--attach will not find this question: {error}"));
            }
            Err(_) => {}
        }
    }
}

/// Returns success, or the reason why the run did not succeed.
fn result(terminal: &Value) -> Done {
    let status = terminal["status"].as_str().unwrap_or_default();
    let error = &terminal["error"];
    match (status, error["message"].as_str(), error["code"].as_str()) {
        ("succeeded", ..) => Ok(()),
        (_, Some(message), Some(code)) => Err(Failure::new(format!("the run failed: {message} ({code})"))),
        _ => {
            let reason = terminal["reason"].as_str().map(|reason| format!(" ({reason})")).unwrap_or_default();
            Err(Failure::new(format!("the run ended as {status}{reason}")))
        }
    }
}

fn id_of(value: &Value) -> Done<Uuid> {
    let id = value.as_str().and_then(|id| id.parse().ok());
    id.ok_or_else(|| Failure::new("the server's response has no id: is it an Understudy server?"))
}
