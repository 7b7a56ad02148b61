//! Messages in the form in which clients store them, including that of the AI SDK.

use assist::completion::NewMessage;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use storage::records::{Attachment, Message, MessageRole};
use utoipa::ToSchema;
use uuid::Uuid;

use super::files;
use crate::App;
use crate::http::media_type::{NO_MEDIA_TYPE, is_media_type};
use crate::http::{Api, Caller, Code, Faults, Refusal, StoredFile, plain_name, sniffed_type};

/// A message as the client stores it. The format of the AI SDK is accepted too.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct GivenMessage {
    /// Id of the message. An id that is not a UUID is mapped to the same message each time.
    pub id: Option<String>,
    /// Author of the message.
    pub role: MessageRole,
    pub content: Option<String>,
    /// The content in parts. Text parts and files of the user are stored.
    pub parts: Option<Vec<GivenPart>>,
    #[serde(default, skip_serializing, rename = "metadata")]
    #[schema(value_type = Option<Value>)]
    _metadata: Option<IgnoredAny>,
}

/// A part of a message, as the client stores it.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct GivenPart {
    /// Type of the part: `text`, `file`, or another type, which is ignored.
    #[serde(rename = "type")]
    pub kind: String,
    pub text: Option<String>,
    /// Address of a file: `data:<type>;base64,…`, or the address of a file of this conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Media type of a file, as the client knows it. A type that is detected from the bytes takes precedence.
    #[serde(rename = "mediaType", skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// Name of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
    /// Ignored.
    #[serde(flatten)]
    #[schema(ignore)]
    pub rest: Map<String, Value>,
}

impl GivenMessage {
    /// Returns the message without its files. The client's id is mapped to a UUID within `conversation`.
    pub fn message(&self, conversation: Uuid) -> NewMessage {
        let texts = self.parts.iter().flatten().filter(|part| part.kind == "text");
        let parts: Vec<&str> = texts.filter_map(|part| part.text.as_deref()).collect();
        NewMessage {
            id: self.stands_for(conversation),
            role: self.role,
            text: self.content.clone().unwrap_or_else(|| parts.join("\n\n")),
            attachments: Vec::new(),
        }
    }

    /// Returns the id of the stored message that this message is or will be.
    fn stands_for(&self, conversation: Uuid) -> Option<Uuid> {
        self.id.as_deref().map(|id| known_id(conversation, id))
    }

    /// Iterates over the files, with their positions among the parts. Only users send files: the files of an assistant are already stored.
    fn files(&self) -> impl Iterator<Item = (usize, &GivenPart)> {
        let parts = self.parts.iter().flatten().enumerate();
        parts.filter(|(_, part)| self.role == MessageRole::User && part.kind == "file")
    }
}

/// Returns the UUID for a client's id: the id itself if it is a UUID, otherwise a UUID derived from its hash.
fn known_id(conversation: Uuid, id: &str) -> Uuid {
    id.parse().unwrap_or_else(|_| {
        let input = [conversation.as_bytes(), id.as_bytes()].concat();
        let digest = ring::digest::digest(&ring::digest::SHA256, &input);
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&digest.as_ref()[..16]);
        uuid::Builder::from_custom_bytes(bytes).into_uuid()
    })
}

/// Stores the files in the parts of messages and returns the files of each message. The files of messages that are already stored are
/// skipped, except those of the last message, which may be sent again for another answer.
pub async fn files_of(
    app: &App,
    caller: &Caller,
    conversation: Uuid,
    messages: &[GivenMessage],
) -> Api<Vec<Vec<Attachment>>> {
    let mut stored_files = vec![Vec::new(); messages.len()];
    if messages.iter().all(|message| message.files().next().is_none()) {
        return Ok(stored_files);
    }
    let stored = stored(app, caller, conversation, messages).await?;
    let home = format!("/api/conversations/{conversation}/files/");
    let mut faults = Faults::new("body");
    let mut files = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        if stored[at] && at + 1 < messages.len() {
            continue;
        }
        for (part_at, part) in message.files() {
            match File::read(part, &home) {
                Some(File::Inline { media_type, .. }) if !is_media_type(&media_type) => {
                    let path = field_path(at, part_at, "mediaType");
                    faults.add(path.iter().map(String::as_str), NO_MEDIA_TYPE, "malformed");
                }
                Some(file) => files.push((at, part_at, file)),
                None => {
                    let path = field_path(at, part_at, "url");
                    faults.add(path.iter().map(String::as_str), OTHER_ADDRESS, "malformed");
                }
            }
        }
    }
    faults.into_result()?;
    let most = app.config.limits.form_files;
    if files.len() > most {
        return Err(Refusal::new(Code::TooLarge).detail(format!("at most {most} files are allowed")));
    }
    for (at, part_at, file) in files {
        let attachment = file.store(app, caller, conversation).await?;
        let path = field_path(at, part_at, "url");
        let fault = || Refusal::invalid("body", path.iter().map(String::as_str), UNKNOWN_FILE, "not_found");
        stored_files[at].push(attachment.ok_or_else(fault)?);
    }
    Ok(stored_files)
}

