//! Runs and their data: journals, epochs, terminal records.

use super::rows::row_of;
use super::{Doctor, place_of};
use crate::engine::{Direction, KeyRange};
use crate::error::Result;
use crate::ids::TenantId;
use crate::journal::entry;
use crate::keys;
use crate::record::{Record, Row};
use crate::records::{Message, Run, RunState};
use crate::tables::{EPOCH, JOURNAL, TERMINAL};
use crate::time::Timestamp;
use bytes::Bytes;
use serde_json::{Value, json};

/// Length of the key prefix of a run: table, tenant and run id.
const RUN_KEY: usize = 34;

impl Doctor<'_> {
    pub(super) fn runs(&mut self) -> Result<()> {
        self.begin("runs");
        for pair in self.table(Run::TABLE) {
            let (key, value) = pair?;
            // An unreadable row was already reported by the check of rows.
            let Ok((tenant, row)) = row_of::<Run>(&key, &value) else { continue };
            self.checked();
            self.message_of_run(tenant, &row, &key)?;
            self.end_of_run(tenant, &row, &key)?;
        }
        self.commit()?;
        self.begin("journals");
        for (table, name) in [(EPOCH, "epoch"), (TERMINAL, "terminal record")] {
            for pair in self.table(table) {
                let (key, _) = pair?;
                self.checked();
                if !self.has_run(&key)? {
                    let place = place_of(name, &key);
                    self.repair_entry(place, "its run does not exist", "deleted", |batch| batch.delete(key))?;
                }
            }
        }
        self.journals()?;
        self.commit()
    }

    fn has_run(&self, key: &[u8]) -> Result<bool> {
        let Some(rest) = key.get(2..RUN_KEY) else { return Ok(false) };
        Ok(self.reader.raw_get(&[&Run::TABLE[..], rest].concat())?.is_some())
    }

    fn message_of_run(&mut self, tenant: TenantId, row: &Row<Run>, key: &Bytes) -> Result<()> {
        let (Some(conversation), Some(message)) = (row.conversation_id, row.message_id) else {
            return Ok(());
        };
        if self.reader.raw_get(&keys::record_key(Message::TABLE, tenant, &(conversation, message)))?.is_some()
        {
            return Ok(());
        }
        let mut row = row.clone();
        row.message_id = None;
        let value = row.next()?;
        let place = place_of(Run::NAME, key);
        self.repair_entry(
            place,
            format!("its message {message} does not exist"),
            "reference removed",
            |batch| batch.put(key.clone(), value),
        )
    }

    /// Checks that an ended run has its terminal record, and that a live run has none, but has an epoch.
    fn end_of_run(&mut self, tenant: TenantId, row: &Row<Run>, key: &Bytes) -> Result<()> {
        let place = place_of(Run::NAME, key);
        let terminal = self.reader.terminal(tenant, row.id)?;
        match (row.state.is_terminal(), terminal) {
            (true, None) => {
                let value = terminal_of(row, self.reader.journal_end(tenant, row.id).unwrap_or_default());
                let to = keys::of_id(TERMINAL, tenant, &row.id);
                self.repair_entry(
                    place,
                    "it has ended without a terminal record",
                    "terminal record written",
                    |batch| batch.put(to, value),
                )
            }
            (true, Some(terminal)) => {
                if status_of(&terminal).is_some_and(|status| status != row.state) {
                    self.end_as(row, &terminal, key, place, "its state differs from its terminal record")?;
                }
                Ok(())
            }
            (false, Some(terminal)) => {
                self.end_as(row, &terminal, key, place, "it has a terminal record but is marked as live")
            }
            (false, None) => match self.reader.journal_epoch(tenant, row.id) {
                Ok(Some(epoch)) if epoch >= row.epoch => Ok(()),
                _ => {
                    let (to, epoch) = (keys::of_id(EPOCH, tenant, &row.id), row.epoch.to_be_bytes().to_vec());
                    self.repair_entry(
                        place,
                        "it is live, but its epoch is missing or out of date",
                        "epoch written",
                        |batch| batch.put(to, epoch),
                    )
                }
            },
        }
    }

    /// The terminal record is authoritative: it was written once, and readers have seen it.
    fn end_as(
        &mut self,
        row: &Row<Run>,
        terminal: &[u8],
        key: &Bytes,
        place: String,
        what: &str,
    ) -> Result<()> {
        let Some(status) = status_of(terminal) else {
            self.report_problem(place, "its terminal record cannot be read");
            return Ok(());
        };
        let tenant = keys::tenant(key)?;
        let mut next = row.clone();
        next.state = status;
        next.ended_at = next.ended_at.or(Some(Timestamp::now()));
        next.expires_at = next.expires_at.or(next.ended_at);
        let value = next.next()?;
        self.repair_entry(place, what, "set to the state of the terminal record", |batch| {
            for index in Run::INDEXES {
                crate::reader::entries(index, tenant, row).for_each(|entry| batch.delete(entry));
                for entry in crate::reader::entries(index, tenant, &next) {
                    batch.put(entry, row.id.as_bytes().to_vec());
                }
            }
            batch.put(key.clone(), value);
        })
    }

    /// Checks that each journal belongs to a run, and that its sequence numbers start at 1 without a gap.
    fn journals(&mut self) -> Result<()> {
        let mut run: Option<Bytes> = None;
        let mut next = 1;
        let mut is_cut = false;
        for pair in self.table(JOURNAL) {
            let (key, value) = pair?;
            let head = key.slice(..RUN_KEY.min(key.len()));
            if run.as_ref() != Some(&head) {
                self.checked();
                (next, is_cut) = (1, false);
                run = Some(head.clone());
                if !self.has_run(&key)? {
                    self.repair_entry(
                        place_of("journal", &head),
                        "its run does not exist",
                        "deleted",
                        |_| {},
                    )?;
                    self.drop_events(&head)?;
                    is_cut = true;
                }
            }
            if is_cut {
                continue;
            }
            let what = match last_of(&key, value, next) {
                Ok(last) => {
                    next = last + 1;
                    continue;
                }
                Err(what) => what,
            };
            is_cut = true;
            self.repair_entry(place_of("journal", &head), what, "cut off there", |_| {})?;
            let rest = KeyRange { start: key.to_vec(), end: crate::engine::after_prefix(&head) };
            self.drop_range(rest)?;
        }
        Ok(())
    }

    fn drop_events(&mut self, head: &[u8]) -> Result<()> {
        self.drop_range(KeyRange::prefix(head))
    }

    fn drop_range(&mut self, range: KeyRange) -> Result<()> {
        if !self.repair {
            return Ok(());
        }
        let keys: Result<Vec<_>> =
            self.reader.walk(range, Direction::Forward, 64).map(|pair| Ok(pair?.0)).collect();
        for key in keys? {
            self.batch.delete(key);
        }
        self.commit()
    }
}

