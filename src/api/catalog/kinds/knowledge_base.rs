//! Knowledge bases of packages, with their documents.

use domain::{Precondition, knowledge_bases};
use jobs::ingest::{DocumentTarget, NewDocument, NewSource, add_in};
use serde_json::{Value, json};
use storage::records::{Document, KnowledgeBase};
use storage::{IndexKey, Reader, Row, Scan, TenantId, Tx};
use uuid::Uuid;

use super::{Fields, read, to_json};
use crate::api::catalog::prepared::PackageDocument;
use crate::api::catalog::resource_creation::ResourceCreation;
use crate::api::knowledge_bases::OfferedEmbedders;
use crate::api::knowledge_bases::schema::{KnowledgeBaseCreateBody, KnowledgeBaseUpdateBody};
use crate::http::{Api, Caller, Code, Refusal};

/// Prefix of the field that stands for a document; the path of the document follows.
const DOCUMENTS: &str = "documents/";

pub(super) fn normal(fields: &Fields) -> Api<Value> {
    let settings = fields.iter().filter(|(field, _)| !field.starts_with(DOCUMENTS));
    let settings: Fields = settings.map(|(field, value)| (field.clone(), value.clone())).collect();
    read::<KnowledgeBaseCreateBody>(&settings)?;
    let mut fields = fields.clone();
    if let Some(name) = fields.get_mut("name") {
        *name = json!(name.as_str().unwrap_or_default().trim());
    }
    Ok(Value::Object(fields))
}

pub(super) fn load(reader: &Reader, tenant: TenantId, id: Uuid, documents: &[&Fields]) -> Api<Option<Value>> {
    let row = reader.get::<KnowledgeBase>(tenant, &id)?.filter(|row| row.assistant_id.is_none());
    let Some(row) = row else { return Ok(None) };
    let mut fields = to_json(&row.body)?;
    for (field, value) in documents.iter().flat_map(|side| side.iter()) {
        if let (true, Some(content)) = (field.starts_with(DOCUMENTS), value.as_str())
            && fields.get(field).is_none_or(Value::is_null)
        {
            let there = document(reader, tenant, id, content)?.is_some();
            fields[field.as_str()] = if there { value.clone() } else { Value::Null };
        }
    }
    Ok(Some(fields))
}

pub(super) fn of_name(reader: &Reader, caller: &Caller, name: &str) -> Api<Vec<Uuid>> {
    let rows = reader.scan::<KnowledgeBase>(caller.tenant, Scan::table())?.items.into_iter();
    let fits = rows.filter(|row| row.name == name && row.assistant_id.is_none() && row.owner == caller.user);
    Ok(fits.map(|row| row.id).collect())
}

pub(super) fn create(
    tx: &mut Tx,
    creation: &mut ResourceCreation<'_>,
    key: &str,
    fields: &Fields,
) -> Api<Uuid> {
    let mut fields = fields.clone();
    fields.insert("visibility".to_owned(), json!(creation.options.visibility));
    let input = read::<KnowledgeBaseCreateBody>(&fields)?.into();
    let models = OfferedEmbedders::read(tx, creation.caller, &creation.run_context.models)?;
    let id = knowledge_bases::create(tx, creation.caller, &models, input)?.id;
    let papers = creation.prepared.papers.get(key);
    for paper in papers.into_iter().flatten() {
        add(tx, creation, id, paper)?;
    }
    Ok(id)
}

pub(super) fn change(
    tx: &mut Tx,
    creation: &mut ResourceCreation<'_>,
    key: &str,
    id: Uuid,
    ours: &Fields,
    changed: &Fields,
) -> Api<()> {
    let (papers, settings): (Fields, Fields) =
        changed.clone().into_iter().partition(|(field, _)| field.starts_with(DOCUMENTS));
    if !settings.is_empty() {
        let input = read::<KnowledgeBaseUpdateBody>(&settings)?.into();
        let models = OfferedEmbedders::read(tx, creation.caller, &creation.run_context.models)?;
        let any_version = (&Precondition::Any, None);
        knowledge_bases::change(tx, creation.caller, &models, id, any_version, input)?;
    }
    for (field, value) in papers {
        if let Some(content) = ours.get(&field).and_then(Value::as_str) {
            remove(tx, creation, id, content)?;
        }
        let path = field.strip_prefix(DOCUMENTS).unwrap_or_default();
        let all = creation.prepared.papers.get(key);
        let paper = all.into_iter().flatten().find(|paper| paper.path == path && !value.is_null());
        if let Some(paper) = paper {
            add(tx, creation, id, paper)?;
        }
    }
    Ok(())
}

fn add(tx: &mut Tx, creation: &mut ResourceCreation<'_>, base: Uuid, paper: &PackageDocument) -> Api<()> {
    let caller = creation.caller;
    let new = NewDocument {
        tenant: caller.tenant,
        user: caller.user,
        token_id: caller.token_id,
        home: DocumentTarget::Base(base),
        title: paper.title(),
        filename: paper.filename().to_owned(),
        description: String::new(),
        source: NewSource::File {
            blob_id: paper.blob_id.clone(),
            media_type: paper.media_type.clone(),
            size: paper.bytes.len() as u64,
        },
    };
    let (_, run) = add_in(tx, &new, &creation.prepared.embedder)?;
    creation.done.files.insert(paper.blob_id.clone());
    creation.done.runs.extend(run);
    Ok(())
}

fn remove(tx: &mut Tx, creation: &mut ResourceCreation<'_>, base: Uuid, content: &str) -> Api<()> {
    let tenant = creation.caller.tenant;
    let Some(document) = document(tx, tenant, base, content)? else { return Ok(()) };
    let rebuilt = tx.get::<KnowledgeBase>(tenant, &base)?.is_some_and(|base| base.rebuild.is_some());
    if rebuilt || document.status.is_in_work() {
        let why = format!("the document {:?} is being read; try again when it is ready", document.title);
        return Err(Refusal::new(Code::NotReady).detail(why));
    }
    let removed = tx.delete_document(tenant, base, document.id.1)?;
    creation.done.removed.push((base, removed.unwrap_or_default()));
    Ok(())
}

/// Finds the document with this content.
fn document(
    reader: &Reader,
    tenant: TenantId,
    base: Uuid,
    content: &str,
) -> storage::Result<Option<Row<Document>>> {
    let key = IndexKey::new().id(&base).text(content).done();
    Ok(reader.scan::<Document>(tenant, Scan::index("by_content").prefix(key).limit(1))?.items.pop())
}
