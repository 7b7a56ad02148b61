//! Pages of the web are fetched again by the clock. What is due follows from the documents' rows, so that a restart
//! fetches nothing twice: a page is due so long after anything came of it, be it the page, its being unchanged, or a
//! failure.

use std::sync::Arc;
use std::time::Duration;

use runs::Runs;
use storage::authority::{Feature, FeatureSet, Subject};
use storage::records::{Assistant, Document, DocumentSource, DocumentStatus, KnowledgeBase, Run};
use storage::{Reader, Row, Scan, TenantId, Timestamp, Tx, isolated};
use uuid::Uuid;

use super::accept::read_again;
use crate::automation::Clock;

/// What a failure here is counted under.
const TASK: &str = "page_refresh";
/// Most pages that one look sends for; the others come with the next.
const TOGETHER: usize = 128;
/// The least and the greatest pause between two looks, and how many there are while a page is not due.
const PAUSES: (Duration, Duration, u32) = (Duration::from_millis(50), Duration::from_secs(60 * 60), 24);
/// The pause where more was due than one look sends for.
const BEHIND: Duration = Duration::from_secs(60);

/// A page that is due, and in whose name it is fetched.
#[derive(Clone, Copy)]
struct Due {
    tenant: TenantId,
    id: (Uuid, Uuid),
    user: Uuid,
}

/// Has pages fetched again when this long nothing has come of them. Ends when the caller stops waiting for it.
pub async fn keep_fresh(runs: Runs, clock: Arc<dyn Clock>, after: Duration) {
    let (least, greatest, looks) = PAUSES;
    let usual = (after / looks).clamp(least, greatest);
    loop {
        let pause = match look(&runs, clock.now() - after).await {
            Ok(found) if found >= TOGETHER => usual.min(BEHIND),
            Ok(_) => usual,
            Err(why) => {
                telemetry::metrics::table::SWEEP_FAILURES.add(["pages_due"], 1);
                tracing::warn!(%why, "pages that are due could not be looked for");
                usual
            }
        };
        tokio::time::sleep(pause).await;
    }
}

/// Sends for what nothing has come of since this moment: how many there were.
async fn look(runs: &Runs, since: Timestamp) -> storage::Result<usize> {
    let all = runs.store().read(move |reader| all_due(reader, since)).await?;
    let found = all.len();
    for due in all {
        // Who has their hands full, or is stopped by the server's end, is asked again at the next look.
        if runs.draining() || runs.may_start(due.tenant, due.user).is_err() {
            continue;
        }
        let accepted = runs.store().run(move |tx| accept(tx, due, since)).await;
        let place = format_args!("tenant {}, document {}", due.tenant.0, due.id.1);
        if let Some(run) = isolated(TASK, place, accepted).flatten() {
            runs.launch(due.tenant, run);
        }
    }
    Ok(found)
}

fn all_due(reader: &Reader, since: Timestamp) -> storage::Result<Vec<Due>> {
    let mut found = Vec::new();
    for tenant in reader.tenants()? {
        let mut after = None;
        loop {
            let page = reader.scan_each::<Document>(tenant, Scan::table().limit(200).after(after))?;
            let readable = |row| isolated(TASK, format_args!("tenant {}", tenant.0), row);
            for row in page.items.into_iter().filter_map(readable).filter(|row| is_due(row, since)) {
                let whose = whose(reader, tenant, &row);
                if let Some((_, user)) = isolated(TASK, format_args!("tenant {}", tenant.0), whose).flatten()
                {
                    found.push(Due { tenant, id: row.id, user });
                }
                if found.len() == TOGETHER {
                    return Ok(found);
                }
            }
            after = page.next;
            if after.is_none() {
                break;
            }
        }
    }
    Ok(found)
}

fn is_due(row: &Row<Document>, since: Timestamp) -> bool {
    row.source == DocumentSource::Link
        && matches!(row.status, DocumentStatus::Ready | DocumentStatus::Failed)
        && row.updated_at <= since
}

/// A page's base, and in whose name it is fetched: of who added it, else of who owns the base. None where no user is
/// left who may, or where the base is being indexed again.
fn whose(
    reader: &Reader,
    tenant: TenantId,
    row: &Row<Document>,
) -> storage::Result<Option<(Row<KnowledgeBase>, Uuid)>> {
    let Some(base) = reader.get::<KnowledgeBase>(tenant, &row.id.0)? else { return Ok(None) };
    let feature = match base.assistant_id {
        Some(id) => {
            let assistant = reader.get::<Assistant>(tenant, &id)?.filter(|row| row.deleted_at.is_none());
            let Some(assistant) = assistant else { return Ok(None) };
            Feature::from_assistant_type(assistant.kind)
        }
        None => Feature::KnowledgeBases,
    };
    if base.rebuild.is_some() {
        return Ok(None);
    }
    for user in [row.added_by, base.owner] {
        if let Some(standing) = Subject::read(reader, tenant, user)?
            && FeatureSet::read(reader, &standing)?.contains(feature)
        {
            return Ok(Some((base, user)));
        }
    }
    Ok(None)
}

/// Adds the run, unless another process has done so by now.
fn accept(tx: &mut Tx, Due { tenant, id, .. }: Due, since: Timestamp) -> storage::Result<Option<Row<Run>>> {
    let row = tx.get::<Document>(tenant, &id)?.filter(|row| is_due(row, since));
    let Some(row) = row else { return Ok(None) };
    let Some((base, user)) = whose(tx, tenant, &row)? else { return Ok(None) };
    read_again(tx, tenant, (user, None), &base, row).map(|(_, run)| Some(run))
}
