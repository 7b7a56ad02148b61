//! Drafts of skills: whether their build has ended.

use storage::records::{Run, SkillDraft, SkillDraftState};
use storage::{Reader, Row, TenantId};

/// Corrects the state of a draft whose build can no longer write it. A build writes its draft when it ends, but
/// a build that exceeded its restart limit has written nothing.
///
/// # Errors
/// Returns an error if storage fails.
pub fn with_build_state(
    reader: &Reader,
    tenant: TenantId,
    mut row: Row<SkillDraft>,
) -> storage::Result<Row<SkillDraft>> {
    if row.state != SkillDraftState::Building {
        return Ok(row);
    }
    let run = reader.get::<Run>(tenant, &row.id.1)?;
    if run.as_ref().is_some_and(|run| !run.state.is_terminal()) {
        return Ok(row);
    }
    // The build may have ended after the draft was read. Its end writes both rows in one transaction.
    row = reader.get(tenant, &row.id)?.unwrap_or(row);
    if row.state == SkillDraftState::Building {
        row.state = SkillDraftState::Failed;
        row.error = Some("the build exceeded its restart limit".to_owned());
        row.finished_at = run.and_then(|run| run.ended_at);
    }
    Ok(row)
}

#[cfg(test)]
mod tests {
    use super::*;
    use storage::records::{RunKind, RunState};
    use storage::{Store, StoreOptions};
    use uuid::Uuid;

    #[test]
    fn draft_read_before_its_build_ended_has_the_state_of_the_end() {
        let dir = tempfile::tempdir().expect("a folder");
        let store = Store::open(StoreOptions::new(dir.path())).expect("the store opens");
        let (tenant, id) = (TenantId(Uuid::now_v7()), (Uuid::now_v7(), Uuid::now_v7()));
        let begun = store.run_blocking(|tx| -> storage::Result<_> {
            tx.insert(tenant, id.1, Run { kind: RunKind::SkillBuild, ..Run::default() })?;
            tx.insert(tenant, id, SkillDraft { state: SkillDraftState::Building, ..SkillDraft::default() })
        });
        let building = begun.expect("the store writes");
        let end = |state| {
            let ended = store.run_blocking(|tx| -> storage::Result<_> {
                let mut run = tx.require::<Run>(tenant, &id.1)?;
                run.state = RunState::Succeeded;
                tx.update(tenant, run)?;
                let mut draft = tx.require::<SkillDraft>(tenant, &id)?;
                draft.state = state;
                tx.update(tenant, draft)
            });
            ended.expect("the store writes");
        };
        let corrected = || {
            let read = store.read_now(|reader| with_build_state(reader, tenant, building.clone()));
            read.expect("the store reads").state
        };
        assert_eq!(corrected(), SkillDraftState::Building);
        end(SkillDraftState::Ready);
        assert_eq!(corrected(), SkillDraftState::Ready);
        end(SkillDraftState::Building);
        assert_eq!(corrected(), SkillDraftState::Failed, "the build has ended without writing its draft");
    }
}
