//! Builds the passages of a document for one version of its base's index: text, passages, vectors, index of words. Each step
//! records its progress in the store and is not repeated after a crash.

use std::sync::Arc;

use bytes::Bytes;
use knowledge::{Extracted, Hint, Piece};
use providers::EmbedPurpose;
use storage::records::{Chunk, ChunkKey, Document, DocumentSource, DocumentStatus, Draft, Run, VECTOR_BLOCK};
use storage::{BlobId, Row, Scan, TenantId, Tx};
use uuid::Uuid;

use super::hold::{Builder, Settings, Stop, storage_failed};

/// Maximum number of passages that one transaction writes.
const BATCH: usize = 256;
/// The error message for a page without text.
const EMPTY_PAGE: &str = "the page contains no text; text that scripts add in a browser is not read";
/// Maximum size of a document's stored text, in bytes.
const MAX_TEXT_LENGTH: u64 = 512 << 20;

impl Builder<'_> {
    /// Builds the text, the passages, the vectors and the index of words for one version of the base.
    pub async fn build(&self, settings: &Settings) -> Result<(), Stop> {
        let (_, row) = self.load().await?;
        let fits = |draft: &&Draft| draft.index_version == settings.version && draft.chunks.is_some();
        if row.draft.as_ref().filter(fits).is_none() {
            let (text, of) = self.text(&row).await?;
            self.cut(text, of, settings).await?;
        }
        self.embed(settings).await?;
        self.index_words(settings).await
    }

    /// Returns the document's text and the blob that stores it. The text is extracted only once. The page's own run uses the
    /// newly fetched content.
    async fn text(&self, row: &Row<Document>) -> Result<(Extracted, BlobId), Stop> {
        let tenant = self.work.tenant;
        let (blob, text_id, media_type) = match row.coming.as_ref().filter(|_| self.own) {
            Some(coming) => (&coming.blob_id, &coming.text_id, &coming.media_type),
            None => (&row.blob_id, &row.text_id, &row.media_type),
        };
        if let Some(id) = text_id
            && let Ok(text) = self.kept_text(id).await
        {
            return Ok((text, id.clone()));
        }
        self.step(DocumentStatus::Extracting, |_| {}).await?;
        let blob = blob.as_ref().ok_or_else(|| Stop::failed("file_missing", "the file is missing"))?;
        let name = if row.filename.is_empty() { &row.title } else { &row.filename };
        let hint = Hint { filename: name.clone(), media_type: media_type.clone() };
        let read = self.work.run_context.library.read_file(tenant, blob, &hint).await;
        let text = read.map_err(|why| match (why.code(), row.source) {
            ("file_empty", DocumentSource::Link) => Stop::failed(why.code(), EMPTY_PAGE),
            (code, _) => Stop::failed(code, why.to_string()),
        })?;
        let json = serde_json::to_vec(&text).map_err(|why| Stop::failed("internal", why.to_string()))?;
        let stored_text =
            self.work.store.blobs().put_bytes(tenant, Bytes::from(json)).await.map_err(storage_failed)?;
        self.keep_text(&text, stored_text.clone()).await?;
        Ok((text, stored_text))
    }

    /// Records the blob of the text, and the properties of the document that follow from the text.
    async fn keep_text(&self, text: &Extracted, text_id: BlobId) -> Result<(), Stop> {
        let pages = text.pages.len() as u32;
        let characters = text.pages.iter().map(|page| page.text.chars().count() as u64).sum();
        let (media_type, own_title) = (text.media_type.clone(), text.title.clone());
        let (run, own) = (self.work.run.id, self.own);
        let keep = move |tx: &mut Tx, tenant, row: &mut Row<Document>| {
            let row = &mut row.body;
            if let Some(coming) = row.coming.as_mut().filter(|_| own) {
                coming.text_id = Some(text_id.clone());
                (coming.pages, coming.characters) = (pages, characters);
                coming.media_type.clone_from(&media_type);
            } else {
                row.text_id = Some(text_id.clone());
                (row.pages, row.characters) = (pages, characters);
                row.media_type.clone_from(&media_type);
            }
            if let Some(title) = own_title.as_ref().filter(|title| row.title.is_empty() && !title.is_empty())
            {
                row.title.clone_from(title);
            }
            reset_crash_counter(tx, tenant, run)
        };
        let progress = self.progress(DocumentStatus::Chunking, 0, None);
        self.write(vec![progress], Some(DocumentStatus::Chunking), keep).await
    }

    async fn kept_text(&self, id: &storage::BlobId) -> Result<Extracted, storage::Error> {
        let json = self.work.store.blobs().range(self.work.tenant, id, 0..MAX_TEXT_LENGTH).await?;
        serde_json::from_slice(&json).map_err(|why| storage::Error::Corrupt(why.to_string()))
    }

    /// Divides the stored text into passages, under a new generation.
    async fn cut(&self, text: Extracted, of: BlobId, settings: &Settings) -> Result<(), Stop> {
        let (version, chunks) = (settings.version, settings.chunks);
        let cut = tasks::blocking(move || knowledge::chunk(&text.pages, chunks));
        let pieces: Arc<Vec<Piece>> =
            Arc::new(cut.await.map_err(|why| Stop::failed("internal", why.to_string()))?);
        if pieces.is_empty() {
            return Err(Stop::failed("file_empty", "the document contains no text"));
        }
        let (document, run) = (self.id.1, self.work.run.id);
        let (total, tokens) = (pieces.len() as u32, pieces.iter().map(|piece| u64::from(piece.tokens)).sum());
        let own = self.own;
        let begin = move |tx: &mut Tx, tenant, row: &mut Row<Document>| {
            // If the page has a different text by now, it is left to its own run, or built again.
            if !own && (row.status.is_in_work() || row.text_id.as_ref() != Some(&of)) {
                return Ok(());
            }
            let generations: Vec<u32> = row.builds.iter().map(|build| build.generation).collect();
            tx.delete_chunks(tenant, document, &generations)?;
            row.last_generation += 1;
            let generation = row.last_generation;
            row.draft = Some(Draft { index_version: version, generation, ..Draft::default() });
            Ok(())
        };
        let progress = self.progress(DocumentStatus::Chunking, 0, Some(total));
        self.write(vec![progress], Some(DocumentStatus::Chunking), begin).await?;
        let begun = self.draft(settings).await?.generation;
        for from in (0..pieces.len()).step_by(BATCH) {
            let pieces = pieces.clone();
            let part = from..pieces.len().min(from + BATCH);
            let last = part.end == pieces.len();
            let add = move |tx: &mut Tx, tenant, row: &mut Row<Document>| {
                let Some(draft) = row.draft.as_mut().filter(|draft| draft.generation == begun) else {
                    return Ok(());
                };
                for (number, piece) in part.clone().zip(&pieces[part.clone()]) {
                    let key = ChunkKey { document, generation: draft.generation, number: number as u32 };
                    tx.insert(tenant, key, chunk(piece))?;
                }
                if last {
                    (draft.chunks, draft.tokens) = (Some(total), tokens);
                    reset_crash_counter(tx, tenant, run)?;
                }
                Ok(())
            };
            // With the last passages the next step begins, which may wait for a provider.
            let next = last.then_some(DocumentStatus::Embedding);
            let progress = next.map(|next| self.progress(next, 0, Some(total)));
            self.write(progress.into_iter().collect(), next, add).await?;
        }
        Ok(())
    }

    /// Computes vectors, one block at a time. Vectors that have been paid for are not lost in a crash.
    async fn embed(&self, settings: &Settings) -> Result<(), Stop> {
        loop {
            let draft = self.draft(settings).await?;
            let total = draft.chunks.ok_or(Stop::Taken)?;
            if draft.embedded >= total {
                return Ok(());
            }
            let texts = self.block(&draft).await?;
            let count = texts.len() as u32;
            let library = &self.work.run_context.library;
            let who = (self.work.tenant, self.work.run.user);
            let embedded = library.embed(who, &settings.embedding_model, texts, EmbedPurpose::Document).await;
            let embedded = match embedded {
                Ok(embedded) => embedded,
                Err(why) => {
                    self.write(why.bill().into_iter().collect(), None, |_, _, _| Ok(())).await?;
                    return Err(Stop::unembedded(&why));
                }
            };
            let (document, done, run) = (self.id.1, draft.embedded + count, self.work.run.id);
            let vectors = assist::library::pack(&embedded.model, &embedded.vectors);
            let add = move |tx: &mut Tx, tenant, row: &mut Row<Document>| {
                let Some(now) = &mut row.draft else { return Ok(()) };
                if (now.generation, now.embedded) != (draft.generation, draft.embedded) {
                    return Ok(());
                }
                let number = now.embedded / VECTOR_BLOCK;
                let key = ChunkKey { document, generation: now.generation, number };
                tx.insert(tenant, key, vectors.clone())?;
                now.embedded = done;
                reset_crash_counter(tx, tenant, run)
            };
            let mut events = vec![self.progress(DocumentStatus::Embedding, done, Some(total))];
            events.extend(embedded.bill());
            self.write(events, Some(DocumentStatus::Embedding), add).await?;
        }
    }

    /// Returns the texts that the next block embeds: each passage with its headings.
    async fn block(&self, draft: &Draft) -> Result<Vec<String>, Stop> {
        let tenant = self.work.tenant;
        let (document, generation, from) = (self.id.1, draft.generation, draft.embedded);
        let title = self.load().await?.1.body.title;
        let read = self.work.store.read(move |reader| {
            let scan = Scan::table().prefix(ChunkKey::prefix(document, generation));
            let scan = scan.from(from.to_be_bytes()).limit(VECTOR_BLOCK as usize);
            Ok::<_, storage::Error>(reader.scan::<Chunk>(tenant, scan)?.items)
        });
        let chunks = read.await.map_err(storage_failed)?;
        if chunks.is_empty() {
            return Err(Stop::failed("internal", "passages of the document are missing"));
        }
        let text = |chunk: Row<Chunk>| {
            let head = std::iter::once(title.as_str()).chain(chunk.headings.iter().map(String::as_str));
            format!("{}\n\n{}", head.collect::<Vec<_>>().join(" > "), chunk.text)
        };
        Ok(chunks.into_iter().map(text).collect())
    }

    /// Returns the draft of this version. Another run may have begun a different draft.
    async fn draft(&self, settings: &Settings) -> Result<Draft, Stop> {
        let draft = self.load().await?.1.body.draft;
        draft.filter(|draft| draft.index_version == settings.version).ok_or(Stop::Taken)
    }

    async fn index_words(&self, settings: &Settings) -> Result<(), Stop> {
        let Draft { generation, chunks, .. } = self.draft(settings).await?;
        self.report(DocumentStatus::Indexing, chunks.unwrap_or_default(), chunks).await?;
        let (_, row) = self.load().await?;
        let put = self.work.run_context.library.index_words(self.work.tenant, row, generation).await;
        put.map_err(|why| Stop::failed(why.code(), why.to_string()))
    }
}

/// Resets the crash counter. A run that makes progress is not considered the cause of crashes, however often the server stops.
fn reset_crash_counter(tx: &mut Tx, tenant: TenantId, run: Uuid) -> storage::Result<()> {
    let mut run = tx.require::<Run>(tenant, &run)?;
    if run.crashes == 0 {
        return Ok(());
    }
    run.crashes = 0;
    tx.update(tenant, run).map(drop)
}

fn chunk(piece: &Piece) -> Chunk {
    Chunk {
        text: piece.text.clone(),
        tokens: piece.tokens,
        page: Some(piece.page),
        start: piece.start,
        end: piece.end,
        headings: piece.headings.clone(),
    }
}
