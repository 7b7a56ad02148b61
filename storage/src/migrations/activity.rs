//! Computes activity from the records, runs and messages that were written before activity was counted.

use super::Migration;
use crate::engine::{Batch, Direction, KeyRange};
use crate::error::Result;
use crate::ids::TenantId;
use crate::keys::{self, HEAD, RecordKey};
use crate::reader::Reader;
use crate::record::{Record, Row};
use crate::records::activity::{Activity, ActivityContext, RecountedSums, is_answer, is_error};
use crate::records::usage::Spend;
use crate::records::{Message, Run, UsageRecord};
use std::collections::HashSet;
use uuid::Uuid;

pub(super) const KEEP: Migration = Migration { name: "keep account of activity", work: rebuild };

/// Rows that are read at a time.
const CHUNK: usize = 256;

fn rebuild(reader: &Reader, batch: &mut Batch) -> Result<()> {
    let mut rolled = RecountedSums::default();
    each::<UsageRecord>(reader, |tenant, row| {
        let activity = Activity { spend: Spend::from_record(&row), ..Activity::default() };
        rolled.count(tenant, &ActivityContext::used(&row), &activity);
        Ok(())
    })?;
    let mut seen = SeenIds::default();
    // Ids are ordered by time, so the first run of a conversation comes first.
    each::<Run>(reader, |tenant, row| {
        if !is_answer(&row) {
            return Ok(());
        }
        let messages = 1 + seen.count_questions(reader, tenant, &row)?;
        let begins = row.conversation_id.is_some_and(|id| seen.conversations.insert((tenant, id)));
        let activity = Activity { messages, conversations: u64::from(begins), ..Activity::default() };
        rolled.count(tenant, &ActivityContext::of_run(&row, row.created_at), &activity);
        if is_error(row.state) {
            let context = ActivityContext::of_run(&row, row.ended_at.unwrap_or(row.updated_at));
            rolled.count(tenant, &context, &Activity { errors: 1, ..Activity::default() });
        }
        Ok(())
    })?;
    rolled.put(batch);
    Ok(())
}

fn each<T: Record<Id = Uuid>>(
    reader: &Reader,
    mut visit: impl FnMut(TenantId, Row<T>) -> Result<()>,
) -> Result<()> {
    for pair in reader.walk(KeyRange::prefix(&T::TABLE), Direction::Forward, CHUNK) {
        let (key, value) = pair?;
        visit(keys::tenant(&key)?, Row::decode(Uuid::decode(&key[HEAD..])?, &value)?)?;
    }
    Ok(())
}

#[derive(Default)]
struct SeenIds {
    conversations: HashSet<(TenantId, Uuid)>,
    messages: HashSet<(Uuid, Uuid)>,
}

impl SeenIds {
    /// Counts the messages above an answer that no run wrote and that were not already counted for an earlier answer.
    fn count_questions(&mut self, reader: &Reader, tenant: TenantId, run: &Run) -> Result<u64> {
        let Some((conversation, answer)) = run.conversation_id.zip(run.message_id) else {
            // A question outside a conversation was stored together with its answer.
            return Ok(1);
        };
        let mut above = reader.get::<Message>(tenant, &(conversation, answer))?.and_then(|row| row.parent_id);
        let mut questions = 0;
        while let Some(id) = above.filter(|id| self.messages.insert((conversation, *id))) {
            let row = reader.get::<Message>(tenant, &(conversation, id))?;
            let Some(row) = row.filter(|row| row.run_id.is_none()) else { break };
            questions += 1;
            above = row.parent_id;
        }
        Ok(questions)
    }
}