/// Returns the last `seq` of an entry that should begin at `next`, or a description of what is wrong with it.
fn last_of(key: &[u8], value: Bytes, next: u64) -> Result<u64, String> {
    let events = entry::decode(key, value).map_err(|error| format!("at event {next}: {error}"))?;
    match (events.first(), events.last()) {
        (Some(first), _) if first.seq != next => {
            Err(format!("event {next} is missing, the next is {}", first.seq))
        }
        (_, Some(last)) => Ok(last.seq),
        _ => Err(format!("an empty entry in place of event {next}")),
    }
}

fn status_of(terminal: &[u8]) -> Option<RunState> {
    let value: Value = serde_json::from_slice(terminal).ok()?;
    let state: RunState = serde_json::from_value(value.get("status")?.clone()).ok()?;
    state.is_terminal().then_some(state)
}

/// Reconstructs the terminal record of a run, with the values that are still known.
fn terminal_of(row: &Row<Run>, last_seq: u64) -> Vec<u8> {
    let finished_at = row.ended_at.unwrap_or(row.updated_at);
    let terminal = json!({
        "status": row.state,
        "reason": "the terminal record was lost and has been recreated",
        "cancelled_by": row.cancel_by,
        "error": null,
        "usage": {"input_tokens": 0, "output_tokens": 0, "cached_tokens": 0, "reasoning_tokens": 0},
        "cost_nanos": 0,
        "last_seq": last_seq,
        "started_at": row.started_at,
        "finished_at": finished_at,
        "partial": row.state != RunState::Succeeded,
    });
    terminal.to_string().into_bytes()
}
