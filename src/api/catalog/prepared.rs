//! What has to be done before the transaction: bundles tried in the sandbox, files kept.

use std::collections::{HashMap, HashSet};

use bytes::Bytes;
use domain::knowledge_bases::MAX_TITLE_CHARS;
use serde_json::{Value, json};
use storage::records::ResourceKind;
use storage::{BlobId, Blobs};
use uuid::Uuid;

use super::faults::{of_resource, placed};
use super::kinds::Fields;
use crate::App;
use crate::api::assistants::scripts;
use crate::api::skills::received::{self, Received};
use crate::catalog::{Package, Reference, expand};
use crate::http::{Api, Caller};

#[derive(Clone)]
pub struct PackageDocument {
    /// Its path in the folder of documents.
    pub path: String,
    /// Its bytes, as they will be kept.
    pub blob_id: BlobId,
    pub media_type: String,
    pub bytes: Bytes,
}

/// The parts of a package that take time.
#[derive(Clone, Default)]
pub struct Prepared {
    /// Skills, by their keys.
    pub skills: HashMap<String, Received>,
    /// Documents of knowledge bases, by the keys of these.
    pub papers: HashMap<String, Vec<PackageDocument>>,
    /// The embedding model of knowledge bases for which none is chosen.
    pub embedder: String,
}

impl Prepared {
    /// Prepares a package. Nothing is kept yet.
    pub async fn prepare(app: &App, caller: &Caller, package: &Package) -> Api<Self> {
        let mut prepared = Self::default();
        for resource in &package.manifest.resources {
            let key = &resource.key;
            match resource.kind {
                ResourceKind::Skill => {
                    let (name, bytes) = package.bundle(resource).map_err(|why| of_resource(key, &why))?;
                    let received = received::examine(app, caller, name, bytes, None).await;
                    prepared.skills.insert(key.clone(), received.map_err(|why| placed(key, why))?);
                }
                ResourceKind::KnowledgeBase => {
                    let papers = package.documents(resource).into_iter().map(paper).collect();
                    prepared.papers.insert(key.clone(), papers);
                }
                ResourceKind::Assistant => {
                    let graph = resource.fields.get("workflow").and_then(|graph| readable(package, graph));
                    let checked = scripts::check(&app.sandbox, graph.as_ref(), None).await;
                    checked.map_err(|why| placed(key, why))?;
                }
                ResourceKind::Automation => {}
            }
        }
        if prepared.papers.values().any(|papers| !papers.is_empty()) {
            prepared.embedder = jobs::ingest::ready_to_add(&app.actors, caller.tenant, caller.user).await?;
        }
        Ok(prepared)
    }

    /// Keeps those of the files; rows have to name them within the hour.
    pub async fn store(&self, app: &App, caller: &Caller, files: &HashSet<BlobId>) -> Api<()> {
        for skill in self.skills.values().filter(|skill| files.contains(&skill.version.blob_id)) {
            skill.keep(app, caller.tenant).await?;
        }
        for paper in self.papers.values().flatten().filter(|paper| files.contains(&paper.blob_id)) {
            app.store.blobs().put_bytes(caller.tenant, paper.bytes.clone()).await?;
        }
        Ok(())
    }

    /// What stands for the content of a resource among its fields.
    pub fn fields(&self, key: &str) -> Fields {
        let mut fields = Fields::new();
        if let Some(Received { inspected, .. }) = self.skills.get(key) {
            fields.insert("name".to_owned(), json!(inspected.name));
            fields.insert("description".to_owned(), json!(inspected.description));
            fields.insert("usable_in".to_owned(), json!(inspected.usable_in));
            fields.insert("content".to_owned(), json!(inspected.content_hash));
        }
        for paper in self.papers.get(key).into_iter().flatten() {
            fields.insert(format!("documents/{}", paper.path), json!(paper.blob_id));
        }
        fields
    }
}

fn paper((path, bytes): (&str, &Bytes)) -> PackageDocument {
    let kind = infer::get(bytes).map(|kind| kind.mime_type());
    let media_type = kind.unwrap_or("text/plain").to_owned();
    PackageDocument { path: path.to_owned(), blob_id: Blobs::id_of(bytes), media_type, bytes: bytes.clone() }
}

impl PackageDocument {
    /// What the document is called: the name of its file without its ending.
    pub fn title(&self) -> String {
        let name = self.filename();
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        stem.replace(['-', '_'], " ").chars().take(MAX_TITLE_CHARS).collect()
    }

    /// The name of its file.
    pub fn filename(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }
}

/// A graph with the files that it refers to. Whatever else it refers to is known when it is installed and changes no
/// script: an id of a resource is nil, and the value of a parameter null.
fn readable(package: &Package, graph: &Value) -> Option<Value> {
    let mut look_up = |reference: Reference<'_>| match reference {
        Reference::File(path) => package.text(path).map(Value::from),
        Reference::Json(path) => package.json(path),
        Reference::Parameter(_) => Ok(Value::Null),
        Reference::Resource(_) | Reference::Package(..) => Ok(json!(Uuid::nil())),
    };
    expand(graph, &mut look_up).ok()
}
