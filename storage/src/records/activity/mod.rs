//! Activity: what was asked and answered, by whom and with what, so that reports about a tenant look at no message
//! and at no record of use.
//!
//! Three things are counted by the commits that make them true: a conversation begins with the first question that is
//! accepted in it; messages are the questions that were added, and the answers to them; an error is an answer that
//! ended without success and was not stopped by anybody. What was [used](super::usage) stands beside them. What
//! was counted stays counted, whatever is deleted later.
//!
//! Each commit adds to an entry of its quarter of an hour, as the [ledger](super::ledger) does, but in the order of
//! time. That entry is the book. Out of it the same commit adds to the days (UTC) of the assistant, of the model and
//! of the user; it notes on which days of a month a user was busy with the assistant and with the model, so that
//! users can be counted once each; and when each of them was last busy. So a [`Window`] on any span reads the
//! days that lie in it, and quarter hours only of the two that it cuts.

mod keys;
mod rolled;
mod window;

pub(crate) use keys::{ActivityKeys, read as read_entry};
pub use keys::{Heading, OfAssistant, OfModel, OfUser};
pub(crate) use rolled::{Rolled, spends};
pub use window::{Counted, Window, last_busy};

use uuid::Uuid;

use super::usage::Spend;
use super::{Run, RunKind, RunState, UsageRecord};
use crate::engine::counters;
use crate::time::Timestamp;

/// The number of counters of an entry.
const NUMBERS: usize = 11;

/// What was done, and what it took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    /// Usage and cost of models.
    pub spend: Spend,
    /// Questions, and answers to them.
    pub messages: u64,
    /// The number of conversations that began.
    pub conversations: u64,
    /// Answers that failed, took too long, or broke off with the server.
    pub errors: u64,
}

impl Activity {
    /// The sum of two entries.
    pub fn plus(self, other: Self) -> Self {
        Self {
            spend: self.spend.plus(other.spend),
            messages: self.messages.saturating_add(other.messages),
            conversations: self.conversations.saturating_add(other.conversations),
            errors: self.errors.saturating_add(other.errors),
        }
    }

    /// How often its user was busy; not zero where anything was done at all.
    pub(crate) fn deeds(&self) -> u64 {
        let counts = [self.spend.requests, self.messages, self.conversations, self.errors];
        counts.into_iter().fold(0, u64::saturating_add)
    }

    /// In the order in which they are stored. Others may be added behind them, and none taken away.
    pub(crate) fn numbers(&self) -> [u64; NUMBERS] {
        let spend = self.spend.numbers();
        let counts = [self.messages, self.conversations, self.errors];
        std::array::from_fn(|at| spend.get(at).or_else(|| counts.get(at - 8)).copied().unwrap_or_default())
    }

    /// Encodes all counters, in their fixed order.
    pub(crate) fn encode(&self) -> bytes::Bytes {
        counters::encode(&self.numbers())
    }

    /// Decodes an entry; missing counters are zero.
    pub(crate) fn decode(stored: &[u8]) -> Self {
        let numbers: [u64; NUMBERS] = counters::decode(stored);
        let [messages, conversations, errors] = std::array::from_fn(|at| numbers[at + 8]);
        let spend = Spend::from(std::array::from_fn(|at| numbers[at]));
        Self { spend, messages, conversations, errors }
    }
}

/// Who did something, with what, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActivityContext {
    /// Time of the activity.
    pub at: Timestamp,
    /// The acting user.
    pub user: Uuid,
    /// The assistant, if one was used.
    pub assistant_id: Option<Uuid>,
    /// The full id of the model; empty for answers of workflows, as the models that their nodes ask stand with what
    /// these use.
    pub model: String,
}

impl ActivityContext {
    /// A use of a model.
    pub(crate) fn used(record: &UsageRecord) -> Self {
        let UsageRecord { ts, user, assistant_id, model, .. } = record;
        Self { at: *ts, user: *user, assistant_id: *assistant_id, model: model.clone() }
    }

    /// What a run does at a moment.
    pub(crate) fn of_run(run: &Run, at: Timestamp) -> Self {
        let model = if run.kind == RunKind::Workflow { String::new() } else { run.model.clone() };
        Self { at, user: run.user, assistant_id: run.assistant_id, model }
    }
}

/// Whether a run answers a person's message.
pub(crate) fn is_answer(run: &Run) -> bool {
    matches!(run.kind, RunKind::Completion | RunKind::Workflow)
}

/// Whether an answer that ended so is an error.
pub(crate) fn is_error(state: RunState) -> bool {
    matches!(state, RunState::Failed | RunState::TimedOut | RunState::Interrupted)
}
