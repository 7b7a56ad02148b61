//! Work before the transaction: bundles are tried in the sandbox, and files are stored.

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
use crate::api::skills::received::{self, ReceivedSkill};
use crate::catalog::{Package, Reference, expand};
use crate::http::{Api, Caller};

#[derive(Clone)]
pub struct PackageDocument {
    /// Path of the document in the documents folder.
    pub path: String,
    /// Id of the blob that will contain the bytes.
    pub blob_id: BlobId,
    pub media_type: String,
    pub bytes: Bytes,
}

/// The parts of a package that take time to prepare.
#[derive(Clone, Default)]
pub struct PreparedResources {
    /// Skills, by resource key.
    pub skills: HashMap<String, ReceivedSkill>,
    /// Documents of knowledge bases, by resource key.
    pub papers: HashMap<String, Vec<PackageDocument>>,
    /// The embedding model of knowledge bases that do not name one.
    pub embedder: String,
}

impl PreparedResources {
    /// Prepares a package. Nothing is stored yet.
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

    /// Stores the given files. Rows must refer to them within an hour.
    pub async fn store(&self, app: &App, caller: &Caller, files: &HashSet<BlobId>) -> Api<()> {
        for skill in self.skills.values().filter(|skill| files.contains(&skill.version.blob_id)) {
            skill.keep(app, caller.tenant).await?;
        }
        for paper in self.papers.values().flatten().filter(|paper| files.contains(&paper.blob_id)) {
            app.store.blobs().put_bytes(caller.tenant, paper.bytes.clone()).await?;
        }
        Ok(())
    }

    /// Returns the fields that represent the content of a resource.
    pub fn fields(&self, key: &str) -> Fields {
        let mut fields = Fields::new();
        if let Some(ReceivedSkill { inspected, .. }) = self.skills.get(key) {
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
    /// Returns the title of the document: the name of its file without the extension.
    pub fn title(&self) -> String {
        let name = self.filename();
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        stem.replace(['-', '_'], " ").chars().take(MAX_TITLE_CHARS).collect()
    }

    /// Returns the name of the document's file.
    pub fn filename(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }
}

/// Returns a graph with the files that it refers to inserted. All other references are resolved at installation and do not affect scripts:
/// here, ids of resources are nil, and values of parameters are null.
fn readable(package: &Package, graph: &Value) -> Option<Value> {
    let mut look_up = |reference: Reference<'_>| match reference {
        Reference::File(path) => package.text(path).map(Value::from),
        Reference::Json(path) => package.json(path),
        Reference::Parameter(_) => Ok(Value::Null),
        Reference::Resource(_) | Reference::Package(..) => Ok(json!(Uuid::nil())),
    };
    expand(graph, &mut look_up).ok()
}
