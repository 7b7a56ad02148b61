//! Messages as clients have them, the AI SDK's among them.

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

use super::files::{self, StoredFile};
use crate::App;
use crate::http::media_type::{NO_MEDIA_TYPE, is_media_type};
use crate::http::{Api, Caller, Code, Faults, Refusal, plain_name, sniffed_type};

/// A message as a client has it; also as the AI SDK sends it.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct GivenMessage {
    /// Its id; one that is no UUID stands for the same message whenever it is sent again.
    pub id: Option<String>,
    /// Who speaks.
    pub role: MessageRole,
    /// What is said.
    pub content: Option<String>,
    /// What is said, in parts; text is taken over, and files of the user's.
    pub parts: Option<Vec<GivenPart>>,
    /// Ignored.
    #[serde(default, skip_serializing, rename = "metadata")]
    #[schema(value_type = Option<Value>)]
    _metadata: Option<IgnoredAny>,
}

/// A part of a message as a client has it.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct GivenPart {
    /// `text`, `file`, or something else.
    #[serde(rename = "type")]
    pub kind: String,
    /// The text.
    pub text: Option<String>,
    /// A file's address: `data:<type>;base64,…`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// A file's type, as its client knows it; its bytes count more.
    #[serde(rename = "mediaType", skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// A file's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
    /// Ignored.
    #[serde(flatten)]
    #[schema(ignore)]
    pub rest: Map<String, Value>,
}

impl GivenMessage {
    /// What is said, without files. Its id is turned into one of ours within `conversation`.
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

    /// The message of ours that it is, or will be.
    fn stands_for(&self, conversation: Uuid) -> Option<Uuid> {
        self.id.as_deref().map(|id| known_id(conversation, id))
    }

    /// Its files, with their places among its parts. Only users send some: what an assistant made is here already.
    fn files(&self) -> impl Iterator<Item = (usize, &GivenPart)> {
        let parts = self.parts.iter().flatten().enumerate();
        parts.filter(|(_, part)| self.role == MessageRole::User && part.kind == "file")
    }
}

/// A client's id as ours: itself if it is a UUID, else one that is the same each time.
fn known_id(conversation: Uuid, id: &str) -> Uuid {
    id.parse().unwrap_or_else(|_| {
        let said = [conversation.as_bytes(), id.as_bytes()].concat();
        let digest = ring::digest::digest(&ring::digest::SHA256, &said);
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&digest.as_ref()[..16]);
        uuid::Builder::from_custom_bytes(bytes).into_uuid()
    })
}

/// Keeps the files that stand in the parts of messages, and gives those of each. Messages that are stored already have
/// theirs, but for the last, which may be asked anew.
pub async fn files_of(
    app: &App,
    caller: &Caller,
    conversation: Uuid,
    messages: &[GivenMessage],
) -> Api<Vec<Vec<Attachment>>> {
    let mut kept = vec![Vec::new(); messages.len()];
    if messages.iter().all(|message| message.files().next().is_none()) {
        return Ok(kept);
    }
    let stored = stored(app, caller, conversation, messages).await?;
    let home = format!("/api/conversations/{conversation}/files/");
    let mut faults = Faults::of("body");
    let mut files = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        if stored[at] && at + 1 < messages.len() {
            continue;
        }
        for (part_at, part) in message.files() {
            match File::read(part, &home) {
                Some(File::Brought { media_type, .. }) if !is_media_type(&media_type) => {
                    let spot = place(at, part_at, "mediaType");
                    faults.add(spot.iter().map(String::as_str), NO_MEDIA_TYPE, "malformed");
                }
                Some(file) => files.push((at, part_at, file)),
                None => {
                    let spot = place(at, part_at, "url");
                    faults.add(spot.iter().map(String::as_str), NO_DATA, "malformed");
                }
            }
        }
    }
    faults.told()?;
    let most = app.config.limits.form_files;
    if files.len() > most {
        return Err(Refusal::new(Code::TooLarge).detail(format!("at most {most} files are taken")));
    }
    for (at, part_at, file) in files {
        let there = file.keep(app, caller, conversation).await?;
        let spot = place(at, part_at, "url");
        let fault = || Refusal::invalid("body", spot.iter().map(String::as_str), NOT_HERE, "not_found");
        kept[at].push(there.ok_or_else(fault)?);
    }
    Ok(kept)
}

