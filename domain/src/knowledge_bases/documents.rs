//! Documents of a knowledge base.

use storage::records::{Document, DocumentSource};
use storage::{Reader, Row, TenantId, Tx};
use uuid::Uuid;

use crate::{Precondition, Refusal, Result};

/// A new title and description of a document.
#[derive(Clone, Debug)]
pub struct DocumentName {
    pub title: String,
    pub description: String,
    /// The version that the change is based on, if the body of the request contains one.
    pub version: Option<u64>,
}

/// Returns the document with this id (base, document).
///
/// # Errors
/// `not_found` if it does not exist, or if its source is not one of `sources`; an empty list allows
/// all sources.
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

/// Changes the title and the description of a document.
///
/// # Errors
/// The errors of [`document`]; `stale` if the document has another version.
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