/// Path of a field of a file part, for validation faults.
fn field_path(message: usize, part: usize, field: &str) -> [String; 5] {
    ["messages".into(), message.to_string(), "parts".into(), part.to_string(), field.into()]
}

/// Fault for a file with any other address.
const OTHER_ADDRESS: &str = "is neither a `data:…;base64,` address nor that of a file of this conversation; other files are \
                       sent as `files` of a form, or uploaded before and named in `uploads`";
/// Fault for a file that no message of the conversation contains.
const UNKNOWN_FILE: &str = "the conversation has no such file";

async fn stored(app: &App, caller: &Caller, conversation: Uuid, messages: &[GivenMessage]) -> Api<Vec<bool>> {
    let ids: Vec<_> = messages.iter().map(|message| message.stands_for(conversation)).collect();
    let tenant = caller.tenant;
    let found = app.store.read(move |reader| {
        let is_there = |id: &Option<Uuid>| -> storage::Result<bool> {
            let Some(id) = id else { return Ok(false) };
            Ok(reader.get::<Message>(tenant, &(conversation, *id))?.is_some())
        };
        ids.iter().map(is_there).collect::<storage::Result<Vec<bool>>>()
    });
    Ok(found.await?)
}

/// The file of a message part.
pub enum File {
    /// The bytes are in the `data:` URL.
    Inline { filename: String, media_type: String, bytes: Bytes },
    /// A message of the conversation contains the file; this is its hash.
    Stored(String),
}

impl File {
    /// Parses the URL of a part. Returns `None` if it is neither a `data:` URL nor under `home`, the path of the conversation's files.
    pub fn read(part: &GivenPart, home: &str) -> Option<Self> {
        let url = part.url.as_deref()?;
        let Some(data) = url.strip_prefix("data:") else {
            let (_, blob) = url.split_once(home)?;
            return Some(Self::Stored(blob.to_owned()));
        };
        let (declared, data) = data.split_once(";base64,")?;
        let bytes = Bytes::from(STANDARD.decode(data.trim()).ok()?);
        let declared = part.media_type.as_deref().unwrap_or(declared);
        let declared = declared.split(';').next().map(str::trim).filter(|kind| !kind.is_empty());
        Some(Self::Inline {
            filename: plain_name(part.filename.as_deref().unwrap_or_default()),
            media_type: declared_type(&bytes, declared),
            bytes,
        })
    }

    /// Stores the file. Returns `None` if the URL names a file that is not stored.
    async fn store(self, app: &App, caller: &Caller, conversation: Uuid) -> Api<Option<Attachment>> {
        let (tenant, blobs) = (caller.tenant, app.store.blobs());
        let blob = match self {
            Self::Stored(blob) => blob,
            Self::Inline { filename, media_type, bytes } => {
                let (size, most) = (bytes.len() as u64, app.config.limits.upload_bytes);
                if size > most {
                    let why = format!("files have {most} bytes at most");
                    return Err(Refusal::new(Code::TooLarge).detail(why));
                }
                let blob_id = blobs.put_bytes(tenant, bytes).await?;
                return Ok(Some(Attachment { blob_id, filename, media_type, size }));
            }
        };
        let found = app.store.read(move |reader| files::find(reader, tenant, conversation, &blob)).await?;
        let Some(StoredFile { blob, media_type, filename, .. }) = found else { return Ok(None) };
        let size = blobs.size(tenant, &blob).await?.unwrap_or_default();
        Ok(Some(Attachment { blob_id: blob, filename, media_type, size }))
    }
}

/// Detects the media type of a file from its first bytes. If they are not recognised, returns the type that the client declares.
fn declared_type(bytes: &[u8], declared: Option<&str>) -> String {
    match declared.filter(|declared| !is_media_type(declared)) {
        Some(malformed) => malformed.to_owned(),
        None => sniffed_type(&bytes[..bytes.len().min(HEAD)], declared.map(str::to_owned)),
    }
}

/// Number of bytes that the type is detected from.
const HEAD: usize = 8 * 1024;
