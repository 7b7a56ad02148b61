//! Completions in conversations.

use std::sync::Arc;

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use assist::completion::{CompletionStart, Started};
use runs::RequestKey;
use storage::Row;
use storage::records::{Attachment, Conversation, Message, RunKind};
use uuid::Uuid;
use workflow::wait_for_end;

use super::form::{CompletionBody, CompletionQuery, ConversationChatCompletionForm};
use super::rights::rights;
use super::view::ConversationMessage;
use super::{attachments, client_messages};
use crate::App;
use crate::api::client::run_failure;
use crate::api::run_streams::{self, ReadOptions, RunSnapshot, StreamReader, last_event_id, locate};
use crate::http::credentials::sha256_hex;
use crate::http::encodings::{self, Wire};
use crate::http::idempotency::IdempotencyHeader;
use crate::http::scopes::ConversationsWrite;
use crate::http::{Api, Caller, Checked, Query, Refusal, operations};

/// Request an answer in a conversation.
///
/// The answer is a stream (see `wire`), or with `stream=false` the finished message. The run continues if the client disconnects: to resume
/// reading, attach to the address in `Content-Location`. A repeated request with the same `Idempotency-Key` returns the same stream for 24
/// hours; with `Last-Event-ID`, it continues after that event. While a completion is live in the conversation, another one is refused with
/// 409 unless `on_active` says otherwise. The same fields are also accepted as JSON.
#[utoipa::path(post, path = "/api/conversations/{conversation_id}/completion",
    params(CompletionQuery,
        ("Idempotency-Key" = Option<String>, Header, description = "The idempotency key of this request.", max_length = 255),
        ("Last-Event-ID" = Option<u64>, Header,
            description = "The sequence number of the last event that the client received. A repeated request continues after it.")),
    request_body(content = ConversationChatCompletionForm, content_type = "multipart/form-data"),
    responses(
        (status = 200, description = "The event stream, or with `stream=false` the finished message.", content(
            (encodings::EncodedEvent = "text/event-stream"), (runs::StreamEvent = "application/x-ndjson"),
            (ConversationMessage = "application/json")),
            headers(("X-Stream-Id" = Uuid, description = "The id of the stream."),
                ("Content-Location" = String, description = "The path at which clients can attach to the stream."))),
        (status = 202,
            description = "With `stream=false`: the workflow of the assistant waits for a person. The response is the message so far.",
            body = ConversationMessage),
        (status = 409, description = "A stream is live in the conversation."),
        (status = 502, description = "The provider failed."),
        (status = 504, description = "The provider timed out.")))]
async fn conversation_completion(
    conversation: Checked<Row<Conversation>, ConversationsWrite>,
    app: Data<App>,
    Query(how): Query<CompletionQuery>,
    request: HttpRequest,
    body: CompletionBody,
    key: IdempotencyHeader,
) -> Api<HttpResponse> {
    let completion =
        CompletionRequest { app, caller: conversation.auth.caller(), conversation: conversation.id, how };
    completion.answer(&request, body, key).await
}

/// A completion request: its caller, its conversation and its options.
struct CompletionRequest {
    app: Data<App>,
    caller: Arc<Caller>,
    conversation: Uuid,
    how: CompletionQuery,
}

