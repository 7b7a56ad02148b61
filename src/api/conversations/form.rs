//! What a completion is asked for with: a form, or the same fields as JSON.

use crate::http::ErrorResponse;
use actix_web::dev::Payload;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::{FromRequest, HttpRequest};
use assist::completion::{Input, OnActive};
use futures::future::LocalBoxFuture;
use serde::de::{DeserializeOwned, Error, IgnoredAny};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use storage::records::{Attachment, Recovery};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::client_messages::GivenMessage;
use crate::http::encodings::Wire;
use crate::http::{
    Argument, Code, Faults, LargeJson, Multipart, MultipartForm, Refusal, UploadedFile, Validate,
};

/// A question, and how it is to be answered. Exactly one of `message`, `messages` and
/// `regenerate_message_id` is required.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct ConversationChatCompletionForm {
    /// A new message of the user's.
    #[schema(max_length = 1_000_000)]
    pub message: Option<String>,
    /// The conversation as the client has it. Messages that the server knows by their id stay as
    /// they are; the last one is new, or is to be answered once more. Where it is known and says
    /// something else now, that is asked in its place. In a form, as JSON.
    #[schema(max_items = 2000)]
    pub messages: Option<Vec<GivenMessage>>,
    /// Files that go with the last message. Only in a form.
    #[serde(default, skip_serializing_if = "is_no_part_of_it", rename = "files")]
    #[schema(value_type = Vec<String>, format = Binary)]
    _files: Option<()>,
    /// Ids of files that were uploaded to signed addresses of the conversation before; they go
    /// with the last message, too.
    #[serde(default, deserialize_with = "list")]
    pub uploads: Option<Vec<Uuid>>,
    /// The model; by default the conversation's, the assistant's, the user's or the tenant's, in this order.
    pub model: Option<String>,
    /// The assistant; by default the conversation's.
    pub assistant_id: Option<Uuid>,
    /// The message that `message` follows; by default the conversation's current one.
    pub parent_message_id: Option<Uuid>,
    /// An answer to be given once more, beside the old one; or a question to be answered once
    /// more.
    pub regenerate_message_id: Option<Uuid>,
    /// Parameters of the model, such as `temperature`. In a form, as JSON.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub parameters: Map<String, Value>,
    /// Skills; by default the conversation's and the assistant's.
    #[serde(default, deserialize_with = "list")]
    pub skills: Option<Vec<Uuid>>,
    /// Names of tools, `server/tool` or `server/*` for those of the assistant's tool servers; by default all of the assistant's.
    #[serde(default, deserialize_with = "list")]
    pub tools: Option<Vec<String>>,
    /// Knowledge bases to search in addition to those of the assistant.
    #[serde(default, deserialize_with = "list", skip_serializing_if = "Option::is_none")]
    pub knowledge_base_ids: Option<Vec<Uuid>>,
    /// What happens if the server stops during the answer; by default the assistant's setting,
    /// or else `keep`.
    pub recovery: Option<Recovery>,
    /// Whether the answer is a stream; `true` by default.
    #[serde(skip_serializing_if = "is_no_part_of_it")]
    pub stream: Option<bool>,
    /// The encoding of the stream; by default what `Accept` requests, or else `events`.
    #[serde(skip_serializing_if = "is_no_part_of_it")]
    pub wire: Option<Wire>,
    /// What happens if a completion is live in the conversation; `refuse` by default.
    pub on_active: Option<OnActive>,
    // What the AI SDK's transport says beside the messages, which say as much.
    #[serde(default, skip_serializing, rename = "id")]
    #[schema(ignore)]
    _chat: Option<IgnoredAny>,
    #[serde(default, skip_serializing, rename = "trigger")]
    #[schema(ignore)]
    _trigger: Option<IgnoredAny>,
    #[serde(default, skip_serializing, rename = "messageId")]
    #[schema(ignore)]
    _message: Option<IgnoredAny>,
}

/// Options of a completion outside of its form.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct CompletionQuery {
    /// A free label of the surface that asks; stored in the run and its usage record.
    #[param(max_length = 100)]
    pub context: Option<String>,
    /// As in the form.
    pub wire: Option<Wire>,
    /// As in the form.
    pub on_active: Option<OnActive>,
    /// OpenAI's stream option: whether a last chunk contains the usage.
    pub include_usage: bool,
}

impl Validate for CompletionQuery {}

impl MultipartForm for ConversationChatCompletionForm {
    const JSON: &'static [&'static str] = &["messages", "parameters"];
    const FILES: &'static [&'static str] = &["files"];
}