/// Where a field of a file stands.
fn place(message: usize, part: usize, field: &str) -> [String; 5] {
    ["messages".into(), message.to_string(), "parts".into(), part.to_string(), field.into()]
}

/// What is said of a file that is somewhere else,
const NO_DATA: &str = "is neither a `data:…;base64,` address nor that of a file of this conversation; other files are \
                       sent as `files` of a form, or uploaded before and named in `uploads`";
/// and of one that no message has.
const NOT_HERE: &str = "the conversation has no such file";

/// Which of the messages are stored.
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

/// A file as a part tells of it.
enum File {
    /// Its bytes stand in the address.
    Brought { filename: String, media_type: String, bytes: Bytes },
    /// A message of the conversation has it, under this hash.
    Here(String),
}

impl File {
    /// Reads the address; none where it leads elsewhere. `home` is where the conversation's files are.
    fn read(part: &GivenPart, home: &str) -> Option<Self> {
        let url = part.url.as_deref()?;
        let Some(data) = url.strip_prefix("data:") else {
            let (_, blob) = url.split_once(home)?;
            return Some(Self::Here(blob.to_owned()));
        };
        let (declared, data) = data.split_once(";base64,")?;
        let bytes = Bytes::from(STANDARD.decode(data.trim()).ok()?);
        let declared = part.media_type.as_deref().unwrap_or(declared);
        let declared = declared.split(';').next().map(str::trim).filter(|kind| !kind.is_empty());
        Some(Self::Brought {
            filename: plain_name(part.filename.as_deref().unwrap_or_default()),
            media_type: declared_type(&bytes, declared),
            bytes,
        })
    }

    /// Keeps it; none where it should be here and is not.
    async fn keep(self, app: &App, caller: &Caller, conversation: Uuid) -> Api<Option<Attachment>> {
        let (tenant, blobs) = (caller.tenant, app.store.blobs());
        let blob = match self {
            Self::Here(blob) => blob,
            Self::Brought { filename, media_type, bytes } => {
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

/// What a file is, by its first bytes; where they tell nothing, what its client says, whatever that is.
fn declared_type(bytes: &[u8], declared: Option<&str>) -> String {
    match declared.filter(|declared| !is_media_type(declared)) {
        Some(malformed) => malformed.to_owned(),
        None => sniffed_type(&bytes[..bytes.len().min(HEAD)], declared.map(str::to_owned)),
    }
}

/// Bytes from which a type is told.
const HEAD: usize = 8 * 1024;

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(url: &str, media_type: &str) -> Option<(String, usize)> {
        let part = json!({"type": "file", "url": url, "mediaType": media_type, "filename": "../a.txt"});
        match File::read(&serde_json::from_value(part).expect("a part"), "/api/home/files/")? {
            File::Brought { filename, media_type, bytes } => {
                assert_eq!(filename, "a.txt");
                Some((media_type, bytes.len()))
            }
            File::Here(blob) => Some((blob, 0)),
        }
    }

    #[test]
    fn addresses_that_hold_bytes_are_files() {
        let known = |kind: &str, length| Some((kind.to_owned(), length));
        assert_eq!(read("data:text/plain;base64,QUJD", "text/markdown"), known("text/markdown", 3));
        assert_eq!(read("data:text/plain;charset=utf-8;base64,QUJD", ""), known("text/plain", 3));
        assert_eq!(read("data:text/plain;base64,iVBORw0KGgoAAAANSUhEUg==", ""), known("image/png", 16));
        for none in
            ["data:text/plain,ABC", "data:text/plain;base64,Q", "https://example.org/a.txt", "", "data:"]
        {
            assert_eq!(read(none, "text/plain"), None, "{none}");
        }
    }
}
