//! The in-memory cache of the vectors of knowledge bases.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use knowledge::vectors::{VectorCache, Vectors};
use knowledge::{DocKey, Matrix, Quantized};
use storage::records::{ChunkKey, ChunkVectors, Document, VECTOR_BLOCK};
use storage::{Reader, Row, Scan, Store, TenantId};
use uuid::Uuid;

/// Recently used vectors, within a memory budget.
pub(super) struct CachedVectors(VectorCache);

impl CachedVectors {
    pub fn new(budget: usize) -> Self {
        Self(VectorCache::new(budget))
    }

    /// Returns all vectors of a base under one version of its index.
    pub async fn vectors(
        &self,
        store: &Store,
        tenant: TenantId,
        base: Uuid,
        version: u32,
    ) -> storage::Result<Arc<Vectors>> {
        let read = store.read(move |reader| load(reader, tenant, base, version));
        self.0.get(base, version, read).await
    }

    /// Removes the vectors of documents.
    pub fn remove(&self, base: Uuid, removed: &[DocKey]) {
        for document in removed {
            self.0.remove(base, *document);
        }
    }

    /// Removes all vectors of a base.
    pub fn forget(&self, base: Uuid) {
        self.0.forget(base);
    }

    /// Adds the current vectors of a document.
    pub async fn add(
        &self,
        store: &Store,
        tenant: TenantId,
        document: &Row<Document>,
    ) -> storage::Result<()> {
        for build in document.builds.clone() {
            let (id, generation) = (document.id.1, build.generation);
            let vectors = store.read(move |reader| vectors_of(reader, tenant, id, generation)).await?;
            let key = DocKey { document: id, generation };
            self.0.add(document.id.0, build.index_version, key, vectors);
        }
        Ok(())
    }
}

fn load(reader: &Reader, tenant: TenantId, base: Uuid, version: u32) -> storage::Result<Matrix> {
    let mut matrix = Matrix::new(0);
    let documents = Scan::table().prefix(base.as_bytes().to_vec());
    for document in reader.scan::<Document>(tenant, documents)?.items {
        let Some(build) = document.build(version) else { continue };
        let key = DocKey { document: document.id.1, generation: build.generation };
        for (number, vector) in vectors_of(reader, tenant, key.document, key.generation)? {
            matrix.push(key, number, &vector);
        }
    }
    Ok(matrix)
}

fn vectors_of(
    reader: &Reader,
    tenant: TenantId,
    document: Uuid,
    generation: u32,
) -> storage::Result<Vec<(u32, Quantized)>> {
    let blocks = Scan::table().prefix(ChunkKey::prefix(document, generation));
    let mut vectors = Vec::new();
    for block in reader.scan::<ChunkVectors>(tenant, blocks)?.items {
        vectors.extend((block.id.number * VECTOR_BLOCK..).zip(unpack(&block)?));
    }
    Ok(vectors)
}

/// Decodes the vectors of a block.
fn unpack(block: &Row<ChunkVectors>) -> storage::Result<Vec<Quantized>> {
    let damaged = || storage::Error::Corrupt(format!("vectors {}", block.id.document));
    let bytes = STANDARD.decode(&block.vectors).map_err(|_| damaged())?;
    Quantized::read(&bytes, block.dimensions as usize).ok_or_else(damaged)
}

/// Encodes vectors as a block for storage.
pub fn pack(model: &str, vectors: &[Vec<f32>]) -> ChunkVectors {
    let mut bytes = Vec::new();
    for vector in vectors {
        Quantized::new(vector).write(&mut bytes);
    }
    let dimensions = vectors.first().map_or(0, Vec::len) as u32;
    ChunkVectors { model: model.to_owned(), dimensions, vectors: STANDARD.encode(bytes) }
}
