//! Fetches web pages again on a schedule. The due time follows from the documents' rows, so that a restart fetches nothing twice.
//! A page is due one interval after its row was last updated, whether the page had changed, was unchanged, or could not be
//! fetched.

use std::sync::Arc;
use std::time::Duration;

use runs::Runs;
use storage::authority::{Feature, FeatureSet, Subject};
use storage::records::{Assistant, Document, DocumentSource, DocumentStatus, KnowledgeBase, Run};
use storage::{Reader, Row, Scan, TenantId, Timestamp, Tx, isolated};
use uuid::Uuid;

use super::accept::read_again;
use crate::automation::Clock;

/// The task name under which failures are counted.
const TASK: &str = "page_refresh";
/// Maximum number of pages that one pass fetches. The remaining pages are fetched in later passes.
const BATCH: usize = 128;
/// Minimum and maximum pause between two passes, and the number of passes per interval.
const PAUSES: (Duration, Duration, u32) = (Duration::from_millis(50), Duration::from_secs(60 * 60), 24);
/// The pause if more pages were due than one pass fetches.
const BACKLOG_PAUSE: Duration = Duration::from_secs(60);

/// A page that is due, and the user on whose behalf it is fetched.
#[derive(Clone, Copy)]
struct Due {
    tenant: TenantId,
    id: (Uuid, Uuid),
    user: Uuid,
}

/// Fetches pages again if their rows have not been updated for `after`. Runs until the future is dropped.
pub async fn refetch_outdated_pages(runs: Runs, clock: Arc<dyn Clock>, after: Duration) {
    let (least, greatest, looks) = PAUSES;
    let usual = (after / looks).clamp(least, greatest);
    loop {
        let pause = match refetch_due(&runs, clock.now() - after).await {
            Ok(found) if found >= BATCH => usual.min(BACKLOG_PAUSE),
            Ok(_) => usual,
            Err(why) => {
                telemetry::metrics::table::SWEEP_FAILURES.add(["pages_due"], 1);
                tracing::warn!(%why, "due pages could not be read");
                usual
            }
        };
        tokio::time::sleep(pause).await;
    }
}

/// Starts runs for pages that have not been updated since this time. Returns the number of due pages.
async fn refetch_due(runs: &Runs, since: Timestamp) -> storage::Result<usize> {
    let all = runs.store().read(move |reader| all_due(reader, since)).await?;
    let found = all.len();
    for due in all {
        // If the user has too many runs or the server is shutting down, the page is left for the next pass.
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
                if found.len() == BATCH {
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

/// Returns the base of a page, and the user on whose behalf the page is fetched: the user who added it, or else the owner of the
/// base. Returns `None` if neither user is allowed to, or if the base is being indexed again.
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
        if let Some(subject) = Subject::read(reader, tenant, user)?
            && FeatureSet::read(reader, &subject)?.contains(feature)
        {
            return Ok(Some((base, user)));
        }
    }
    Ok(None)
}

/// Adds the run, unless another process has already added it.
fn accept(tx: &mut Tx, Due { tenant, id, .. }: Due, since: Timestamp) -> storage::Result<Option<Row<Run>>> {
    let row = tx.get::<Document>(tenant, &id)?.filter(|row| is_due(row, since));
    let Some(row) = row else { return Ok(None) };
    let Some((base, user)) = whose(tx, tenant, &row)? else { return Ok(None) };
    read_again(tx, tenant, (user, None), &base, row).map(|(_, run)| Some(run))
}
