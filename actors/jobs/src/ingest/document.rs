//! The run of a document: from its bytes or its URL until searches can find it.

use assist::RunWork;
use assist::library::doc_keys;
use runs::{RunOutcome, WriteError};
use storage::records::{Coming, Document, DocumentSource, DocumentStatus, KnowledgeBase};
use storage::{Row, Tx};
use uuid::Uuid;

use super::fetch;
use super::hold::{Builder, Settings, Stop, adopt, storage_failed};

/// Ingests a document.
pub(super) async fn document(work: &RunWork, base: Uuid, document: Uuid) -> Result<RunOutcome, WriteError> {
    let builder = Builder { work, id: (base, document), own: true };
    let done = tokio::select! {
        biased;
        () = work.cancel.cancelled() => Err(Stop::Outcome(RunOutcome::Cancelled)),
        done = builder.run() => done,
    };
    match done {
        Ok(()) => Ok(RunOutcome::Succeeded { reason: None }),
        Err(Stop::Outcome(outcome)) => Ok(outcome),
        Err(Stop::Taken) => Ok(RunOutcome::Succeeded { reason: Some("superseded".into()) }),
        Err(Stop::Write) => Err(WriteError),
    }
}

impl Builder<'_> {
    /// Executes all steps. Repeats them if the index version of the base has changed in the meantime.
    async fn run(&self) -> Result<(), Stop> {
        let (base, row) = self.load().await?;
        if row.draft.is_none()
            && row.status == DocumentStatus::Ready
            && row.build(base.index_version).is_some()
        {
            // A crash occurred between the last step and the end of the run.
            return Ok(());
        }
        let begun = row.draft.as_ref().is_some_and(|draft| draft.index_version == base.index_version);
        if row.source == DocumentSource::Link && !begun && !self.fetch(&row).await? {
            return Ok(());
        }
        loop {
            let (base, _) = self.load().await?;
            let settings = Settings::current(&base);
            self.build(&settings).await?;
            if self.finish(&settings).await? {
                return Ok(());
            }
        }
    }

    /// Fetches the page. Returns false if the page is unchanged and can already be found.
    async fn fetch(&self, row: &Row<Document>) -> Result<bool, Stop> {
        self.step(DocumentStatus::Extracting, |_| {}).await?;
        let url = row.url.clone().unwrap_or_default();
        let known = (row.etag.clone(), row.last_modified.clone());
        let (etag, last_modified) = if row.builds.is_empty() { (None, None) } else { known };
        let run_context = &self.work.run_context;
        let response = fetch::fetch(
            &run_context.web,
            &url,
            etag.as_deref(),
            last_modified.as_deref(),
            run_context.library.link_bytes(),
        );
        let page = match response.await {
            Ok(fetch::FetchResult::NotModified) => {
                return self.record(|row| row.coming = None).await;
            }
            Ok(fetch::FetchResult::Page(page)) => page,
            Err(why) => return Err(Stop::failed(why.code(), why.to_string())),
        };
        let size = page.bytes.len() as u64;
        let blob = self.work.store.blobs().put_bytes(self.work.tenant, page.bytes).await;
        let coming = Coming {
            blob_id: Some(blob.map_err(storage_failed)?),
            size,
            media_type: page.media_type,
            etag: page.etag,
            last_modified: page.last_modified,
            ..Coming::default()
        };
        self.record(move |row| {
            let coming = coming.clone();
            if row.builds.is_empty() {
                row.replace_version(coming);
            } else if row.blob_id == coming.blob_id {
                (row.etag, row.last_modified, row.coming) = (coming.etag, coming.last_modified, None);
            } else {
                // Searches and links to sources continue to use the previous content until the new content has been ingested.
                row.coming = Some(coming);
            }
        })
        .await
    }

    /// Records the fetched content. Returns true if passages must be built, because the content is new or the index version of
    /// the base has changed. Both conditions are checked in the transaction that marks the page as ready.
    async fn record(&self, change: impl Fn(&mut Document) + Send + Sync) -> Result<bool, Stop> {
        let (base, now) = (self.id.0, storage::Timestamp::now());
        let note = move |tx: &mut Tx, tenant, row: &mut Row<Document>| {
            let base = tx.require::<KnowledgeBase>(tenant, &base)?;
            change(&mut row.body);
            row.fetched_at = Some(now);
            let found = row.coming.is_none() && row.build(base.index_version).is_some();
            row.status = if found { DocumentStatus::Ready } else { DocumentStatus::Extracting };
            Ok(())
        };
        let progress = self.progress(DocumentStatus::Extracting, 0, None);
        self.write(vec![progress], None, note).await?;
        Ok(self.load().await?.1.status != DocumentStatus::Ready)
    }

    /// Replaces the old passages with the new ones, so that searches find them. Returns false if the index version of the base
    /// has changed.
    async fn finish(&self, settings: &Settings) -> Result<bool, Stop> {
        let (base_id, document) = self.id;
        let version = settings.version;
        let swap = move |tx: &mut Tx, tenant, row: &mut Row<Document>| {
            // Read in this transaction, so that a concurrent change of the version conflicts with it.
            let base = tx.require::<KnowledgeBase>(tenant, &base_id)?;
            if base.index_version != version {
                row.status = DocumentStatus::Chunking;
                row.draft = None;
                return Ok(());
            }
            // New content invalidates the passages of the previous content for every version, including the version being built.
            if let Some(coming) = row.coming.take() {
                row.replace_version(coming);
            }
            adopt(row);
            row.status = DocumentStatus::Ready;
            row.error = None;
            let generations: Vec<u32> = row.builds.iter().map(|build| build.generation).collect();
            tx.delete_chunks(tenant, document, &generations)
        };
        let before = self.load().await?.1;
        // Searches must find the document as soon as the row says so. The vectors are loaded first, and skipped until then.
        let mut found = before.clone();
        adopt(&mut found);
        self.work.run_context.library.refresh_vectors(self.work.tenant, &found).await;
        self.write(Vec::new(), None, swap).await?;
        let after = self.load().await?.1;
        self.forget_builds(&before, &after).await;
        Ok(after.status == DocumentStatus::Ready)
    }

    /// Removes passages that a document no longer has from the indexes, and adds new ones.
    pub async fn forget_builds(&self, before: &Row<Document>, after: &Row<Document>) {
        let held = |row: &Row<Document>, generation: u32| {
            row.builds.iter().any(|build| build.generation == generation)
                || row.draft.as_ref().is_some_and(|draft| draft.generation == generation)
        };
        let generations = before.builds.iter().map(|build| build.generation);
        let generations = generations.chain(before.draft.iter().map(|draft| draft.generation));
        let removed = generations.filter(|generation| !held(after, *generation));
        let removed = doc_keys(removed.map(|generation| (self.id.1, generation)));
        let library = &self.work.run_context.library;
        library.refresh_vectors(self.work.tenant, after).await;
        library.forget(self.work.tenant, self.id.0, removed).await;
    }
}
