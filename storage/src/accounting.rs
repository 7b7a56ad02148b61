//! Records uses of models, and counts the activity of a tenant, in the same transaction as the events they describe.

use crate::error::Result;
use crate::ids::{TenantId, new_id};
use crate::reader::Reader;
use crate::record::Row;
use crate::records::activity::{Activity, ActivityContext, ActivityKeys, is_answer, is_error};
use crate::records::usage::{Spend, UsageMetrics, keys_of};
use crate::records::{Run, UsageRecord};
use crate::scan::Scan;
use crate::time::Timestamp;
use crate::tx::Tx;
use uuid::Uuid;

/// Records one use of a model: inserts the usage record, and adds to the sums of its user and its tenant.
///
/// # Errors
/// Returns an error if the store fails.
pub fn book(tx: &mut Tx, tenant: TenantId, record: UsageRecord) -> Result<()> {
    book_beside(tx, tenant, record, Activity::default())
}

/// Like [`book`], and also counts the user's other activity with the model.
fn book_beside(tx: &mut Tx, tenant: TenantId, record: UsageRecord, beside: Activity) -> Result<()> {
    let spend = Spend::from_record(&record);
    for key in keys_of(tenant, &record) {
        tx.batch().add(key, &spend.numbers());
    }
    let activity = beside.plus(Activity { spend, ..Activity::default() });
    count(tx, tenant, &ActivityContext::used(&record), &activity);
    tx.counted_after_commit(UsageMetrics::from_record(&record));
    tx.insert(tenant, new_id(), record).map(drop)
}

/// Counts activity.
pub fn count(tx: &mut Tx, tenant: TenantId, context: &ActivityContext, activity: &Activity) {
    let keys = ActivityKeys::new(tenant, context);
    let numbers = activity.numbers();
    for key in keys.sums() {
        tx.batch().add(key, &numbers);
    }
    for (key, day) in keys.users {
        let mut days = vec![0; day + 1];
        days[day] = activity.deeds();
        tx.batch().add(key, &days);
    }
    for key in keys.last {
        tx.batch().raise(key, context.at.sortable().to_vec());
    }
}

/// Counts an accepted answer: its own message and the `added` messages that were stored with it, and its conversation
/// if this is its first run. Call this before the run is stored.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count_accepted(tx: &mut Tx, tenant: TenantId, run: &Run, added: u64) -> Result<()> {
    let begins = match run.conversation_id {
        Some(conversation) => !has_run(tx, tenant, conversation)?,
        None => false,
    };
    let activity = Activity {
        messages: added.saturating_add(1),
        conversations: u64::from(begins),
        ..Activity::default()
    };
    count(tx, tenant, &ActivityContext::of_run(run, Timestamp::now()), &activity);
    Ok(())
}

/// Records the usage of an answer outside a conversation, and counts the answer and its question, which
/// [`count_accepted`] does for other answers. The activity is counted in the same writes as the usage of the run's own
/// model, if that model answered.
///
/// # Errors
/// Returns an error if the store fails.
pub fn book_chat(
    tx: &mut Tx,
    tenant: TenantId,
    run: &Row<Run>,
    records: impl Iterator<Item = UsageRecord>,
) -> Result<()> {
    let mut answer = Activity { messages: 2, ..Activity::default() };
    for record in records {
        let beside =
            if record.model == run.model { std::mem::take(&mut answer) } else { Activity::default() };
        book_beside(tx, tenant, record, beside)?;
    }
    if answer != Activity::default() {
        let at = run.ended_at.unwrap_or_else(Timestamp::now);
        count(tx, tenant, &ActivityContext::of_run(run, at), &answer);
    }
    Ok(())
}

/// Whether the conversation has a run. Every transaction that adds a run to a conversation also writes the
/// conversation's row, so no other transaction can add one concurrently.
fn has_run(reader: &Reader, tenant: TenantId, conversation: Uuid) -> Result<bool> {
    let of_it = Scan::index("by_conversation").prefix(conversation.as_bytes().to_vec()).limit(1);
    Ok(reader.count::<Run>(tenant, of_it)? > 0)
}

/// Counts the end of an answer, if it ended with an error.
pub fn count_ended(tx: &mut Tx, tenant: TenantId, run: &Row<Run>) {
    if is_answer(run) && is_error(run.state) {
        let at = run.ended_at.unwrap_or_else(Timestamp::now);
        count(tx, tenant, &ActivityContext::of_run(run, at), &Activity { errors: 1, ..Activity::default() });
    }
}
