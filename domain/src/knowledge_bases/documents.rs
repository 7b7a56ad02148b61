//! Documents of a knowledge base.

use storage::records::{Document, DocumentSource};
use storage::{Reader, Row, TenantId, Tx};
use uuid::Uuid;

use crate::{Precondition, Refusal, Result};

/// A new name of a document.
#[derive(Clone, Debug)]
pub struct DocumentName {
    pub title: String,
    pub description: String,
    /// The version that the change is based on, where the body of a request names it.
    pub version: Option<u64>,
}

/// The document with this id (base, document).
///
/// # Errors
/// `not_found` when there is none, or its source is none of `sources`; an empty list stands for all.
pub fn document(
    reader: &Reader,
    tenant: TenantId,
    id: (Uuid, Uuid),
    sources: &[DocumentSource],
) -> Result<Row<Document>> {
    let row = reader.get::<Document>(tenant, &id)?;
    let row = row.filter(|row| sources.is_empty() || sources.contains(&row.source));
    row.ok_or_else(|| Refusal::not_found("document"))
}

/// Gives a document another title and description.
///
/// # Errors
/// As [`document`]; `stale` when the document has another version.
pub fn rename_document(
    tx: &mut Tx,
    tenant: TenantId,
    id: (Uuid, Uuid),
    sources: &[DocumentSource],
    precondition: &Precondition,
    name: DocumentName,
) -> Result<Row<Document>> {
    let mut row = document(tx, tenant, id, sources)?;
    precondition.check_both(name.version, "document", row.version)?;
    row.title = name.title.trim().to_owned();
    row.description = name.description;
    Ok(tx.update(tenant, row)?)
}
