//! Decides which stored files a run may read.
//!
//! Files are stored by their SHA-256, and a `file` value of a workflow names a file by its hash. Knowing the hash does not grant
//! access: at the time of the read, the run's user must have access to something that contains the file.

use serde_json::Value;
use storage::authority::Subject;
use storage::records::{
    Assistant, Conversation, Document, KnowledgeBase, Message, Run, RunBlob, Shared, Upload,
};
use storage::{BlobId, IndexKey, Reader, Record, Row, Scan, TenantId, Tx};
use uuid::Uuid;

use super::StoredRequest;

/// If a value does not name a conversation, at most this many of the user's most recent conversations are searched.
const CONVERSATIONS: usize = 50;
/// Maximum number of files of one request that a run claims.
const CLAIMED: usize = 100;

/// Whether a run may read a stored file on behalf of its user. The run may read the file if it
/// - was attached to a message in the conversation of the run or of one of its ancestors;
/// - was attached to a message in the conversation `from`, or in one of the user's [`CONVERSATIONS`] most recent conversations;
/// - was uploaded by the user and has not been used yet;
/// - was claimed by the run or one of its ancestors, because an input or a submitted form named it;
/// - is a document of a knowledge base that the user may read, or of the own knowledge of the run's assistant.
///
/// # Errors
/// Returns an error if the store fails.
pub fn may_read(
    reader: &Reader,
    tenant: TenantId,
    user: Uuid,
    run: Uuid,
    blob: &BlobId,
    from: Option<Uuid>,
) -> storage::Result<bool> {
    let Some(subject) = Subject::read(reader, tenant, user)? else { return Ok(false) };
    let Places { conversations, assistant, runs } = places(reader, tenant, run)?;
    for run in runs {
        // The graph and the values of a run are blobs of it as well, but not files that a user may read.
        let claimed = reader.get::<RunBlob>(tenant, &(run, blob.to_string()))?;
        if claimed.is_some_and(|row| row.is_file) {
            return Ok(true);
        }
    }
    for id in conversations.into_iter().chain(from) {
        if is_in(reader, tenant, user, id, blob)? {
            return Ok(true);
        }
    }
    Ok(was_uploaded(reader, tenant, user, blob)?
        || is_known(reader, &subject, assistant, blob)?
        || is_in_any(reader, tenant, user, blob)?)
}

/// Where the files of a run may come from.
#[derive(Default)]
struct Places {
    /// The conversations of the run and of its ancestors.
    conversations: Vec<Uuid>,
    /// The run's assistant.
    assistant: Option<Uuid>,
    /// The run and its ancestors.
    runs: Vec<Uuid>,
}

fn places(reader: &Reader, tenant: TenantId, run: Uuid) -> storage::Result<Places> {
    let (mut places, mut next) = (Places::default(), Some(run));
    while let Some(id) = next {
        let Some(row) = reader.get::<Run>(tenant, &id)? else { break };
        if id == run {
            places.assistant = row.assistant_id;
        }
        places.conversations.extend(row.conversation_id);
        places.runs.push(id);
        next = StoredRequest::from_run(&row).parent.filter(|parent| *parent != id);
    }
    Ok(places)
}

/// Returns the files that values name, at any depth.
pub fn named<'v>(values: impl IntoIterator<Item = &'v Value>) -> Vec<BlobId> {
    let (mut files, mut left): (Vec<BlobId>, Vec<&Value>) = (Vec::new(), values.into_iter().collect());
    while let Some(value) = left.pop() {
        match value {
            Value::Array(items) => left.extend(items),
            Value::Object(members) => {
                let id = members.get("blob_id").and_then(Value::as_str);
                files.extend(id.and_then(|id| BlobId::parse(id).ok()));
                left.extend(members.values());
            }
            _ => {}
        }
    }
    files.sort_unstable();
    files.dedup();
    files.truncate(CLAIMED);
    files
}

