//! Reconciles the full-text index with storage.

use std::collections::HashMap;
use std::sync::Arc;

use knowledge::{Change, DocKey, IndexError, Passage};
use storage::records::{Build, Chunk, ChunkKey, Document};
use storage::{Reader, Row, Scan, TenantId};
use tokio::sync::OnceCell;
use tokio::sync::broadcast::error::TryRecvError;

use super::{Library, SearchError};

/// Number of documents that are added together when an index is rebuilt.
const BATCH: usize = 64;

impl Library {
    /// Brings a tenant's full-text index up to date with storage, once after each start: adds documents that a crash
    /// left out, removes deleted ones, and rebuilds an index that was lost.
    pub(crate) async fn ensure(&self, tenant: TenantId) -> Result<(), SearchError> {
        self.note_losses();
        let cell: Arc<OnceCell<()>> = self.0.checked.lock().entry(tenant).or_default().clone();
        cell.get_or_try_init(|| self.bring_up(tenant)).await.copied()
    }

    /// Schedules another check for indexes that were replaced by empty ones.
    fn note_losses(&self) {
        let mut losses = self.0.losses.lock();
        loop {
            match losses.try_recv() {
                Ok(tenant) => drop(self.0.checked.lock().remove(&TenantId(tenant))),
                Err(TryRecvError::Lagged(_)) => self.0.checked.lock().clear(),
                Err(TryRecvError::Empty | TryRecvError::Closed) => return,
            }
        }
    }

    async fn bring_up(&self, tenant: TenantId) -> Result<(), SearchError> {
        let held = self.0.lexical.documents(tenant.0).await?;
        let stored = self.0.store.read(move |reader| stored(reader, tenant)).await?;
        let strange = held.keys().filter(|key| !stored.contains_key(key));
        let strange: Vec<Change> = strange.map(|key| Change::Remove(*key)).collect();
        let lacks = |(key, place): &(&DocKey, &IndexReason)| match place {
            IndexReason::Built(_, build) => held.get(key).copied() != Some(build.chunks),
            IndexReason::Draft => false,
        };
        let missing: Vec<IndexReason> = stored.iter().filter(lacks).map(|(_, place)| place.clone()).collect();
        if !missing.is_empty() || !strange.is_empty() {
            let (missing, strange) = (missing.len(), strange.len());
            tracing::info!(%tenant, missing, strange, "bringing the full-text index up to date");
        }
        if !strange.is_empty() {
            self.0.lexical.apply(tenant.0, strange).await?;
        }
        for some in missing.chunks(BATCH) {
            let some = some.to_vec();
            let changes = self.0.store.read(move |reader| {
                let built = some.iter().filter_map(|place| match place {
                    IndexReason::Built(document, build) => Some((document, build)),
                    IndexReason::Draft => None,
                });
                let mut changes = Vec::new();
                for (document, build) in built {
                    let key = DocKey { document: document.id.1, generation: build.generation };
                    changes.push(Change::Remove(key));
                    changes.push(addition(reader, tenant, document, build.generation)?);
                }
                Ok::<_, storage::Error>(changes)
            });
            let changes = changes.await?;
            self.0.lexical.apply(tenant.0, changes).await?;
        }
        Ok(())
    }

    /// Adds a generation of a document to the full-text index. Replaces its existing entries.
    pub async fn index_words(
        &self,
        tenant: TenantId,
        document: Row<Document>,
        generation: u32,
    ) -> Result<(), SearchError> {
        self.ensure(tenant).await?;
        let key = DocKey { document: document.id.1, generation };
        let add = self.0.store.read(move |reader| addition(reader, tenant, &document, generation)).await?;
        let changes: Result<(), IndexError> =
            self.0.lexical.apply(tenant.0, vec![Change::Remove(key), add]).await;
        Ok(changes?)
    }
}

/// Why a generation belongs in the index.
#[derive(Clone)]
enum IndexReason {
    /// It is searched, or will be.
    Built(Box<Row<Document>>, Build),
    /// A run is about to add it.
    Draft,
}

fn stored(reader: &Reader, tenant: TenantId) -> storage::Result<HashMap<DocKey, IndexReason>> {
    let mut stored = HashMap::new();
    for document in reader.scan::<Document>(tenant, Scan::table())?.items {
        let id = document.id.1;
        if let Some(draft) = &document.draft {
            stored.insert(DocKey { document: id, generation: draft.generation }, IndexReason::Draft);
        }
        for build in &document.builds {
            let key = DocKey { document: id, generation: build.generation };
            stored.insert(key, IndexReason::Built(Box::new(document.clone()), build.clone()));
        }
    }
    Ok(stored)
}

fn addition(
    reader: &Reader,
    tenant: TenantId,
    document: &Row<Document>,
    generation: u32,
) -> storage::Result<Change> {
    let id = document.id.1;
    let chunks = Scan::table().prefix(ChunkKey::prefix(id, generation));
    let passage = |chunk: Row<Chunk>| Passage {
        number: chunk.id.number,
        headings: std::iter::once(document.title.as_str())
            .chain(chunk.headings.iter().map(String::as_str))
            .collect::<Vec<_>>()
            .join("\n"),
        text: chunk.body.text,
    };
    let passages = reader.scan::<Chunk>(tenant, chunks)?.items.into_iter().map(passage).collect();
    Ok(Change::Add { base: document.id.0, document: DocKey { document: id, generation }, passages })
}
