//! The end of an ingest: its usage is booked, and a document that could not be ingested records the reason.

use std::collections::BTreeMap;

use assist::billing::{self, ModelUse};
use runs::{Event, EventData, RunSummary, Terminal, TerminalError};
use serde_json::{Map, json};
use storage::records::{
    Document, DocumentError, DocumentStatus, KnowledgeBase, Notice, Run, RunState, Severity, Usage,
};
use storage::{Row, Scan, TenantId, Tx, notices};
use uuid::Uuid;

use super::IngestRequest;

/// Usage by the full id of the model.
pub type Bill = BTreeMap<String, ModelUse>;

pub(super) fn close(history: &[Event]) -> RunSummary<Bill> {
    let mut bill = Bill::new();
    for event in history {
        if let Ok(EventData::Usage { usage, cost_nanos, estimated, model }) =
            serde_json::from_slice(&event.json)
        {
            let usage = Usage { input_tokens: usage.input_tokens, ..Usage::default() };
            *bill.entry(model.unwrap_or_default()).or_default() += &ModelUse { usage, cost_nanos, estimated };
        }
    }
    let mut total = ModelUse::default();
    bill.values().for_each(|used| total += used);
    RunSummary {
        events: Vec::new(),
        usage: total.usage,
        cost_nanos: total.cost_nanos,
        partial: false,
        details: bill,
    }
}

pub(super) fn conclude(
    tx: &mut Tx,
    tenant: TenantId,
    run: &Row<Run>,
    bill: &Bill,
    terminal: &Terminal,
) -> storage::Result<()> {
    for (model, used) in bill {
        billing::book(tx, tenant, run, terminal, "embedding", model, used)?;
    }
    match IngestRequest::from_run(run) {
        Some(IngestRequest::Document { base, document }) => {
            settle(tx, tenant, run.id, (base, document), terminal)
        }
        Some(IngestRequest::Base { base }) => give_up_rebuild(tx, tenant, run.id, base),
        None => Ok(()),
    }
}

/// Records why the run did not ingest its document.
fn settle(
    tx: &mut Tx,
    tenant: TenantId,
    run: Uuid,
    id: (Uuid, Uuid),
    terminal: &Terminal,
) -> storage::Result<()> {
    let Some(mut document) = tx.get::<Document>(tenant, &id)? else { return Ok(()) };
    if document.run_id != Some(run) || !document.status.is_in_work() {
        return Ok(());
    }
    (document.draft, document.coming) = (None, None);
    let failed = |TerminalError { code, message, provider_code, .. }: TerminalError| DocumentError {
        code,
        message,
        provider_code,
    };
    document.error = terminal.error.clone().map(failed);
    let version = tx.get::<KnowledgeBase>(tenant, &id.0)?.map(|base| base.index_version);
    document.status = match terminal.status {
        // Passages that could be found before can still be found.
        _ if version.is_some_and(|version| document.build(version).is_some()) => DocumentStatus::Ready,
        RunState::Cancelled => DocumentStatus::Cancelled,
        _ => DocumentStatus::Failed,
    };
    if document.status == DocumentStatus::Failed && document.error.is_none() {
        let code = "interrupted".to_owned();
        let message = terminal.reason.clone().unwrap_or_else(|| "the run ended early".to_owned());
        document.error = Some(DocumentError { code, message, provider_code: None });
    }
    let generations: Vec<u32> = document.builds.iter().map(|build| build.generation).collect();
    tx.delete_chunks(tenant, id.1, &generations)?;
    let document = tx.update(tenant, document)?;
    if document.status == DocumentStatus::Failed { notify(tx, tenant, &document) } else { Ok(()) }
}

/// Notifies the user who added a document that it cannot be searched.
fn notify(tx: &mut Tx, tenant: TenantId, document: &Row<Document>) -> storage::Result<()> {
    let (base, id) = document.id;
    let why = document.error.as_ref().map(|error| error.message.clone()).unwrap_or_default();
    let mut data = Map::new();
    data.insert("knowledge_base_id".into(), json!(base));
    data.insert("document_id".into(), json!(id));
    let notice = Notice {
        user: document.added_by,
        kind: "document.failed".to_owned(),
        severity: Severity::Warning,
        title: format!("{} could not be read", document.title),
        body: why,
        link: Some(format!("/knowledge-bases/{base}")),
        data,
        ..Notice::default()
    };
    notices::notify(tx, tenant, notice).map(drop)
}

/// Abandons an unfinished version of the index, and deletes its passages.
fn give_up_rebuild(tx: &mut Tx, tenant: TenantId, run: Uuid, base: Uuid) -> storage::Result<()> {
    let Some(mut base) = tx.get::<KnowledgeBase>(tenant, &base)? else { return Ok(()) };
    if base.rebuild.as_ref().is_none_or(|rebuild| rebuild.run_id != run) {
        return Ok(());
    }
    base.rebuild = None;
    let version = base.index_version;
    let documents = Scan::table().prefix(base.id.as_bytes().to_vec());
    tx.update(tenant, base)?;
    for mut document in tx.scan::<Document>(tenant, documents)?.items {
        let before = (document.builds.len(), document.draft.is_some());
        document.builds.retain(|build| build.index_version == version);
        document.draft = document.draft.take().filter(|draft| draft.index_version == version);
        if before == (document.builds.len(), document.draft.is_some()) {
            continue;
        }
        // The index of words drops these passages when it is next compared with the rows. Until then, searches skip them.
        let generations = document.builds.iter().map(|build| build.generation);
        let generations: Vec<u32> =
            generations.chain(document.draft.iter().map(|draft| draft.generation)).collect();
        tx.delete_chunks(tenant, document.id.1, &generations)?;
        tx.update(tenant, document)?;
    }
    Ok(())
}
