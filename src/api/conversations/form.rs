//! The body of a completion request: a form, or the same fields as JSON.

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
    Argument, Code, Faults, FormBody, LargeJson, Multipart, MultipartForm, Refusal, UploadedFile, Validate,
};

/// A message to answer, and the options of the answer. Exactly one of `message`, `messages` and `regenerate_message_id` is required.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct ConversationChatCompletionForm {
    /// A new message of the user.
    #[schema(max_length = 1_000_000)]
    pub message: Option<String>,
    /// The conversation as the client stores it. Messages that the server knows by their id stay unchanged. The last message is either new,
    /// or known and answered once more. If it is known and its text differs, the new text becomes a sibling and is answered. In a form,
    /// encoded as JSON.
    #[schema(max_items = 2000)]
    pub messages: Option<Vec<GivenMessage>>,
    /// Files to attach to the last message. Only in a form.
    #[serde(default, skip_serializing_if = "is_no_part_of_it", rename = "files")]
    #[schema(value_type = Vec<String>, format = Binary)]
    _files: Option<()>,
    /// Ids of files that were uploaded to signed URLs of the conversation. They are attached to the last message, too.
    #[serde(default, deserialize_with = "list")]
    pub uploads: Option<Vec<Uuid>>,
    /// Id of the model. Defaults to the model of the conversation, the assistant, the user or the tenant, in this order.
    pub model: Option<String>,
    /// Id of the assistant. Defaults to the assistant of the conversation.
    pub assistant_id: Option<Uuid>,
    /// Id of the message that `message` follows. Defaults to the current message of the conversation.
    pub parent_message_id: Option<Uuid>,
    /// Id of an answer to generate once more, beside the old one, or of a question to answer once more.
    pub regenerate_message_id: Option<Uuid>,
    /// Parameters of the model, such as `temperature`. In a form, encoded as JSON.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub parameters: Map<String, Value>,
    /// Ids of the skills. Defaults to the skills of the conversation and the assistant.
    #[serde(default, deserialize_with = "list")]
    pub skills: Option<Vec<Uuid>>,
    /// Names of tools. Use `server/tool` or `server/*` for tools of the assistant's tool servers. Defaults to all tools of the assistant.
    #[serde(default, deserialize_with = "list")]
    pub tools: Option<Vec<String>>,
    /// Ids of knowledge bases to search, in addition to those of the assistant.
    #[serde(default, deserialize_with = "list", skip_serializing_if = "Option::is_none")]
    pub knowledge_base_ids: Option<Vec<Uuid>>,
    /// What happens if the server stops during the answer. Defaults to the setting of the assistant, otherwise to `keep`.
    pub recovery: Option<Recovery>,
    /// Whether the response is a stream. Defaults to `true`.
    #[serde(skip_serializing_if = "is_no_part_of_it")]
    pub stream: Option<bool>,
    /// Encoding of the stream. Defaults to the one that `Accept` requests, otherwise to `events`.
    #[serde(skip_serializing_if = "is_no_part_of_it")]
    pub wire: Option<Wire>,
    /// What happens if a completion is live in the conversation. Defaults to `refuse`.
    pub on_active: Option<OnActive>,
    // Fields that the transport of the AI SDK sends beside the messages. They add nothing to the messages and are ignored.
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

/// Query parameters of a completion.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct CompletionQuery {
    /// A free label of the client or page that sends the request. It is stored in the run and in its usage record.
    #[param(max_length = 100)]
    pub context: Option<String>,
    /// Encoding of the stream; the field of the body takes precedence.
    pub wire: Option<Wire>,
    /// What happens if a completion is live; the field of the body takes precedence.
    pub on_active: Option<OnActive>,
    /// Stream option of OpenAI: whether a last chunk contains the usage.
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
    /// Returns the input of the completion. Client ids that are not UUIDs are mapped to UUIDs within `conversation`. `attachments` are
    /// added to the last message, and `message_files` to the message at the same position of `messages`.
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

    /// Removes OpenAI's stream options, which are not model parameters, from the parameters. Returns whether they request the usage.
    pub fn take_include_usage(&mut self) -> bool {
        let options = self.parameters.remove("stream_options");
        options.and_then(|options| options.get("include_usage")?.as_bool()).unwrap_or_default()
    }
}

/// Deserializes a list: either the field several times, or once as JSON.
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
    /// The fields of the form or of the JSON document.
    pub form: ConversationChatCompletionForm,
    pub files: Vec<UploadedFile>,
}

impl Argument for CompletionBody {
    fn form() -> Option<FormBody> {
        Some(FormBody { or_json: true, ..FormBody::of::<ConversationChatCompletionForm>() })
    }
}

impl FromRequest for CompletionBody {
    type Error = ErrorResponse;
    type Future = LocalBoxFuture<'static, Result<Self, ErrorResponse>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let kind = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let is = |wanted| kind.is_some_and(|kind| kind.trim_start().to_ascii_lowercase().starts_with(wanted));
        if is("application/json") {
            // The messages may contain images as `data:` URLs.
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

/// Skips a field in the fingerprint of a request, because the form of the response is not part of the fingerprint.
fn is_no_part_of_it<T>(_: &T) -> bool {
    true
}