/// Claims for a run those of these files that the user has uploaded, so that they are retained for as long as the journal that
/// names them. An upload that no message uses is otherwise deleted after a day, and forms and runs may wait longer. Other files
/// are not claimed: they belong to a message or a document.
///
/// # Errors
/// `LimitReached` if the files exceed the storage of the run's user; other errors if the store fails.
pub fn claim_uploads(
    tx: &mut Tx,
    tenant: TenantId,
    user: Uuid,
    run: Uuid,
    files: &[BlobId],
) -> storage::Result<()> {
    if files.is_empty() {
        return Ok(());
    }
    let uploads = tx.scan::<Upload>(tenant, Scan::table())?.items;
    for blob_id in files {
        let id = (run, blob_id.to_string());
        let upload = uploads.iter().find(|row| is_upload_of(row, user, blob_id));
        let Some(upload) = upload else { continue };
        let claim = RunBlob { blob_id: blob_id.clone(), size: upload.size, is_file: true };
        match tx.get::<RunBlob>(tenant, &id)? {
            None => drop(tx.insert(tenant, id, claim)?),
            Some(row) if row.is_file => {}
            Some(row) => drop(tx.update(tenant, Row { body: claim, ..row })?),
        }
    }
    Ok(())
}

/// Whether the conversation belongs to the user and one of its messages contains the file.
fn is_in(
    reader: &Reader,
    tenant: TenantId,
    user: Uuid,
    conversation: Uuid,
    blob: &BlobId,
) -> storage::Result<bool> {
    let row = reader.get::<Conversation>(tenant, &conversation)?;
    if row.is_none_or(|row: Row<Conversation>| row.owner != user) {
        return Ok(false);
    }
    let mut after = None;
    loop {
        let mut scan = Scan::table().prefix(conversation.as_bytes()).limit(200);
        if let Some(cursor) = after {
            scan = scan.after(cursor);
        }
        let page = reader.scan::<Message>(tenant, scan)?;
        if page.items.iter().any(|row| names(&row.body, blob)) {
            return Ok(true);
        }
        after = page.next;
        if after.is_none() {
            return Ok(false);
        }
    }
}

fn is_in_any(reader: &Reader, tenant: TenantId, user: Uuid, blob: &BlobId) -> storage::Result<bool> {
    let own = Scan::index("by_owner_updated").prefix(IndexKey::new().id(&user).done());
    for row in reader.scan::<Conversation>(tenant, own.reverse().limit(CONVERSATIONS))?.items {
        if is_in(reader, tenant, user, row.id, blob)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether the user has uploaded the file. The first version of an upload only announces the hash, so it is not proof that the
/// user has the file.
fn is_upload_of(row: &Row<Upload>, user: Uuid, blob: &BlobId) -> bool {
    row.owner == user && row.version > 1 && row.blob_id.as_ref() == Some(blob)
}

/// Whether the user has an upload of the file that has not expired.
fn was_uploaded(reader: &Reader, tenant: TenantId, user: Uuid, blob: &BlobId) -> storage::Result<bool> {
    let uploads = reader.scan::<Upload>(tenant, Scan::table())?.items;
    Ok(uploads.iter().any(|row| is_upload_of(row, user, blob)))
}

/// Whether a knowledge base contains the file as a document: one that the user may read, or the assistant's own.
fn is_known(
    reader: &Reader,
    subject: &Subject,
    assistant: Option<Uuid>,
    blob: &BlobId,
) -> storage::Result<bool> {
    let tenant = subject.tenant;
    let assistant = assistant.map(|id| reader.get::<Assistant>(tenant, &id)).transpose()?.flatten();
    let own = assistant.filter(|row| row.level_of(subject).is_some()).and_then(|row| row.body.own_knowledge);
    for base in reader.scan::<KnowledgeBase>(tenant, Scan::table())?.items {
        let readable = base.assistant_id.is_none() && base.level_of(subject).is_some();
        if !readable && own != Some(base.id) {
            continue;
        }
        let key = IndexKey::new().id(&base.id).text(blob.as_str()).done();
        let found = reader.scan::<Document>(tenant, Scan::index("by_content").prefix(key).limit(1))?.items;
        if found.iter().any(|row| row.blob_id.as_ref() == Some(blob)) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn names<T: Record>(body: &T, blob: &BlobId) -> bool {
    T::BLOBS.is_some_and(|blobs| blobs(body).contains(blob))
}
