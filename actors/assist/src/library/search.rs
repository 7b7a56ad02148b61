//! Searches for passages.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use knowledge::{DocKey, Hit, IndexError, LexicalQuery, fuse};
use providers::EmbedPurpose;
use serde_json::{Value, json};
use storage::records::{Chunk, ChunkKey, Document, KnowledgeBase, Source, SourcePlace};
use storage::{Reader, Row, Scan, TenantId};
use uuid::Uuid;

use super::Library;
use super::embed::{EmbedError, Vectors};

/// Minimum number of passages that each search mode contributes before the results are fused.
const MIN_CANDIDATES: usize = 50;

/// A search request.
#[derive(Clone, Debug)]
pub struct Search {
    /// The tenant that owns the knowledge bases.
    pub tenant: TenantId,
    /// The user who pays for embedding the query.
    pub user: Uuid,
    /// The knowledge bases to search. Permissions are not checked here; see [`bases_of`](super::bases_of).
    pub bases: Vec<Uuid>,
    /// Text of the query, in the user's words.
    pub query: String,
    /// Maximum number of passages.
    pub limit: usize,
    pub mode: SearchMode,
}

/// How passages are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchMode {
    /// By full-text and vector search, with fused results.
    #[default]
    Hybrid,
    /// By full-text search only.
    Lexical,
    Vector,
}

/// The passages that a search found, and its usage.
#[derive(Clone, Debug, Default)]
pub struct SearchResult {
    /// The passages, best first.
    pub passages: Vec<ScoredSource>,
    /// Usage of embedding the query, by model, without the vectors.
    pub spent: Vec<Vectors>,
    /// Why the vector search failed, if it should have been performed.
    pub degraded: Option<String>,
}

/// A passage that a search returned.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoredSource {
    /// The passage. The number in its place is its rank.
    pub source: Source,
    /// Relevance of the passage. Higher is better; comparable only within one result.
    pub score: f32,
}

impl ScoredSource {
    /// Converts the passage to a flat object for skills and workflow nodes. Absent fields are null.
    pub fn to_json(&self) -> Value {
        let Source { url, document_id, title, snippet, place } = &self.source;
        let SourcePlace { knowledge_base_id, page, start, end, headings, .. } =
            place.clone().unwrap_or_default();
        json!({
            "text": snippet, "title": title, "url": url, "document_id": document_id,
            "knowledge_base_id": knowledge_base_id, "page": page, "start": start, "end": end,
            "headings": headings, "score": self.score,
        })
    }
}

/// Why a search failed.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The full-text index failed.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The query could not be embedded, and only the vector search was requested.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// The underlying storage operation failed.
    #[error(transparent)]
    Storage(#[from] storage::Error),
}

impl SearchError {
    /// Stable machine-readable error code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Index(_) => "index",
            Self::Embed(why) => why.code(),
            Self::Storage(_) => "storage",
        }
    }
}

impl Library {
    /// Finds the most relevant passages. If the vector search fails, a hybrid search uses the full-text search only and
    /// reports it in the result.
    pub async fn search(&self, search: Search) -> Result<SearchResult, SearchError> {
        let Search { tenant, user, bases, query, limit, mode } = search;
        if bases.is_empty() || query.trim().is_empty() || limit == 0 {
            return Ok(SearchResult::default());
        }
        self.ensure(tenant).await?;
        let wanted = bases.clone();
        let bases = self.0.store.read(move |reader| load_bases(reader, tenant, &wanted)).await?;
        let look = MIN_CANDIDATES.max(limit * 2);
        let mut result = SearchResult::default();
        let mut lists = Vec::new();
        if mode != SearchMode::Lexical {
            match self.nearest((tenant, user), &bases, &query, look, &mut result).await {
                Ok(nearest) => lists.extend(nearest),
                Err(why) if mode == SearchMode::Vector => return Err(why),
                Err(why) => {
                    tracing::warn!(%why, "searching the full-text index only");
                    result.degraded = Some(why.to_string());
                }
            }
        }
        if mode != SearchMode::Vector {
            let bases = bases.iter().map(|base| base.id).collect();
            // Some index entries may be out of date; they are skipped below.
            let query = LexicalQuery { text: query, bases, limit: look };
            lists.push(self.0.lexical.search(tenant.0, query).await?);
        }
        let read = move |reader: &Reader| passages(reader, tenant, &bases, lists, limit);
        result.passages = self.0.store.read(read).await?;
        Ok(result)
    }

