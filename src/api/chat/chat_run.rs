//! Answers outside of conversations: starts the run and builds the response.

use std::sync::Arc;
use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::web::Data;
use assist::completion::{ChatStart, Started};
use runs::{Cursor, Event, Terminal};

use super::answer::{ChatCompletionResponse, Gathered};
use super::responses;
use crate::App;
use crate::api::client::Client;
use crate::api::run_streams::{self, ReadOptions, RunSnapshot, StreamReader, credential_rights, locate};
use crate::http::encodings::{Constants, Wire, terminal};
use crate::http::{Api, Caller};

/// How long a streaming response waits for a provider that fails immediately, so that the failure can still become the HTTP status.
const TIMEOUT: Duration = Duration::from_secs(10);

/// A run to start, and the form of the response.
pub struct ChatRun {
    /// The shared state of the application.
    pub app: Data<App>,
    pub caller: Arc<Caller>,
    /// The request to start the run.
    pub start: ChatStart,
    /// The encoding of a streamed answer; `None` for a single JSON object.
    pub wire: Option<Wire>,
    /// The `include_usage` stream option of OpenAI.
    pub include_usage: bool,
    /// The API in whose format provider failures are reported.
    pub client: Client,
}

impl ChatRun {
    /// Starts the run and responds with a stream or with the whole answer.
    pub async fn answer(mut self) -> Api<HttpResponse> {
        let started = self.start().await?;
        match self.wire {
            Some(wire) => self.stream(started, wire).await,
            None => self.whole(started).await,
        }
    }

    /// Starts the run. Must be called only once, because it takes the input.
    pub async fn start(&mut self) -> Api<Started> {
        // The input is moved, not cloned: it may be large.
        let input = std::mem::take(&mut self.start.input);
        let start = ChatStart { input, ..self.start.clone() };
        Ok(assist::completion::start_chat(&self.app.actors, start).await?)
    }

    /// Responds with the stream. A run that fails before its first output becomes a response with the status of the failure.
    pub async fn stream(self, mut started: Started, wire: Wire) -> Api<HttpResponse> {
        let begun = tokio::time::timeout(TIMEOUT, ended_at_once(&mut started.cursor)).await;
        if let Ok(ended) = begun
            && let Some(why) = ended?.and_then(|terminal| self.client.run_refusal(&terminal))
        {
            return Err(why);
        }
        let Self { app, caller, include_usage, .. } = self;
        if wire == Wire::Responses {
            let response = responses::load(&app, &caller, started.run.id).await?;
            return responses::stream(&app, &caller, response, None).await;
        }
        let (owner, stream) = (caller.clone(), started.run.id);
        if !started.resumed {
            let rights = credential_rights(&app, &caller);
            let (reader, cursor) = (StreamReader { app, caller, rights }, started.cursor.from_start());
            let mut response = run_streams::follow(reader, &started.run, cursor, wire, include_usage);
            locate(&mut response, None, stream);
            return Ok(response);
        }
        let snapshot = app.store.read(move |reader| RunSnapshot::of_chat(reader, &owner, None, stream, wire));
        let (snapshot, rights) = (snapshot.await?, credential_rights(&app, &caller));
        let options = ReadOptions { fold: Some(false), include_usage, ..ReadOptions::new(wire) };
        let mut response =
            run_streams::attach(StreamReader { app, caller, rights }, snapshot, &options).await?;
        locate(&mut response, None, stream);
        Ok(response)
    }

    /// Waits for the end of the run. Returns an error if the run failed.
    pub async fn end(&self, started: Started) -> Api<()> {
        let (_, terminal) = gather(started.cursor).await?;
        terminal.as_ref().and_then(|terminal| self.client.run_refusal(terminal)).map_or(Ok(()), Err)
    }

    /// Waits for the end of the run and responds with the whole answer. The run continues if the client disconnects.
    pub async fn whole(self, started: Started) -> Api<HttpResponse> {
        let run = started.run;
        let (gathered, terminal) = gather(started.cursor).await?;
        if let Some(why) = terminal.as_ref().and_then(|terminal| self.client.run_refusal(terminal)) {
            return Err(why);
        }
        let answer = ChatCompletionResponse::from_run(&Constants::new(&run), gathered, terminal.as_ref());
        let mut response = HttpResponse::Ok().json(answer);
        locate(&mut response, None, run.id);
        Ok(response)
    }
}

/// Returns the terminal record of a run that ends before its first output, or `None` as soon as there is output.
async fn ended_at_once(cursor: &mut Cursor) -> Api<Option<Terminal>> {
    let is_output = |event: &Event| !event.kind.starts_with("run.") && &*event.kind != "usage";
    while let Some(chunk) = cursor.next().await? {
        if chunk.events.iter().any(is_output) {
            return Ok(None);
        }
        if let Some(ended) = chunk.events.last().and_then(terminal) {
            return Ok(Some(ended));
        }
    }
    Ok(None)
}

/// Collects the output of a run until its end, and returns it with the terminal record.
pub async fn gather(cursor: Cursor) -> Api<(Gathered, Option<Terminal>)> {
    // Only events of workflows can be restricted to editors, and these runs have no workflow.
    let mut cursor = cursor.whole();
    cursor.until_end().await;
    let (mut gathered, mut last) = (Gathered::default(), None);
    while let Some(chunk) = cursor.next().await? {
        chunk.events.iter().for_each(|event| gathered.apply(event));
        last = chunk.events.last().cloned();
    }
    Ok((gathered, last.as_ref().and_then(terminal)))
}
