//! Activity: questions and answers by user, assistant and model, counted so that reports about a tenant read neither
//! messages nor usage records.
//!
//! Three things are counted, each by the commit that makes it true. A conversation begins with the first question
//! that is accepted in it. Messages are the questions that were added and the answers to them. An error is an answer
//! that ended without success and was not stopped by a user. [Usage](super::usage) is counted beside them. Deletions
//! do not reduce the counts.
//!
//! Each commit adds to the entry of its quarter hour. As in the [ledger](super::ledger), entries are sums, but in
//! chronological order. These entries are authoritative. The same commit adds to the days (UTC) of the assistant, the
//! model and the user. It records on which days of a month a user was active with the assistant and with the model,
//! so that each user can be counted once; and when each of them was last active. A [`Window`] on any span therefore
//! reads the days that lie within it, and quarter hours only of the two days that it cuts.

mod keys;
mod recounted_sums;
mod window;

pub(crate) use keys::{ActivityKeys, read as read_entry};
pub use keys::{Heading, OfAssistant, OfModel, OfUser};
pub(crate) use recounted_sums::{RecountedSums, spends};
pub use window::{ActivityCount, Window, last_busy};

use uuid::Uuid;

use super::usage::Spend;
use super::{Run, RunKind, RunState, UsageRecord};
use crate::engine::counters;
use crate::time::Timestamp;

/// The number of counters of an entry.
const NUMBERS: usize = 11;

/// Counters of what was done, with usage and cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    /// Usage and cost of models.
    pub spend: Spend,
    /// Number of questions and of answers to them.
    pub messages: u64,
    /// Number of conversations that began.
    pub conversations: u64,
    /// Answers that failed, timed out or were interrupted by a stop of the server.
    pub errors: u64,
}

impl Activity {
    /// Returns the sum of two entries.
    pub fn plus(self, other: Self) -> Self {
        Self {
            spend: self.spend.plus(other.spend),
            messages: self.messages.saturating_add(other.messages),
            conversations: self.conversations.saturating_add(other.conversations),
            errors: self.errors.saturating_add(other.errors),
        }
    }

    /// Total number of counted activities; not zero if there was any activity.
    pub(crate) fn deeds(&self) -> u64 {
        let counts = [self.spend.requests, self.messages, self.conversations, self.errors];
        counts.into_iter().fold(0, u64::saturating_add)
    }

    /// Returns the counters in the order in which they are stored. New counters may only be appended, and none may be
    /// removed.
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

/// The user, assistant, model and time of an activity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActivityContext {
    /// Time of the activity.
    pub at: Timestamp,
    /// The acting user.
    pub user: Uuid,
    /// The assistant, if one was used.
    pub assistant_id: Option<Uuid>,
    /// Full id of the model. Empty for answers of workflows, because the models that their nodes use are counted with
    /// that usage.
    pub model: String,
}

impl ActivityContext {
    /// Returns the context of a use of a model.
    pub(crate) fn used(record: &UsageRecord) -> Self {
        let UsageRecord { ts, user, assistant_id, model, .. } = record;
        Self { at: *ts, user: *user, assistant_id: *assistant_id, model: model.clone() }
    }

    /// Returns the context of what a run does at a moment.
    pub(crate) fn of_run(run: &Run, at: Timestamp) -> Self {
        let model = if run.kind == RunKind::Workflow { String::new() } else { run.model.clone() };
        Self { at, user: run.user, assistant_id: run.assistant_id, model }
    }
}

/// Returns whether a run answers a user's message.
pub(crate) fn is_answer(run: &Run) -> bool {
    matches!(run.kind, RunKind::Completion | RunKind::Workflow)
}

/// Returns whether an answer with this final state counts as an error.
pub(crate) fn is_error(state: RunState) -> bool {
    matches!(state, RunState::Failed | RunState::TimedOut | RunState::Interrupted)
}