    /// The passages with the nearest vectors, as one list per embedding model.
    async fn nearest(
        &self,
        (tenant, user): (TenantId, Uuid),
        bases: &[Row<KnowledgeBase>],
        query: &str,
        look: usize,
        result: &mut SearchResult,
    ) -> Result<Vec<Vec<Hit>>, SearchError> {
        let mut by_model: BTreeMap<&str, Vec<&Row<KnowledgeBase>>> = BTreeMap::new();
        for base in bases {
            by_model.entry(&base.embedding_model).or_default().push(base);
        }
        let mut lists = Vec::new();
        for (model, bases) in by_model {
            let mut filled = Vec::with_capacity(bases.len());
            for base in bases {
                let held = self.0.vectors.vectors(&self.0.store, tenant, base.id, base.index_version).await?;
                filled.extend((!held.is_empty()).then_some(held));
            }
            if filled.is_empty() {
                continue;
            }
            let mut embedded =
                self.embed((tenant, user), model, vec![query.to_owned()], EmbedPurpose::Query).await?;
            let vector = embedded.vectors.pop().unwrap_or_default();
            result.spent.push(embedded);
            // Compares every vector, so it runs on a blocking thread.
            let all = tasks::blocking(move || {
                let hits = filled.iter().flat_map(|held| held.search(&vector, look, |_| true));
                let mut hits: Vec<Hit> = hits.collect();
                hits.sort_by(|a, b| b.score.total_cmp(&a.score));
                hits.truncate(look);
                hits
            });
            let hits = all.await.map_err(|_| storage::Error::Closed)?;
            if hits.is_empty() {
                // Every vector has some similarity to every other one unless they are not comparable.
                result.degraded = Some(format!("the length of the vectors of {model} has changed"));
            }
            lists.push(hits);
        }
        Ok(lists)
    }
}

fn load_bases(
    reader: &Reader,
    tenant: TenantId,
    wanted: &[Uuid],
) -> storage::Result<Vec<Row<KnowledgeBase>>> {
    let mut bases = Vec::with_capacity(wanted.len());
    for id in wanted {
        bases.extend(reader.get::<KnowledgeBase>(tenant, id)?);
    }
    Ok(bases)
}

/// Fuses the lists and reads the passages. Skips passages that are no longer searchable.
fn passages(
    reader: &Reader,
    tenant: TenantId,
    bases: &[Row<KnowledgeBase>],
    lists: Vec<Vec<Hit>>,
    limit: usize,
) -> storage::Result<Vec<ScoredSource>> {
    let mut documents: HashMap<DocKey, Option<Row<Document>>> = HashMap::new();
    let mut valid = Vec::with_capacity(lists.len());
    for list in lists {
        let mut current = Vec::with_capacity(list.len());
        for hit in list {
            let row = match documents.entry(hit.document) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(free) => free.insert(searched(reader, tenant, bases, hit.document)?),
            };
            if row.is_some() {
                current.push(hit);
            }
        }
        valid.push(current);
    }
    let mut passages = Vec::with_capacity(limit);
    for fused in fuse(&valid) {
        let DocKey { document, generation } = fused.document;
        let key = ChunkKey { document, generation, number: fused.number };
        let Some(Some(row)) = documents.get(&fused.document) else { continue };
        let Some(chunk) = reader.get::<Chunk>(tenant, &key)? else { continue };
        let number = passages.len() as u32 + 1;
        passages.push(passage(row, chunk.body, number, fused.score));
        if passages.len() == limit {
            break;
        }
    }
    Ok(passages)
}

/// Returns the document if this build of it is the one that its base searches.
fn searched(
    reader: &Reader,
    tenant: TenantId,
    bases: &[Row<KnowledgeBase>],
    key: DocKey,
) -> storage::Result<Option<Row<Document>>> {
    let scan = Scan::index("by_document").prefix(key.document.as_bytes().to_vec()).limit(1);
    let row = reader.scan::<Document>(tenant, scan)?.items.pop();
    Ok(row.filter(|row| {
        let base = bases.iter().find(|base| base.id == row.id.0);
        let build = base.and_then(|base| row.build(base.index_version));
        build.is_some_and(|build| build.generation == key.generation)
    }))
}

fn passage(document: &Row<Document>, chunk: Chunk, number: u32, score: f32) -> ScoredSource {
    let place = SourcePlace {
        number,
        knowledge_base_id: document.id.0,
        page: chunk.page,
        start: chunk.start,
        end: chunk.end,
        headings: chunk.headings,
    };
    let source = Source {
        url: document.url.clone(),
        document_id: Some(document.id.1),
        title: Some(document.title.clone()),
        snippet: Some(chunk.text),
        place: Some(place),
    };
    ScoredSource { source, score }
}