impl Validate for ConversationChatCompletionForm {
    fn validate(&self, faults: &mut Faults) {
        if self.messages.as_ref().is_some_and(Vec::is_empty) {
            faults.add(["messages"], "contains no message", "too_short");
        }
        let others = [
            ("messages", self.messages.is_some()),
            ("regenerate_message_id", self.regenerate_message_id.is_some()),
        ];
        let present = others.iter().filter(|(_, present)| *present).count();
        for (field, _) in others.iter().filter(|(_, this)| *this && (self.message.is_some() || present > 1)) {
            let why = "only one of `message`, `messages` and `regenerate_message_id` is allowed";
            faults.add([*field], why, "conflicting");
        }
        if self.parent_message_id.is_some() && present > 0 {
            faults.add(["parent_message_id"], "is only allowed with `message`", "conflicting");
        }
        if self.regenerate_message_id.is_some() && self.uploads.is_some() {
            faults.add(["uploads"], "are only allowed with a new message", "conflicting");
        }
    }
}

impl ConversationChatCompletionForm {
    /// What is answered. Ids of clients that are no UUIDs are turned into such within `conversation`. `attachments`
    /// go with the last message, and those in `brought` with the message at the same place of `messages`.
    pub fn input(
        &self,
        conversation: Uuid,
        attachments: Vec<Attachment>,
        message_files: Vec<Vec<Attachment>>,
    ) -> Result<Input, Refusal> {
        if let Some(message_id) = self.regenerate_message_id {
            return match attachments.is_empty() {
                true => Ok(Input::Regenerate { message_id }),
                false => Err(Refusal::invalid(
                    "body",
                    ["files"],
                    "are only allowed with a new message",
                    "conflicting",
                )),
            };
        }
        let Some(messages) = &self.messages else {
            let text = self.message.clone().unwrap_or_default();
            if text.trim().is_empty() && attachments.is_empty() {
                return Err(Refusal::invalid("body", ["message"], "is needed", "missing"));
            }
            return Ok(Input::Message { text, attachments, parent: self.parent_message_id });
        };
        let mut messages: Vec<_> =
            messages.iter().map(|client_message| client_message.message(conversation)).collect();
        for (message, files) in messages.iter_mut().zip(message_files) {
            message.attachments = files;
        }
        if let Some(last) = messages.last_mut() {
            last.attachments.extend(attachments);
        }
        Ok(Input::Messages(messages))
    }

    /// Takes OpenAI's stream options, which are no parameters of a model, out of the parameters.
    pub fn take_include_usage(&mut self) -> bool {
        let options = self.parameters.remove("stream_options");
        options.and_then(|options| options.get("include_usage")?.as_bool()).unwrap_or_default()
    }
}

/// A list: the field several times, or once as JSON.
fn list<'de, D: Deserializer<'de>, T: DeserializeOwned>(from: D) -> Result<Option<Vec<T>>, D::Error> {
    let Some(values) = Option::<Vec<String>>::deserialize(from)? else { return Ok(None) };
    let texts: Vec<String> = match values.as_slice() {
        [one] if one.starts_with('[') => serde_json::from_str(one).map_err(D::Error::custom)?,
        _ => values,
    };
    let read = texts.into_iter().map(|text| T::deserialize(Value::String(text)));
    read.collect::<Result<_, _>>().map(Some).map_err(D::Error::custom)
}

pub struct CompletionBody {
    /// Its fields.
    pub form: ConversationChatCompletionForm,
    pub files: Vec<UploadedFile>,
}

impl Argument for CompletionBody {}

impl FromRequest for CompletionBody {
    type Error = ErrorResponse;
    type Future = LocalBoxFuture<'static, Result<Self, ErrorResponse>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let kind = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let is = |wanted| kind.is_some_and(|kind| kind.trim_start().to_ascii_lowercase().starts_with(wanted));
        if is("application/json") {
            // Pictures may stand in its messages.
            let json = LargeJson::<ConversationChatCompletionForm>::from_request(request, payload);
            return Box::pin(async move { Ok(Self { form: json.await?.0, files: Vec::new() }) });
        }
        if !is("multipart/form-data") {
            let ways = "send multipart/form-data or application/json";
            return Box::pin(async move { Err(Refusal::new(Code::WrongContentType).detail(ways).into()) });
        }
        let form = Multipart::<ConversationChatCompletionForm>::from_request(request, payload);
        Box::pin(async move {
            let Multipart { fields, files } = form.await?;
            Ok(Self { form: fields, files })
        })
    }
}

/// For the fingerprint of a request: the form of the response is not part of it.
fn is_no_part_of_it<T>(_: &T) -> bool {
    true
}