impl CompletionRequest {
    async fn answer(
        self,
        request: &HttpRequest,
        body: CompletionBody,
        key: IdempotencyHeader,
    ) -> Api<HttpResponse> {
        let key = key.look_up(&self.app, &self.caller).await?;
        let CompletionBody { mut form, files } = body;
        let include_usage = form.take_include_usage() || self.how.include_usage;
        let (stream, uploads) = (form.stream.unwrap_or(true), form.uploads.clone().unwrap_or_default());
        let attachments =
            attachments::store(&self.app, &self.caller, self.conversation, &files, &uploads).await?;
        let messages = form.messages.as_deref().unwrap_or_default();
        let message_files =
            client_messages::files_of(&self.app, &self.caller, self.conversation, messages).await?;
        let wire = form.wire.or(self.how.wire).or(Wire::accepted(request.headers()));
        let start = self.start(form, (attachments, message_files), key, stream)?;
        let started = assist::completion::start(&self.app.actors, start).await?;
        if !uploads.is_empty() && !started.resumed {
            attachments::mark_used(&self.app, self.caller.tenant, uploads).await;
        }
        match stream {
            true => {
                let wire = wire.unwrap_or(Wire::Events);
                // A repeated request continues after the event that its client received last; a new request has no such event.
                let continues = started.resumed && wire.has_offsets();
                let after = if continues { last_event_id(request)?.unwrap_or_default() } else { 0 };
                self.stream(started, ReadOptions { after, include_usage, ..ReadOptions::new(wire) }).await
            }
            false => self.whole(started).await,
        }
    }

    fn start(
        &self,
        form: ConversationChatCompletionForm,
        (attachments, message_files): (Vec<Attachment>, Vec<Vec<Attachment>>),
        idempotency_key: Option<RequestKey>,
        stream: bool,
    ) -> Api<CompletionStart> {
        let on_active = form.on_active.or(self.how.on_active).unwrap_or_default();
        Ok(CompletionStart {
            tenant: self.caller.tenant,
            user: self.caller.user,
            token_id: self.caller.token_id,
            conversation_id: self.conversation,
            idempotency_key,
            request_sha256: fingerprint(self.conversation, &form, &attachments),
            input: form.input(self.conversation, attachments, message_files)?,
            model: form.model,
            assistant_id: form.assistant_id,
            parameters: form.parameters,
            skills: form.skills,
            tools: form.tools,
            knowledge_bases: form.knowledge_base_ids.unwrap_or_default(),
            recovery: form.recovery,
            on_active,
            context: self.how.context.clone(),
            stream,
        })
    }

    async fn stream(self, started: Started, options: ReadOptions) -> Api<HttpResponse> {
        let Self { app, caller, conversation, .. } = self;
        let (run, stream) = (started.run.clone(), started.run.id);
        let reader = StreamReader {
            rights: rights(&app, &caller, conversation, false),
            app: app.clone(),
            caller: caller.clone(),
        };
        let mut response = match started.resumed {
            true => {
                let read =
                    app.store.read(move |reader| RunSnapshot::read(reader, &caller, None, run, options.wire));
                run_streams::attach(reader, read.await?, &options).await?
            }
            false => run_streams::follow(reader, &run, started.cursor, options.wire, options.include_usage),
        };
        locate(&mut response, Some(conversation), stream);
        Ok(response)
    }

    /// Waits for the end of the run and responds with the message. If a workflow waits for a person, responds with the message so far. The
    /// run continues if the client disconnects.
    async fn whole(self, mut started: Started) -> Api<HttpResponse> {
        // A completion never waits for a person.
        if started.run.kind == RunKind::Completion {
            started.cursor.until_end().await;
        }
        let (tenant, id) = (self.caller.tenant, (self.conversation, started.message_id));
        let end = wait_for_end(&self.app.store, tenant, started.cursor, None).await?.terminal;
        if let Some(why) = end.as_ref().and_then(run_failure) {
            return Err(why);
        }
        let row = self.app.store.read(move |reader| reader.require::<Message>(tenant, &id)).await;
        let row = row.map_err(Refusal::from)?;
        let mut response = match end {
            Some(_) => HttpResponse::Ok(),
            None => HttpResponse::Accepted(),
        };
        let mut response = response.json(ConversationMessage::from(row));
        locate(&mut response, Some(self.conversation), started.run.id);
        Ok(response)
    }
}

/// Fingerprint that distinguishes this request from another one with the same idempotency key. Covers everything except the form of the
/// response.
fn fingerprint(
    conversation: Uuid,
    form: &ConversationChatCompletionForm,
    attachments: &[Attachment],
) -> String {
    let parts = serde_json::json!([conversation, form, attachments]);
    sha256_hex(parts.to_string().as_bytes())
}

operations!(conversation_completion with slash);
