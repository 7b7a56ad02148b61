//! The `document` node: extracts the text of a file.

use assist::library::ReadError;
use knowledge::{ExtractErrorKind, Hint};
use serde_json::Value;
use storage::BlobId;
use uuid::Uuid;

use super::{Fields, NodeError, NodeResult, Task, unavailable};
use crate::files::may_read;

/// Extracts the text of a file. Supports every format that the library reads. The texts of the pages are joined with an empty
/// line in between.
pub(super) async fn run(task: &Task) -> Result<NodeResult, NodeError> {
    let file = task.inputs.get("file").unwrap_or(&Value::Null);
    let field = |name: &str| file.get(name).and_then(Value::as_str).unwrap_or_default();
    let id = BlobId::parse(field("blob_id"));
    let id = id.map_err(|_| NodeError::new("type_mismatch", "`file` is not a file: it has no `blob_id`"))?;
    let (tenant, user, run, blob) = (task.tenant, task.user, task.run, id.clone());
    let from = Uuid::parse_str(field("conversation_id")).ok();
    let may = task.run_context.store.read(move |reader| may_read(reader, tenant, user, run, &blob, from));
    if !may.await.map_err(|why: storage::Error| failure(ReadError::Storage(why)))? {
        return Err(not_there());
    }
    let hint = Hint { filename: field("filename").to_owned(), media_type: field("media_type").to_owned() };
    let read = tokio::select! {
        biased;
        // Dropping the future kills the extracting process.
        () = task.cancel.cancelled() => return Err(NodeError::new("cancelled", "the attempt was ended")),
        read = task.run_context.library.text_of(task.tenant, &id, &hint) => read.map_err(failure)?,
    };
    let texts: Vec<&str> = read.pages.iter().map(|page| page.text.as_str()).collect();
    let outputs = [
        ("text", Value::from(texts.join("\n\n"))),
        ("pages", read.pages.len().into()),
        ("media_type", read.media_type.clone().into()),
    ];
    Ok(NodeResult::with(Fields::from_iter(outputs.map(|(name, value)| (name.to_owned(), value)))))
}

/// The error is the same for a file that does not exist and for one that the run's user may not read.
fn not_there() -> NodeError {
    NodeError::new("not_found", "the file does not exist, or the user of the run may not read it")
}

fn failure(why: ReadError) -> NodeError {
    match &why {
        ReadError::File(file) if file.kind == ExtractErrorKind::Unavailable => unavailable(&file.message),
        ReadError::Storage(storage::Error::NotFound(_)) => not_there(),
        _ => NodeError::new(why.code(), why.to_string()),
    }
}
